from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.guide_arrays import Bounds
from driftline.inference.projection import (
    Multipliers,
    better_multipliers,
    group_shares,
    multipliers_of,
    next_multipliers,
    project,
    worth_of,
)
from tests.oracles.guidance import projected_mean


def posteriors(n=40, n_topics=3, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_topics, 0.5), n)


@pytest.mark.parametrize(("low", "high"), [(0.6, 0.7), (0.0, 0.1), (0.5, 0.5), (0.0, 1.0)])
def test_projection_equals_a_fine_grid_of_multipliers(low, high):
    p = posteriors()
    bounds = Bounds(np.array([[0.0, low, 0.0]]), np.array([[1.0, high, 1.0]]), np.zeros(40, dtype=np.int64))
    found = project(np.log(p), bounds)
    np.testing.assert_allclose(found.posterior, projected_mean(p, low, high, 1), atol=2e-3)


def test_bounds_of_several_topics_and_groups_hold():
    p, rng = posteriors(90), np.random.default_rng(1)
    groups, weights = rng.integers(0, 3, 90), rng.uniform(0.5, 2.0, 90)
    low, high = np.tile([0.2, 0.3, 0.1], (3, 1)), np.tile([0.25, 0.35, 1.0], (3, 1))
    found = project(np.log(p), Bounds(low, high, groups), weights)
    for group in range(3):
        rows = groups == group
        mean = weights[rows] @ found.posterior[rows] / weights[rows].sum()
        assert (mean >= low[group] - 1e-4).all()
        assert (mean <= high[group] + 1e-4).all()
    assert found.value >= 0, "a divergence"


def test_bounds_of_overlapping_sets_hold_and_need_no_more_than_they_ask_for():
    p, rng = posteriors(400), np.random.default_rng(3)
    month, weights = rng.integers(0, 4, 400), rng.uniform(0.5, 2.0, 400)
    low, high = np.zeros((5, 3)), np.ones((5, 3))
    low[0], high[0, 1] = [0.45, 0.0, 0.0], 0.3  # of all documents
    low[1:, 2] = 0.2  # of every month
    sets = np.vstack([np.zeros(4, dtype=np.int64), 1 + np.arange(4)])
    bounds = Bounds(low, high, month, sets)
    found = project(np.log(p), bounds, weights)
    shares = group_shares(found.posterior, bounds, weights)
    assert (shares >= low - 1e-4).all()
    assert (shares <= high + 1e-4).all()
    assert (shares[1:, 0] < 0.45 - 1e-3).any(), "a bound of all documents does not hold in every month"
    weighted = -weights @ np.log((p * np.exp(-bounds.by_group(found.multipliers))[month]).sum(axis=1))
    assert weighted - worth_of(found.multipliers, bounds, weights) == pytest.approx(found.value)
    assert weights @ (found.posterior * np.log(found.posterior / p)).sum(axis=1) == pytest.approx(found.value, abs=1e-3)


def test_the_gradient_is_that_of_finite_differences():
    p, low, high = posteriors(), np.array([0.0, 0.5, 0.0]), np.array([0.2, 1.0, 1.0])
    best, value = multipliers_of(p, low, high, np.ones(40), np.zeros(3))

    def dual(multipliers):
        worth = np.where(multipliers > 0, multipliers * high, multipliers * low).sum()
        return -np.log((p * np.exp(-multipliers)).sum(axis=1)).sum() - 40 * worth

    assert dual(best) == pytest.approx(value)
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert dual(best + rng.normal(0, 0.1, 3) * (best != 0)) <= value + 1e-6


def test_multipliers_vanish_where_the_words_respect_the_bounds():
    counts, lengths = posteriors() * 30, np.full(40, 30.0)
    share = counts.sum(axis=0) / counts.sum()
    bounds = Bounds(np.array([share - 0.05]).clip(0), np.array([share + 0.05]), np.zeros(40, dtype=np.int64))
    np.testing.assert_allclose(better_multipliers(counts, np.zeros((1, 3)), bounds, lengths), 0.0, atol=1e-6)
    present = np.array([[0.0, 1.0, 0.0]])
    seen = counts * np.exp(-present[0])
    seen *= 30 / seen.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(better_multipliers(seen, present, bounds, lengths), 0.0, atol=1e-3)


def test_multipliers_of_documents_that_follow_them_converge_to_the_bounds():
    rng = np.random.default_rng(2)
    base = rng.dirichlet(np.full(3, 0.7), 200)
    bounds, lengths = Bounds(np.array([[0.5, 0.0, 0.0]]), np.ones((1, 3)), np.zeros(200, dtype=int)), np.full(200, 30.0)

    def counts(multipliers):
        """Return counts that respond as to the third power of e^−λ: shares of documents follow their words."""
        odds = base * np.exp(-3 * multipliers[0])
        return 30 * odds / odds.sum(axis=1, keepdims=True)

    found = Multipliers.none(bounds)
    assert found.outside == np.inf
    for _ in range(40):
        found = next_multipliers(counts(found.values), found, bounds, lengths)
    assert found.outside < 1e-4
    np.testing.assert_allclose(found.shares[0, 0], 0.5, atol=1e-4)
    plain = np.zeros((1, 3))
    for _ in range(40):
        plain = better_multipliers(counts(plain), plain, bounds, lengths)
    assert abs(counts(plain)[:, 0].mean() / 30 - 0.5) > 0.05, "whole steps oscillate"
