"""Words of periods: found where they are, not where days share events."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.local.changed_words.period_contrast import set_apart
from driftline.local.changed_words.permutation_null import PermutationNull
from driftline.local.changed_words.time_features import TimeFeatures


def _stream(seed, shared, changed=0):
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(120), rng.integers(2, 30, 120))
    rates = np.full((120, 200), 0.3)
    rates[40:60, :changed] *= 3
    if shared:
        rates *= rng.gamma(1 / shared, shared, rates.shape)
    return rng.poisson(rates[day]), day


@pytest.mark.parametrize(("shared", "least"), [(0.0, 10), (1.0, 4)])
def test_words_of_a_period_are_named_in_it_and_nowhere_else(shared, least):
    X, day = _stream(0, shared, changed=10)
    called = set_apart(X, day, day // 20) <= 0.05
    assert called[:10, 2].sum() >= least
    called[:10, 2] = False
    assert called.sum() <= 1


def test_events_of_days_set_no_period_apart():
    claims = [(set_apart(X, day, day // 20) <= 0.05).sum() for X, day in (_stream(seed, 1.0) for seed in range(5))]
    assert sum(claims) <= 1
    X, day = _stream(0, 1.0)
    assert (set_apart(X, np.arange(len(day)), day // 20) <= 0.05).sum() > 100  # as if documents were independent


def test_scores_are_sums_of_residuals_by_period_and_their_variance_that_of_all_orders():
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, (6, 3)).astype(float)
    tokens = np.full(6, 9.0)
    period = np.array([0, 0, 1, 1, 1, 2])
    null = PermutationNull(sp.csc_array(counts), tokens, TimeFeatures.periods(period))
    residuals = counts - counts.mean(axis=0)
    expected = np.stack([residuals[period == p].sum(axis=0) for p in range(3)], axis=1)
    np.testing.assert_allclose(null.scores(), expected, atol=1e-12)
    orders = [null.scores(rng.permutation(6)) for _ in range(4000)]
    np.testing.assert_allclose(null.mean.T, np.mean(np.square(orders), axis=0), rtol=0.1)


def test_nothing_to_compare_is_an_answer():
    assert (set_apart(np.ones((3, 2)), np.arange(3), np.array([0, 0, 1])) == 1).all()
    assert (set_apart(np.ones((30, 2)), np.arange(30), np.zeros(30, dtype=int)) == 1).all()
    assert set_apart(np.ones((30, 2)), np.arange(30), np.arange(30) // 10, min_documents=99).min() == 1


def test_words_in_too_few_documents_and_streams_of_too_few_units_have_the_rate_one():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(60), 4)
    X = np.column_stack([rng.poisson(9.0, 240), rng.poisson(0.1 + 4 * (day >= 30)), np.zeros(240), np.zeros(240)])
    X[235:, 2] = 3  # in five documents, all at the end
    X[236:, 3] = 3  # in four
    rates = set_apart(X, day, day // 30)
    assert rates.shape == (4, 2)
    assert rates[1, 1] < 0.05
    assert rates[2, 1] < 1
    assert (rates[3] == 1).all()
    assert (set_apart(X, day, day // 30, min_documents=4)[3] < 1).any()
    for n_units, decided in ((3, False), (4, True)):
        few = np.arange(240) * n_units // 240
        assert (set_apart(X, few, few // 2) < 1).any() == decided


def test_one_period_has_nothing_to_be_compared_with():
    X = np.random.default_rng(0).poisson(2.0, (40, 3))
    assert (set_apart(X, np.arange(40), np.zeros(40, dtype=np.int64)) == 1).all()
