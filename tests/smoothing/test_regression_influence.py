from __future__ import annotations

import numpy as np
import pytest

from driftline.smoothing import regression_influence
from driftline.smoothing.regression_influence import UnitDesign, combination_errors
from driftline.smoothing.unit_influence import welch_freedom


def regression(n=60, n_units=14, seed=0):
    rng = np.random.default_rng(seed)
    Z = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, n)])
    unit = np.sort(rng.integers(0, n_units, n)) if n_units < n else np.arange(n)
    unit = rng.permutation(np.unique(unit, return_inverse=True)[1])
    return Z, rng.uniform(0.5, 4.0, n), unit, rng.normal(size=(n, 2))


def fitted(Z, weight, y):
    return np.linalg.solve((Z * weight[:, None]).T @ Z, (Z * weight[:, None]).T @ y)


def design_of(Z, weight, unit):
    return UnitDesign.of(Z, weight, unit, np.linalg.inv((Z * weight[:, None]).T @ Z))


@pytest.mark.parametrize("n_units", [14, 60])
@pytest.mark.parametrize("at_once", [3, 4096])
def test_influence_is_the_change_of_a_fit_without_the_unit(n_units, at_once, monkeypatch):
    monkeypatch.setattr(regression_influence, "AT_ONCE", at_once)
    Z, weight, unit, y = regression(n_units=n_units)
    beta = fitted(Z, weight, y)
    found = design_of(Z, weight, unit).influence(np.sqrt(weight)[:, None] * (y - Z @ beta))
    for u in range(unit.max() + 1):
        others = unit != u
        np.testing.assert_allclose(found[u], beta - fitted(Z[others], weight[others], y[others]), atol=1e-10)


@pytest.mark.parametrize("n_units", [14, 60])
def test_freedom_is_that_of_the_complete_matrix(n_units, monkeypatch):
    monkeypatch.setattr(regression_influence, "AT_ONCE", 5)
    Z, weight, unit, _ = regression(n_units=n_units)
    n, combinations = len(Z), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.5, 0.3]])
    M = (Z * weight[:, None]).T @ Z
    remaining = np.eye(n) - Z @ np.linalg.inv(M) @ (Z * weight[:, None]).T
    expected = []
    for c in combinations:
        G = []
        for u in range(unit.max() + 1):
            own = np.where(unit == u, weight, 0.0)[:, None] * Z
            G.append(np.linalg.solve(M - own.T @ Z, c) @ own.T @ remaining / np.sqrt(weight))
        Q = np.array(G) @ np.array(G).T
        expected.append(np.trace(Q) ** 2 / (Q**2).sum())
    np.testing.assert_allclose(design_of(Z, weight, unit).freedom(combinations), expected, rtol=1e-8)


def test_the_difference_of_two_groups_has_the_freedom_of_welch():
    group = np.repeat([0.0, 1.0], [4, 9])
    Z = np.column_stack([np.ones(13), group])
    found = design_of(Z, np.ones(13), np.arange(13)).freedom(np.array([[0.0, 1.0]]))
    expected = welch_freedom(np.array([1 / 3]), 4, np.array([1 / 8]), 9)
    np.testing.assert_allclose(found, expected)


def test_a_unit_that_alone_determines_a_column_is_found():
    Z, weight, unit, _ = regression(n_units=14)
    Z[:, 2] = unit == 5
    assert design_of(Z, weight, unit).alone() == (5, 2)
    Z[:, 2] = (unit == 5) | (unit == 6)
    assert design_of(Z, weight, unit).alone() is None
    single = np.column_stack([np.ones(20), np.arange(20) == 7]).astype(float)
    assert design_of(single, np.ones(20), np.arange(20)).alone() == (7, 1)


def test_errors_have_no_more_freedom_than_is_given():
    influence = np.random.default_rng(0).normal(size=(30, 2))
    found = combination_errors(influence, np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([3.0, 1e9]))
    assert found.error[0] == pytest.approx(np.sqrt((influence.sum(axis=1) ** 2).sum()))
    assert found.freedom[0] == 3.0
    assert 3.0 < found.freedom[1] < 30
