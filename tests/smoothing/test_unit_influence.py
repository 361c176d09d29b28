from __future__ import annotations

import numpy as np
import pytest

from driftline.smoothing.unit_influence import mean_influence, unit_errors


def test_the_influence_of_a_unit_is_the_change_when_it_is_left_out():
    rng = np.random.default_rng(0)
    sums, weight = rng.normal(size=(7, 3)), rng.uniform(1, 5, 7)
    influence = mean_influence(sums, weight)
    for u in range(7):
        kept = np.arange(7) != u
        without = sums[kept].sum(axis=0) / weight[kept].sum()
        np.testing.assert_allclose(influence[u], sums.sum(axis=0) / weight.sum() - without)


def test_units_without_weight_have_no_influence_and_the_only_unit_has_all():
    assert mean_influence(np.array([[1.0], [0.0]]), np.array([2.0, 0.0]))[:, 0].tolist() == [np.inf, 0.0]
    assert np.isnan(mean_influence(np.zeros((2, 1)), np.zeros(2))).all()


def test_intervals_of_equal_units_are_students():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(2000):
        values = rng.normal(size=(8, 1))
        found = unit_errors(mean_influence(values, np.ones(8)))
        covered.append(abs(values.mean()) <= found.half_width(0.95)[0])
    assert 0.93 <= np.mean(covered) <= 0.975


def test_an_estimate_that_one_unit_decides_has_few_degrees_of_freedom():
    influence = np.full((50, 1), 0.01)
    influence[0] = 5.0
    assert unit_errors(influence).freedom[0] < 2.1
    assert unit_errors(np.ones((50, 1))).freedom[0] == pytest.approx(49)


def test_an_unknown_error_gives_no_significance():
    assert unit_errors(np.array([[np.inf], [0.0]])).p_values(np.array([1.0]))[0] == 1.0
