from __future__ import annotations

import numpy as np

from driftline.topics.topic_counts import TopicCounts


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
