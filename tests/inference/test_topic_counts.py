from __future__ import annotations

import numpy as np

from driftline.compute.cpu.lda_memory import has_room
from driftline.inference.topic_counts import TopicCounts, TopicSum


def test_forgetting_keeps_the_seeds():
    counts = np.array([[4.0, 0.0], [1.0, 3.0]])
    topics = TopicCounts.starting(counts, [0.5, 0.5], 0.1, {1: np.array([0.0, 10.0])})
    for _ in range(400):
        topics.forget(0.9)
    topics.settle()
    np.testing.assert_allclose(topics.values[:, :2], [[0, 0], [0, 10]], atol=1e-4)
    np.testing.assert_allclose(topics.totals[:2], [0, 10], atol=1e-4)


def test_forgetting_is_exact_for_the_true_counts():
    topics = TopicCounts.starting(np.array([[4.0, 2.0]]), [0.5, 0.5], 0.1)
    topics.forget(0.25)
    np.testing.assert_allclose(topics.values[0, :2] * topics.scale, [1.0, 0.5])
    np.testing.assert_allclose(topics.inverse()[:2], 1 / (np.array([1.0, 0.5]) + 0.1), rtol=1e-6)
    assert not topics.inverse()[2:].any()


def test_growing_makes_empty_rows():
    topics = TopicCounts.starting(np.ones((2, 3)), np.ones(3), 0.1)
    topics.grow(5)
    topics.grow(4)
    assert topics.n_words == 5
    assert not topics.values[2:].any()
    assert topics.values.ctypes.data % 64 == 0


def test_a_state_is_continued_where_it_was():
    topics = TopicCounts.starting(np.array([[4.0, 2.0], [1.0, 3.0]]), [0.5, 0.7], 0.1, {0: np.array([1.0, 0.0])})
    topics.forget(0.5)
    again = TopicCounts.of(topics.state(), 2, {0: np.array([1.0, 0.0])})
    assert again.values is topics.values
    assert again.scale == topics.scale == 0.5
    for one in (topics, again):
        one.forget(0.25)
    np.testing.assert_array_equal(again.totals, topics.totals)
    np.testing.assert_array_equal(again.document_prior, [0.5, 0.7])


def test_a_fresh_state_may_be_written_into():
    state = TopicCounts.starting(np.ones((3, 2)), [0.5, 0.5], 0.1).state()
    fresh = state.fresh()
    fresh.values[:] = 9
    fresh.totals[:] = 9
    assert state.values[0, 0] == 1
    assert state.totals[0] == 3
    assert has_room(fresh.values), "as the compiled loops want it"


def test_the_mean_of_samples_has_the_priors_of_the_last():
    total = TopicSum(np.ones((2, 2), dtype=np.float32), 1, np.array([0.1]), 0.1)
    total = total.added(np.full((2, 2), 4, dtype=np.float32), np.array([0.2]), 0.3)
    assert total.mean.tolist() == [[2.5, 2.5], [2.5, 2.5]]
    assert total.mean.dtype == np.float32
    assert (total.n, total.document_prior.tolist(), total.word_prior) == (2, [0.2], 0.3)


def test_what_was_learnt_elsewhere_is_taken():
    topics = TopicCounts.starting(np.ones((2, 2)), [0.5, 0.5], 0.1)
    topics.forget(0.5)
    topics.take(np.full((2, 16), 3.0), [0.2, 0.4], 0.3)
    assert topics.scale == 1
    assert topics.totals[0] == 6
    assert (topics.beta, topics.alpha[1]) == (0.3, np.float32(0.4))
