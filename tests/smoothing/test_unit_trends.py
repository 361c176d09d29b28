"""Trends of values whose days share events: exact against every order, honest under whole-day shuffles, and alert."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from driftline.smoothing.unit_means import UnitSums
from driftline.smoothing.unit_trends import (
    two_sided_p_values,
    unit_changes,
    unit_precisions,
    unit_residuals,
    unit_trends,
)


def made_units(n=30, seed=0):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, n).astype(float)
    means = rng.normal(size=(n, 2)) + 0.1 * np.arange(n)[:, None] * [0, 1]
    return UnitSums(np.sort(rng.uniform(0, 100, n)), weight[:, None] * means, weight)


def test_p_values_are_those_of_all_orders():
    units = made_units(7)
    residuals = unit_residuals(units, unit_precisions(units))
    x = units.times - units.times.mean()
    every = np.abs(np.array([x[list(order)] @ residuals for order in permutations(range(7))]))
    exact = (every >= np.abs(x @ residuals) - 1e-9).mean(axis=0)
    np.testing.assert_allclose(unit_trends(units, n_permutations=6000).p_value, exact, atol=0.03)


def test_precisions_follow_how_much_a_unit_agrees_within():
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 200, 3000).astype(float)
    independent = np.sqrt(weight) * rng.normal(size=3000)
    shared = weight * rng.normal(size=3000)
    precision = unit_precisions(UnitSums(np.arange(3000.0), np.column_stack([independent, shared]), weight))
    light, heavy = weight < 20, weight > 180
    assert precision[heavy, 0].mean() == pytest.approx(precision[light, 0].mean(), rel=0.2)
    assert precision[heavy, 1].mean() < 0.15 * precision[light, 1].mean()


def test_residuals_sum_to_zero():
    units = made_units()
    np.testing.assert_allclose(unit_residuals(units, unit_precisions(units)).sum(axis=0), 0, atol=1e-9)


def test_lines_equal_weighted_least_squares_with_errors_by_unit():
    units = made_units()
    weight = units.weight * unit_precisions(units)[:, 1]
    span = min(np.ptp(units.times), np.sqrt(12 * np.cov(units.times, aweights=weight, ddof=0)))
    x = (units.times - units.times.min()) / span
    design = np.column_stack([np.ones(30), x])
    W = np.diag(weight)
    inverse = np.linalg.inv(design.T @ W @ design)
    mean = units.sums[:, 1] / units.weight
    beta = inverse @ design.T @ W @ mean
    hat = np.diag(design @ inverse @ design.T @ W)
    scores = (W @ design) * ((mean - design @ beta) / (1 - hat))[:, None]
    found = unit_trends(units, n_permutations=1)
    assert found.change[1] == pytest.approx(beta[1])
    assert found.error[1] == pytest.approx(np.sqrt((inverse @ scores.T @ scores @ inverse)[1, 1]))
    np.testing.assert_array_equal(unit_changes(units), found.change)


def test_events_of_days_and_reposts_are_not_a_trend():
    below = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        weight = 7.0 * np.ones(60)
        weight[rng.integers(0, 60, 3)] += 100  # days on which one text was posted a hundred times
        units = UnitSums(np.arange(60.0), weight[:, None] * rng.gamma(0.2, 1.0, (60, 5)), weight)
        below.append(unit_trends(units, n_permutations=199).p_value <= 0.05)
    assert np.mean(below) == pytest.approx(0.05, abs=0.035)


def test_a_few_early_units_do_not_lengthen_the_span_of_a_change():
    times = np.r_[0.0, 500.0, np.arange(1000.0, 1200.0)]
    share = np.r_[0.2, 0.2, np.repeat([0.2, 0.9], 100)]
    units = UnitSums(times, 10 * share[:, None], np.full(202, 10.0))
    slope = np.polyfit(times, share, 1)[0]
    found = unit_trends(units, n_permutations=1)
    assert found.change[0] == pytest.approx(slope * np.sqrt(12 * times.var()))
    assert 0.5 < found.change[0] < 1 < slope * np.ptp(times)


def test_a_trend_is_found():
    assert unit_trends(made_units(60)).p_value[1] < 0.01


def test_too_few_units_and_constant_values_are_accepted():
    few = UnitSums(np.arange(5.0), np.arange(5.0)[:, None], np.ones(5))
    assert unit_trends(few).p_value.tolist() == [1.0]
    constant = UnitSums(np.arange(20.0), np.ones((20, 1)), np.ones(20))
    assert unit_trends(constant).p_value.tolist() == [1.0]
    assert two_sided_p_values(np.array([1.0]), np.array([0.0]), 20).tolist() == [0.0]
