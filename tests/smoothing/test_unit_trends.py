"""Trends of values whose days share events: exact against every order, honest under whole-day shuffles, and alert."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from driftline.smoothing.unit_trends import trend_p_values, unit_residuals


def test_p_values_are_those_of_all_orders():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(7), [1, 4, 2, 3, 1, 5, 2])
    values = rng.normal(size=(len(unit), 2)) + 0.3 * unit[:, None] * [0, 1]
    place = np.array([0.0, 1, 2, 4, 5, 9, 10])
    residuals = unit_residuals(values, unit, 7)
    x = place - place.mean()
    every = np.abs(np.array([x[list(order)] @ residuals for order in permutations(range(7))]))
    exact = (every >= np.abs(x @ residuals) - 1e-9).mean(axis=0)
    np.testing.assert_allclose(trend_p_values(values, unit, place, n_permutations=6000), exact, atol=0.03)


def test_residuals_are_those_of_the_definition():
    unit = np.array([0, 0, 1, 1, 1, 2])
    value = np.array([1.0, 3.0, 0.0, 1.0, 2.0, 5.0])
    e = value - 2.0
    k = (e**2).sum() / 6
    E = np.array([e[:2].sum(), e[2:5].sum(), e[5]])
    phi = max((E**2).sum() - (e**2).sum(), 0) / (4 + 9 + 1)
    assert phi > 0
    w = 1 / (k + phi * np.array([2, 3, 1]))
    s = (w @ [4, 3, 5]) / (w @ [2, 3, 1])
    expected = w / w.mean() * (np.array([4, 3, 5]) - s * np.array([2, 3, 1]))
    np.testing.assert_allclose(unit_residuals(value[:, None], unit, 3)[:, 0], expected)
    assert unit_residuals(value[:, None], unit, 3).sum() == pytest.approx(0)


def test_events_of_days_and_reposts_are_no_trend():
    rng = np.random.default_rng(0)
    below = []
    for _ in range(40):
        unit = np.sort(rng.integers(0, 60, 400))
        unit = np.concatenate([unit, np.repeat(rng.integers(0, 60, 3), 100)])  # three texts posted a hundred times
        shared = rng.gamma(0.2, 1.0, (60, 5))[unit]
        below.append(trend_p_values(shared, unit, np.arange(60.0), n_permutations=199) <= 0.05)
    assert np.mean(below) == pytest.approx(0.05, abs=0.035)


def test_too_few_units_and_constant_values_are_no_surprise():
    assert trend_p_values(np.arange(5.0)[:, None], np.arange(5), np.arange(5.0)).tolist() == [1.0]
    assert trend_p_values(np.ones((20, 1)), np.arange(20), np.arange(20.0)).tolist() == [1.0]
    assert trend_p_values(np.ones((20, 0)), np.arange(20), np.arange(20.0)).tolist() == []
