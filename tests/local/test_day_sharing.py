"""Days that share events differ by more than independent documents explain, and slow drift does not count."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.local.day_sharing import day_ratios, day_sharing, typical_excess


def _stream(shared, seed=0, drift=0.0, n_days=120, n_words=200):
    rng = np.random.default_rng(seed)
    days = np.repeat(np.arange(n_days), 10)
    rates = np.full((n_days, n_words), 0.4) * (1 + drift * np.linspace(-1, 1, n_days))[:, None] ** np.arange(2).repeat(
        n_words // 2
    )
    if shared:
        rates = rates * rng.gamma(shared, 1 / shared, rates.shape)
    counts = sp.csc_array(rng.poisson(rates[days]).astype(float))
    return counts, np.asarray(counts.sum(axis=1)).ravel(), days


def test_one_for_independent_documents_even_when_they_drift():
    for drift in (0.0, 0.5):
        assert day_sharing(*_stream(0.0, drift=drift)) == pytest.approx(1.0, abs=0.03)


def test_more_for_shared_days_as_much_as_they_vary():
    """Rates of variance 1/2 add 4/2 to the variance of the four uses a day, and 0.4/2 to that of a document's 0.4."""
    assert day_sharing(*_stream(2.0)) == pytest.approx(3.0 / 1.2, rel=0.1)
    assert np.median(typical_excess(*_stream(2.0), 0)) == pytest.approx(3.0 / 1.2, rel=0.12)


def test_ratios_are_the_definition():
    counts, tokens, days = _stream(2.0, n_days=5, n_words=4)
    dense, share = counts.toarray(), counts.toarray().sum(axis=0) / tokens.sum()
    residual = dense - np.outer(tokens, share)
    n = np.bincount(days, weights=tokens)
    rate = np.array([residual[days == d].sum(axis=0) / n[d] for d in range(5)])
    spread = np.array([(residual[days == d] ** 2).sum(axis=0) / n[d] ** 2 for d in range(5)])
    expected = (np.diff(rate, axis=0) ** 2).sum(axis=0) / (spread[1:] + spread[:-1]).sum(axis=0)
    found = day_ratios(counts, tokens, days)
    np.testing.assert_allclose(found.ratio, expected)
    np.testing.assert_allclose(found.sensitivity, 2 * 4 * share**2 / (spread[1:] + spread[:-1]).sum(axis=0))


def test_a_few_words_with_events_do_not_move_what_is_typical():
    counts, _, days = _stream(0.0)
    burst = counts.toarray()
    burst[days == 60, :10] += 9
    excess = typical_excess(sp.csc_array(burst), burst.sum(axis=1), days, 0)
    assert np.median(excess) < 1.1
    assert day_ratios(sp.csc_array(burst), burst.sum(axis=1), days).ratio[:10].min() > 1.5


def test_one_day_no_words():
    counts, tokens, _ = _stream(0.0, n_days=3)
    assert (day_ratios(counts, tokens, np.zeros(30, dtype=int)).ratio == 1).all()
    assert len(typical_excess(counts[:, :0], tokens, np.zeros(30, dtype=int), 0)) == 0


def test_frequent_words_differ_by_more_than_rare_ones_whose_days_vary_alike():
    """All rates have a relative variance of 1/8 from day to day; what a word shows of it depends on its use."""
    rng = np.random.default_rng(4)
    days = np.repeat(np.arange(150), 10)
    rates = np.geomspace(2.0, 0.02, 400) * rng.gamma(8, 1 / 8, (150, 400))
    counts = rng.poisson(rates[days]).astype(float)
    excess = typical_excess(sp.csc_array(counts), counts.sum(axis=1), days, 0)
    per_day, per_document = 10 * np.geomspace(2.0, 0.02, 400), np.geomspace(2.0, 0.02, 400)
    expected = (1 + per_day / 8) / (1 + per_document / 8)  # what documents of one day share, each of them has, too
    for words in (slice(0, 100), slice(100, 200), slice(200, 400)):
        assert excess[words].mean() == pytest.approx(expected[words].mean(), rel=0.1)
