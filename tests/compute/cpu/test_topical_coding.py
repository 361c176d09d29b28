from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import topical_coding as oracle

from driftline.coding.local_contexts import arrays_of
from driftline.compute.cpu.topical_coding import _best_code, best_topics, code_counts


def code(X, topics, penalties):
    pulls, uses = np.zeros((2, *topics.T.shape))
    words = np.ascontiguousarray(topics.T)
    theta = np.zeros((len(X), len(topics)))
    value = code_counts(arrays_of(sp.csr_matrix(X)), words, penalties, 1e-13, 100_000, theta, pulls, uses)
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


@pytest.mark.parametrize("seed", range(20))
def test_the_code_of_a_word_is_its_minimum(seed):
    """The conditions of optimality, also for words that a topic hardly has and from any start."""
    rng = np.random.default_rng(seed)
    beta = rng.uniform(0, 1, 6) * 10.0 ** rng.choice([0, -2, -9, -80], 6 if seed % 2 else 1)
    theta, w, gamma, rho = rng.uniform(-0.5, 2, 6), float(rng.integers(1, 30)), 10.0 ** rng.uniform(-2, 1), 0.1 * seed
    codes = []
    for start in (0.0, -1.0, 1e6):
        code = np.empty(6)
        _best_code(beta, w, theta, gamma, rho, start, code)
        codes.append(code)
        mixed = code @ beta
        slope = beta - w * beta / mixed + 2 * gamma * (code - theta) + rho
        assert code.min() >= 0
        np.testing.assert_allclose(slope[code > 0], 0, atol=1e-6 * (1 + w * beta.max() / mixed))
        assert slope[code == 0].min(initial=0) >= -1e-6 * (1 + w * beta.max() / mixed)
    np.testing.assert_allclose(codes[1], codes[0], rtol=1e-9)
    np.testing.assert_allclose(codes[2], codes[0], rtol=1e-9)


def test_a_word_of_no_topic_leaves_the_codes_finite():
    theta, value, _, uses = code(np.array([[3.0, 2.0]]), np.array([[0.0, 1.0]]), (0.1, 0.1, 0.01))
    assert np.isfinite(value)
    assert np.isfinite(theta).all()
    assert np.isfinite(uses).all()


def test_codes_given_are_improved_never_spoiled():
    rng = np.random.default_rng(0)
    X, topics = rng.integers(0, 4, (6, 8)).astype(float), rng.dirichlet(np.ones(8), 3)
    words, rows, penalties = np.ascontiguousarray(topics.T), arrays_of(sp.csr_matrix(X)), (0.2, 0.3, 0.05)
    theta = np.zeros((6, 3))
    values = [code_counts(rows, words, penalties, 0.0, 1, theta, *np.zeros((2, 8, 3))) for _ in range(60)]
    assert (np.diff(values) <= 1e-9).all()
    # One round at a time is without momentum, and slower: it nears what many rounds in one go reach.
    least = code(X, topics, penalties)[1]
    assert least - 1e-9 <= values[-1] < least + 0.2 * (values[0] - least)
