from __future__ import annotations

import numpy as np
import pytest

from driftline.smoothing.unit_influence import difference_errors, mean_influence, unit_errors, welch_freedom


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


def test_the_difference_of_sets_has_welchs_degrees_of_freedom():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=5), rng.normal(size=9)
    first, second = np.zeros((14, 1)), np.zeros((14, 1))
    first[:5], second[5:] = mean_influence(a[:, None], np.ones(5)), mean_influence(b[:, None], np.ones(9))
    found = welch_freedom((first**2).sum(axis=0), 5, (second**2).sum(axis=0), 9)
    variance = [a.var(ddof=1) / 5 * 5 / 4, b.var(ddof=1) / 9 * 9 / 8]  # of a unit that is left out
    assert found[0] == pytest.approx(sum(variance) ** 2 / (variance[0] ** 2 / 4 + variance[1] ** 2 / 8))
    assert difference_errors(first, second, (5.0, 9.0)).freedom[0] <= found[0]


@pytest.mark.parametrize(("n_a", "n_b"), [(2, 30), (3, 30), (4, 4), (10, 10)])
def test_few_units_that_happen_to_agree_are_not_significant(n_a, n_b):
    """Smaller p-values than 0.002 come two times in a thousand, also where two units agree by chance."""
    rng = np.random.default_rng(3)
    small = []
    for _ in range(3000):
        values = rng.normal(size=(n_a + n_b, 1))
        first, second = np.zeros_like(values), np.zeros_like(values)
        first[:n_a], second[n_a:] = (
            mean_influence(values[:n_a], np.ones(n_a)),
            mean_influence(values[n_a:], np.ones(n_b)),
        )
        difference = values[:n_a].mean(axis=0) - values[n_a:].mean(axis=0)
        small.append(difference_errors(first, second, (float(n_a), float(n_b))).p_values(difference)[0] < 0.002)
    assert np.mean(small) < 0.005
