"""Moments of energies under a random order, against every order there is; tails against draws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.permutations import energies_of_all_orders

from driftline.local.permutation_null import FEW_UNITS, PermutationNull, tail_probability


def _null(seed, n_units=7, n_words=5):
    rng = np.random.default_rng(seed)
    counts = sp.csc_array(rng.poisson(0.8, (n_units, n_words)).astype(float))
    tokens = rng.integers(4, 12, n_units).astype(float)
    share = (np.cumsum(tokens) - tokens / 2) / tokens.sum()
    return PermutationNull(counts, tokens, share)


@pytest.mark.parametrize("seed", range(3))
def test_moments_are_those_of_all_orders(seed):
    null = _null(seed)
    residuals = null.counts.toarray() - np.outer(null.tokens, null.shares)
    for g, group in enumerate(null.groups):
        features = null.table[null.cells][:, group]
        for w in range(null.counts.shape[1]):
            every = energies_of_all_orders(residuals[:, w], features)
            assert null.mean[g, w] == pytest.approx(every.mean(), rel=1e-9)
            assert null.variance[g, w] == pytest.approx(every.var(), rel=1e-7)


def test_groups_are_dyadic_and_scores_residuals_times_cosines():
    null = _null(0, n_units=40)
    assert [group.stop - group.start for group in null.groups] == [1, 2, 4, 8, 16]
    residuals = null.counts.toarray() - np.outer(null.tokens, null.shares)
    np.testing.assert_allclose(null.scores(), residuals.T @ null.cosines[null.cells], atol=1e-9)
    order = np.random.default_rng(0).permutation(40)
    np.testing.assert_allclose(null.scores(order, np.array([2])), residuals[:, [2]].T @ null.table[null.cells[order]])


def test_p_values_are_uniform_under_the_null():
    """Words that clump in documents, in random order: 5 % of p-values below 5 %, 1 % below 1 %."""
    rng = np.random.default_rng(0)
    shares = rng.gamma(0.2, 5.0, (800, 400))
    counts = sp.csc_array(rng.poisson(0.02 * shares).astype(float))
    tokens = np.full(800, 40.0)
    null = PermutationNull(counts, tokens, (np.arange(800) + 0.5) / 800)
    p = null.p_values(null.evidence(null.energies(null.scores())), 50, 0)
    assert (p < 0.05).mean() == pytest.approx(0.05, abs=0.03)
    assert (p < 0.01).mean() < 0.025
    again = null.p_values(null.evidence(null.energies(null.scores())), 50, 0)
    assert (p == again).all()


def test_gamma_tail_is_close_to_brute_force():
    rng = np.random.default_rng(1)
    counts = np.zeros((500, 60))
    for w in range(60):
        counts[rng.choice(500, 25, replace=False), w] = rng.geometric(0.7, 25)
    null = PermutationNull(sp.csc_array(counts), np.full(500, 20.0), (np.arange(500) + 0.5) / 500)
    draws = np.stack([null.evidence(null.energies(null.scores(rng.permutation(500)))) for _ in range(200)])
    calibrated = np.mean([tail_probability(row, np.sort(draws[::2].ravel())) < 0.01 for row in draws[1::2]])
    assert calibrated == pytest.approx(0.01, abs=0.005)


def test_tail_probability():
    draws = np.sort(np.random.default_rng(0).exponential(size=10_000))
    found = tail_probability(np.array([0.0, 1.0, 9.0, 30.0]), draws)
    np.testing.assert_allclose(np.log(found), [0.0, -1.0, -9.0, -30.0], atol=3.0, rtol=0.2)
    assert (np.diff(found) < 0).all()
    assert tail_probability(np.array([5.0]), np.empty(0)).tolist() == [1.0]
    assert tail_probability(np.array([0.0, 5.0]), np.zeros(10))[0] == 1.0


def test_a_word_in_step_with_the_tokens_has_no_evidence():
    tokens = np.arange(1.0, 21.0)
    null = PermutationNull(sp.csc_array(0.5 * tokens[:, None]), tokens, (np.arange(20) + 0.5) / 20)
    assert null.evidence(null.energies(null.scores()))[0] == pytest.approx(0.0, abs=1e-6)


def test_words_that_few_units_carry_have_no_p_value_beyond_the_permutations():
    rng = np.random.default_rng(0)
    counts = rng.poisson(2.0, (400, 30)).astype(float)
    counts[:, 0] = 0
    counts[100:104, 0] = 30  # all of its uses in four neighbouring documents
    counts[:, 1] = 20 * (np.arange(400) < 200)  # in every document of the first half
    tokens = counts.sum(axis=1)
    null = PermutationNull(sp.csc_array(counts), tokens, (np.cumsum(tokens) - tokens / 2) / tokens.sum())
    assert null.spread[0] < FEW_UNITS < null.spread[1]
    p_value = null.p_values(null.evidence(null.energies(null.scores())), 50, 0)
    assert p_value[0] == pytest.approx(1 / (1 + 50 * 30), rel=0.6)  # its class may hold fewer words than all
    assert p_value[0] >= 1 / (1 + 50 * 30)
    assert p_value[1] < 1e-8
