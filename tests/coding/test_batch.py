from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.base.sequence_input import as_sequences
from driftline.coding.batch import learn
from driftline.coding.codes import Penalties
from driftline.coding.local_contexts import ContextMaker
from driftline.engines.threads import Threads
from tests.oracles import local_context as oracle


def learned(loss, seed=0, rho=1e-4, n_topics=4, max_iter=25, code_tol=1e-6):
    rng = np.random.default_rng(seed)
    documents = [rng.choice(8, 15, p=rng.dirichlet(np.full(8, 0.4))) for _ in range(8)]
    contexts = ContextMaker("gaussian", 1.0, 8, np.empty(0))(as_sequences(documents))
    topics = sp.csr_matrix(rng.dirichlet(np.ones(8), n_topics))
    with Threads(1) as engine:
        found = learn(contexts, topics, Penalties(loss, 0.02, rho, code_tol), engine, max_iter=max_iter, tol=0.0)
    return contexts, found


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("rho", [0.0, 1e-4, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_rises(loss, rho, seed):
    _, found = learned(loss, seed, rho)
    assert len(found.objectives) > 3
    falls = np.diff(found.objectives)
    assert falls.max() <= 1e-12 * found.objectives[0]
    assert found.objectives[-1] < 0.98 * found.objectives[0]


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
def test_topics_stay_on_the_simplex_and_the_objective_is_true(loss):
    contexts, found = learned(loss, rho=0.1)
    topics = found.topics.toarray()
    assert topics.min() >= 0
    np.testing.assert_allclose(topics.sum(axis=1), 1)
    phi, codes = contexts.matrix.toarray(), found.codes.matrix.toarray()
    bounds = contexts.offsets
    true = sum(oracle.objective(phi[a:b], codes[a:b], topics, 0.02, 0.1, loss) for a, b in itertools.pairwise(bounds))
    assert found.objectives[-1] == pytest.approx(true, rel=1e-9)


def test_topics_cannot_be_improved_by_a_projected_step():
    contexts, found = learned("squared", rho=0.0, max_iter=400, code_tol=1e-13)
    codes, topics = found.codes.matrix.toarray(), found.topics.toarray()
    loss = lambda D: ((contexts.matrix.toarray() - codes @ D) ** 2).sum()
    gradient = -2 * codes.T @ (contexts.matrix.toarray() - codes @ topics)
    moved = np.array([oracle.nearest_on_simplex(row) for row in topics - 1e-3 * gradient])
    assert loss(topics) - loss(moved) < 1e-4 * loss(topics)
