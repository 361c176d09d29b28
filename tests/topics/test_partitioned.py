from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.threads import Threads
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.fitting import partition
from driftline.topics.partitioned import SentTopics, learn_chunk, learn_in_parts, sample_in_parts
from tests.topics.corpora import drawn


def topics_of(X, n_topics=3):
    rng = np.random.default_rng(0)
    counts = rng.gamma(10.0, 0.1, (X.shape[1], n_topics)) * (X.sum(axis=0).A1 / n_topics)[:, None]
    return TopicCounts.starting(counts, np.full(n_topics, 0.2), 0.01)


def test_a_chunk_adds_its_own_words_and_changes_nothing_that_was_sent():
    X, _ = drawn(40, 30, 3)
    sent = SentTopics.of(topics_of(X))
    before = sent.values.copy()
    rows = np.array([3, 8])
    words, difference, sums = learn_chunk(Pairs.of(X), rows, sent)
    assert sums is None, "no prior is learned here"
    assert (sent.values == before).all()
    np.testing.assert_allclose(difference.sum(axis=1), X[rows].sum(axis=0).A1[words], rtol=1e-3)


@pytest.mark.parametrize("synchronisation", ["average", "hierarchical"])
def test_samples_count_every_word_once(synchronisation):
    X, _ = drawn(60, 40, 3)
    topics = topics_of(X)
    parts = partition(Pairs.of(X), 2)
    with Threads(2) as engine:
        learn_in_parts(topics, parts, engine, np.random.default_rng(1), 2)
        chain = sample_in_parts(topics, parts, engine, np.random.default_rng(1), 3, 4, synchronisation=synchronisation)
    assert chain.objective.shape == (1, 7)
    np.testing.assert_allclose(topics.values.sum(axis=1), X.sum(axis=0).A1, rtol=1e-5)
    assert chain.objective[0, -1] > np.log(1 / 40), "better than all words alike"


def test_threads_do_not_matter():
    X, _ = drawn(60, 40, 3)
    results = []
    for n_jobs in (1, 2):
        topics = topics_of(X)
        with Threads(n_jobs) as engine:
            rng = np.random.default_rng(1)
            parts = partition(Pairs.of(X), 2)
            learn_in_parts(topics, parts, engine, rng, 2)
            sample_in_parts(topics, parts, engine, rng, 1, 2)
        results.append(topics.values.tobytes())
    assert results[0] == results[1]


def test_learning_stops_when_nothing_is_reassigned():
    X, _ = drawn(60, 40, 3)
    parts = partition(Pairs.of(X), 2)
    with Threads(1) as engine:
        for tolerance, most in ((0.0, 8), (0.02, 60)):
            epochs = learn_in_parts(topics_of(X), parts, engine, np.random.default_rng(1), most, tolerance=tolerance)
            assert epochs == 8 if not tolerance else 1 < epochs < 60
