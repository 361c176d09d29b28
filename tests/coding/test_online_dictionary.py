from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.base.sequence_input import as_sequences
from driftline.coding.codes import Penalties
from driftline.coding.local_contexts import ContextMaker
from driftline.coding.online_dictionary import PATIENCE, Statistics, learn_batch, widened
from driftline.engines.threads import Threads


def batch(documents, n_words):
    return ContextMaker("gaussian", 1.0, n_words, np.empty(0))(as_sequences(documents))


def learn(contexts, topics, n_batches, loss="squared", least=5e-3):
    seen = Statistics.nothing(*topics.shape)
    losses = []
    with Threads(1) as engine:
        for number in range(n_batches):
            rng = np.random.default_rng(number)
            topics, seen, codes = learn_batch(contexts, topics, seen, Penalties(loss), least, engine, rng)
            losses.append(codes.losses.mean())
    return topics, seen, losses


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
def test_batches_lower_the_loss_and_keep_topics_on_the_simplex(loss):
    rng = np.random.default_rng(0)
    contexts = batch([rng.choice(10, 30, p=rng.dirichlet(np.full(10, 0.3))) for _ in range(10)], 10)
    topics, _, losses = learn(contexts, sp.csr_matrix(rng.dirichlet(np.ones(10), 4)), 12, loss)
    assert losses[-1] < 0.9 * losses[0]
    np.testing.assert_allclose(topics.sum(axis=1), 1)
    assert topics.data.min() >= 5e-3


def test_the_first_batch_gives_its_own_statistics():
    contexts = batch([[0, 1, 2, 0, 1]], 3)
    topics = sp.csr_matrix(np.eye(3)[:2])
    _, seen, _ = learn(contexts, topics, 1)
    with Threads(1) as engine:
        from driftline.coding.codes import Dictionary

        codes = Dictionary(topics).code(contexts, Penalties(), engine).matrix
    np.testing.assert_allclose(seen.pairs.toarray(), (codes.T @ codes).toarray(), atol=1e-6)
    np.testing.assert_allclose(seen.words.toarray(), (codes.T @ contexts.matrix).toarray(), atol=1e-6)
    assert seen.n_batches == 1


def test_a_dead_topic_gets_a_context_that_is_explained_badly():
    contexts = batch([[0, 0, 0, 0], [1, 1, 1, 1]], 3)
    topics = sp.csr_matrix([[1.0, 0, 0], [0, 0, 1.0]])
    found, _, losses = learn(contexts, topics, PATIENCE + 2)
    np.testing.assert_allclose(found.toarray(), [[1, 0, 0], [0, 1, 0]])
    assert losses[-1] < 0.01 < losses[0]


def test_topics_are_widened_by_the_words_they_met():
    seen = Statistics(sp.csr_matrix((1, 1)), sp.csr_matrix([[1.0, 3.0, 0.0]]))
    np.testing.assert_allclose(widened(sp.csr_matrix([[1.0, 0, 0]]), seen, 0.0).toarray(), [[0.625, 0.375, 0]])
