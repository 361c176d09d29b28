from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.base.sequence_input import as_sequences
from driftline.coding.codes import Penalties
from driftline.coding.local_contexts import ContextMaker
from driftline.coding.seeding import draw, first_topics, pruned
from driftline.engines.threads import Threads


def seeds(documents, n_topics, n_words, seed=0):
    contexts = ContextMaker("gaussian", 1.0, n_words, np.empty(0))(as_sequences(documents))
    with Threads(1) as engine:
        rng = np.random.default_rng(seed)
        return first_topics(contexts, n_topics, Penalties(), 5e-3, engine, rng)


@pytest.mark.parametrize("n_topics", [1, 5, 20])
def test_topics_are_distributions(n_topics):
    rng = np.random.default_rng(1)
    topics = seeds([rng.integers(0, 9, 12).tolist() for _ in range(5)], n_topics, 9)
    assert topics.shape == (n_topics, 9)
    np.testing.assert_allclose(topics.sum(axis=1), 1)


def test_there_may_be_fewer_contexts_than_topics():
    assert seeds([[0]], 3, 2).toarray().tolist() == [[1, 0]] * 3


def test_what_is_explained_already_is_not_drawn_again():
    documents = [[0] * 50, [1] * 50, [2] * 50]
    for seed in range(5):
        topics = seeds(documents, 6, 3, seed).toarray()
        assert {int(row.argmax()) for row in topics[:3]} == {0, 1, 2}


def test_draws_follow_the_weights():
    rng = np.random.default_rng(0)
    first = [draw(np.array([3.0, 1.0, 0.0]), 1, rng)[0] for _ in range(2000)]
    assert np.bincount(first, minlength=3) / 2000 == pytest.approx([0.75, 0.25, 0], abs=0.04)
    assert sorted(draw(np.ones(4), 4, rng)) == [0, 1, 2, 3]


def test_pruning_keeps_the_largest_whatever_it_is():
    topics = pruned(sp.csr_matrix([[0.6, 0.39, 0.01], [0.3, 0.3, 0.4]]), 0.35)
    np.testing.assert_allclose(topics.toarray(), [[0.6 / 0.99, 0.39 / 0.99, 0], [0, 0, 1]])
    assert pruned(sp.csr_matrix([[0.2, 0.8]]), 0.9).toarray().tolist() == [[0, 1]]
