"""Moments of energies under a random order, against every order there is; tails against draws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chi2, gamma
from tests.oracles.changed_words import energies, residuals_of_units
from tests.oracles.permutations import energies_of_all_orders

from driftline.local.changed_words import permutation_null
from driftline.local.changed_words.permutation_null import FEW_UNITS, PermutationNull, tail_probability
from driftline.local.changed_words.time_features import TimeFeatures
from driftline.local.changed_words.unit_weights import UnitWeights


def _ranks(n):
    return TimeFeatures.cosines((np.arange(n) + 0.5) / n)


def _null(seed, n_units=7, n_words=5, weighted=True):
    rng = np.random.default_rng(seed)
    counts = sp.csc_array(rng.poisson(0.8, (n_units, n_words)).astype(float))
    tokens = rng.integers(4, 12, n_units).astype(float)
    weights = UnitWeights(rng.uniform(0.5, 1.5, (2, n_units)), np.arange(n_words) % 2) if weighted else None
    return PermutationNull(counts, tokens, _ranks(n_units), weights), counts, tokens, weights


def _residuals(null):
    return null.counts.toarray() - null.tokens[null.which].T * null.shares


@pytest.mark.parametrize("seed", range(3))
def test_moments_are_those_of_all_orders(seed):
    null = _null(seed)[0]
    residuals = _residuals(null)
    for g, group in enumerate(null.groups):
        features = null.table[null.cells][:, group]
        for w in range(null.counts.shape[1]):
            every = energies_of_all_orders(residuals[:, w], features)
            assert null.mean[g, w] == pytest.approx(every.mean(), rel=1e-9)
            assert null.variance[g, w] == pytest.approx(every.var(), rel=1e-7)


def test_residuals_and_energies_are_those_of_the_definition():
    null, counts, tokens, weights = _null(1, n_units=64)
    assert [(group.start, group.stop) for group in null.groups] == [(0, 1), (1, 3), (3, 7), (7, 15), (15, 31), (31, 63)]
    groups = [range(group.start + 1, group.stop + 1) for group in null.groups]
    found = null.energies(null.scores())
    for w in range(counts.shape[1]):
        residuals = residuals_of_units(counts.toarray()[:, w], tokens, weights.sets[weights.which[w]])
        np.testing.assert_allclose(_residuals(null)[:, w], residuals, atol=1e-12)
        np.testing.assert_allclose(found[:, w], energies(residuals, groups), rtol=1e-9)


def test_scores_of_another_order_are_those_of_the_units_in_that_order():
    null = _null(0, n_units=40)[0]
    order = np.random.default_rng(0).permutation(40)
    for words in ([2], [1], [3, 0]):  # of the first set of weights, of the second, of both
        expected = _residuals(null)[:, words].T @ null.table[null.cells[order]]
        np.testing.assert_allclose(null.scores(order, np.array(words)), expected)


def test_orders_taken_together_have_the_scores_of_each_alone(monkeypatch):
    null = _null(0, n_units=40)[0]
    rng = np.random.default_rng(0)
    orders = [rng.permutation(40) for _ in range(7)]
    alone = [null.scores(order) for order in orders]
    for block in (1, 3 * 2 * 40, 10**6):  # one, three, and all orders at once
        monkeypatch.setattr(permutation_null, "BLOCK", block)
        together = null._scores(null._selected(slice(None)), (null.cells[order] for order in orders))
        np.testing.assert_allclose(list(together), alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("most", "sizes"), [(None, [1, 2, 4, 8, 16]), (5, [1, 2, 2]), (1, [1]), (99, [1, 2, 4, 8, 16])]
)
def test_groups_are_dyadic_and_only_a_given_number_cuts_the_last_one_short(most, sizes):
    counts = sp.csc_array(np.random.default_rng(0).poisson(1.0, (40, 2)).astype(float))
    null = PermutationNull(counts, np.full(40, 9.0), TimeFeatures.cosines((np.arange(40) + 0.5) / 40, most))
    assert [group.stop - group.start for group in null.groups] == sizes
    assert null.scores().shape == (2, sum(sizes))


def test_evidence_is_the_better_of_fisher_and_cauchy():
    """Each of the two decides for one kind of word: neither can be left out."""
    null = _null(3, n_units=300, n_words=2, weighted=False)[0]
    shape, scale = null.mean**2 / null.variance, null.variance / null.mean
    one_scale, all_scales = np.full(len(null.groups), 0.5), np.full(len(null.groups), 0.03)
    one_scale[0] = 1e-12
    energy = gamma.isf(np.column_stack([one_scale, all_scales]), shape, scale=scale)
    found = null.evidence(energy)

    def fisher(p):
        return -chi2.logsf(-2 * np.log(p).sum(), 2 * len(p))

    def cauchy(p):
        return -np.log(0.5 - np.arctan(np.tan(np.pi * (0.5 - p)).mean()) / np.pi)

    assert cauchy(one_scale) > fisher(one_scale) + 3
    assert fisher(all_scales) > cauchy(all_scales) + 3
    np.testing.assert_allclose(found, [cauchy(one_scale), fisher(all_scales)], rtol=1e-3)


def test_p_values_are_uniform_under_the_null():
    """Words that clump in documents, in random order: 5 % of p-values below 5 %, 1 % below 1 %."""
    rng = np.random.default_rng(0)
    shares = rng.gamma(0.2, 5.0, (800, 400))
    counts = sp.csc_array(rng.poisson(0.02 * shares).astype(float))
    tokens = np.full(800, 40.0)
    null = PermutationNull(counts, tokens, _ranks(800))
    p = null.p_values(50, 0)
    assert (p < 0.05).mean() == pytest.approx(0.05, abs=0.03)
    assert (p < 0.01).mean() < 0.025
    again = null.p_values(50, 0)
    assert (p == again).all()


def test_gamma_tail_is_close_to_brute_force():
    rng = np.random.default_rng(1)
    counts = np.zeros((500, 60))
    for w in range(60):
        counts[rng.choice(500, 25, replace=False), w] = rng.geometric(0.7, 25)
    null = PermutationNull(sp.csc_array(counts), np.full(500, 20.0), _ranks(500))
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


def test_the_far_tail_goes_on_as_the_largest_values_do():
    """Most evidence is small, and one draw in two hundred falls off four times as slowly: only those tell the rate."""
    rng = np.random.default_rng(0)
    draws = np.sort(np.concatenate([rng.random(199_000), 1 + rng.exponential(2.0, 1000)]))
    found = tail_probability(np.array([5.0, 11.0]), draws)
    np.testing.assert_allclose(found, 0.005 * np.exp([-2.0, -5.0]), rtol=0.2)


@pytest.mark.parametrize(
    ("sizes", "classes"),
    [
        ((80, 80, 80), [0, 1, 2]),
        ((79, 80, 80), [0, 0, 1]),
        ((80, 80, 79), [0, 1, 1]),
        ((100, 10, 100), [0, 1, 1]),
        ((100, 100, 10), [0, 1, 1]),
        ((10, 10, 10), [0, 0, 0]),
    ],
)
def test_words_of_like_spread_are_calibrated_together_and_thin_classes_join(sizes, classes):
    """With fifty permutations a class needs eighty words, and so do those above it."""
    spread = np.repeat([1.0, 4.0, 16.0], sizes)
    assert permutation_null._classes(spread, 50).tolist() == np.repeat(classes, sizes).tolist()


def test_a_word_in_step_with_the_tokens_has_no_evidence():
    tokens = np.arange(1.0, 21.0)
    null = PermutationNull(sp.csc_array(0.5 * tokens[:, None]), tokens, _ranks(20))
    assert null.evidence(null.energies(null.scores()))[0] == pytest.approx(0.0, abs=1e-6)


def test_words_that_few_units_carry_have_no_p_value_beyond_the_permutations():
    rng = np.random.default_rng(0)
    counts = rng.poisson(2.0, (400, 30)).astype(float)
    counts[:, 0] = 0
    counts[100:104, 0] = 30  # all of its uses in four neighbouring documents
    counts[:, 1] = 20 * (np.arange(400) < 200)  # in every document of the first half
    tokens = counts.sum(axis=1)
    null = PermutationNull(sp.csc_array(counts), tokens, _ranks(400))
    assert null.spread[0] < FEW_UNITS < null.spread[1]
    p_value = null.p_values(50, 0)
    assert p_value[0] == pytest.approx(1 / (1 + 50 * 30), rel=0.6)  # its class may contain fewer words than all
    assert p_value[0] >= 1 / (1 + 50 * 30)
    assert p_value[1] < 1e-8


def test_evidence_does_not_depend_on_the_unit_of_counting():
    """Energies far below one, and far above, are compared with their own moments."""
    _, counts, tokens, _ = _null(5, n_units=60)
    plain, small, large = (PermutationNull(counts * factor, tokens * factor, _ranks(60)) for factor in (1.0, 1e-3, 1e3))
    for scaled in (small, large):
        found, expected = (null.evidence(null.energies(null.scores())) for null in (scaled, plain))
        np.testing.assert_allclose(found, expected)
        deviation = np.sqrt(scaled.mean)
        np.testing.assert_allclose(deviation / deviation[0], np.sqrt(plain.mean) / np.sqrt(plain.mean)[0])


def test_excess_does_not_depend_on_the_unit_of_counting():
    period = np.repeat([0, 1, 2], 20)
    counts = np.random.default_rng(0).poisson(2.0 + 3.0 * (period == 1)[:, None], (60, 4)).astype(float)
    found = []
    for factor in (1.0, 1e-3):
        tokens = np.full(60, 50.0 * factor)
        null = PermutationNull(sp.csc_array(counts * factor), tokens, TimeFeatures.periods(period))
        found.append(null.excess(null.scores()))
    np.testing.assert_allclose(found[1], found[0])
    assert (found[0][:, 1] > found[0][:, [0, 2]].max(axis=1)).all()


def test_the_tail_begins_where_the_ranks_end():
    """The largest two hundredth of the draws, but never fewer than fifty, give the rate of decay."""
    draws = np.sort(np.random.default_rng(0).exponential(size=40_000))
    threshold = draws[-200]
    just_above, just_below = tail_probability(np.array([threshold + 1e-9, threshold - 1e-9]), draws)
    assert just_above == pytest.approx(0.005, rel=1e-6)
    assert just_below == pytest.approx(0.005, rel=0.02)
    mean = (draws[-200:] - threshold).mean()
    assert tail_probability(np.array([threshold + mean]), draws)[0] == pytest.approx(0.005 / np.e)
    few = draws[::400]
    assert tail_probability(few[-50:-49] + 1e-9, few)[0] == pytest.approx(50 / len(few), rel=1e-6)
    assert tail_probability(few[-51:-50], few)[0] == pytest.approx(52 / (1 + len(few)))


def test_large_classes_are_sampled_evenly_over_their_spread():
    spread = np.random.default_rng(0).permutation(1000).astype(float)
    chosen = permutation_null._spread_out(np.arange(1000), spread, np.ones(1000, dtype=np.int64))
    assert len(chosen) == 400
    np.testing.assert_array_equal(spread[chosen], np.linspace(0, 999, 400).astype(int))
    long = permutation_null._spread_out(np.arange(1000), spread, np.full(1000, 3000))
    assert len(long) == 100
    assert len(permutation_null._spread_out(np.arange(3), spread, np.full(1000, 10**9))) == 1
    assert len(permutation_null._spread_out(np.arange(0), spread, np.ones(1000, dtype=np.int64))) == 0


def test_evidence_of_many_permutations_at_once_is_that_of_each(monkeypatch):
    null = _null(2, n_units=30, n_words=40)[0]
    found = null.p_values(60, 0)
    monkeypatch.setattr(permutation_null, "_VALUES_AT_ONCE", 1)
    np.testing.assert_array_equal(null.p_values(60, 0), found)
