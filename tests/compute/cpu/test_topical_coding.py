from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import topical_coding as oracle

from driftline.coding.contexts import arrays_of
from driftline.compute.cpu.topical_coding import best_topics, code_counts


def code(X, topics, penalties):
    pulls, uses = np.zeros((2, *topics.T.shape))
    words = np.ascontiguousarray(topics.T)
    theta, value = code_counts(arrays_of(sp.csr_matrix(X)), words, penalties, 1e-13, 100_000, pulls, uses)
    return theta, value, pulls, uses


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalties", [(0.1, 0.1, 0.01), (1.0, 2.0, 0.0), (0.0, 0.5, 0.5)])
def test_codes_minimise_the_objective_of_a_document(seed, penalties):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.ones(5), 3)
    counts = rng.integers(0, 6, 5).astype(float)
    counts[0] = 2
    theta, value, _, _ = code(counts[None], topics, penalties)
    best = oracle.best_objective(counts, topics, *penalties)
    assert value == pytest.approx(best, abs=2e-4 * (1 + abs(best)))
    assert theta.min() >= 0


def test_an_empty_document_codes_to_zero():
    theta, value, _, _ = code(np.zeros((1, 4)), np.full((2, 4), 0.25), (0.1, 0.1, 0.1))
    assert not theta.any()
    assert value == 0


def test_topics_minimise_their_bound_on_the_simplex():
    rng = np.random.default_rng(0)
    pulls, uses = rng.uniform(0, 2, (2, 6, 3))
    pulls[0, 0] = 0
    topics = np.full((6, 3), 1 / 6)
    best_topics(topics, pulls, uses)
    np.testing.assert_allclose(topics.sum(axis=0), 1)
    bound = lambda t: (uses * t).sum() - (pulls * np.log(np.maximum(t, 1e-300))).sum()
    for _ in range(200):
        other = topics * np.exp(0.05 * rng.normal(size=topics.shape))
        assert bound(topics) <= bound(other / other.sum(axis=0)) + 1e-12
