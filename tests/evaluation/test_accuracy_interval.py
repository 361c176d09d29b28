from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from driftline.core.errors import InvalidInput
from driftline.evaluation.accuracy_interval import accuracy_interval


def test_independent_answers_have_wilsons_interval():
    right = np.random.default_rng(0).random(2000) < 0.8
    expected = binomtest(int(right.sum()), 2000).proportion_ci(method="wilson")
    assert accuracy_interval(right, np.arange(2000)) == pytest.approx((expected.low, expected.high), abs=1e-3)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_intervals_cover_whether_or_not_days_are_right_together(shared):
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(300):
        unit = np.repeat(np.arange(30), rng.integers(1, 30, 30))
        of_day = rng.beta(0.7 / shared, 0.3 / shared, 30) if shared else np.full(30, 0.7)
        lower, upper = accuracy_interval(rng.random(len(unit)) < of_day[unit], unit)
        covered.append(lower <= 0.7 <= upper)
    assert 0.9 <= np.mean(covered) <= 0.99


def test_days_of_very_unequal_size_are_covered_too():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        unit = np.repeat(np.arange(50), rng.poisson(15 * rng.lognormal(-2, 2, 50)))
        lower, upper = accuracy_interval(rng.random(len(unit)) < rng.beta(16, 4, 50)[unit], unit)
        covered.append(lower <= 0.8 <= upper)
    assert 0.91 <= np.mean(covered) <= 0.98  # with the number of days less one as degrees of freedom: 0.84


def test_one_unit_says_nothing_and_all_right_counts_units():
    assert accuracy_interval(np.ones(50, dtype=bool), np.zeros(50)) == (0.0, 1.0)
    few, many = (accuracy_interval(np.ones(60, dtype=bool), np.arange(60) // size) for size in (20, 1))
    assert few[0] < 0.5 < 0.9 < many[0]
    assert few[1] == many[1] == 1.0


def test_levels_are_checked():
    with pytest.raises(InvalidInput, match="it is 95"):
        accuracy_interval(np.ones(3, dtype=bool), np.arange(3), level=95)
