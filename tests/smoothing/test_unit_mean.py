import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from driftline.core.errors import InvalidInput
from driftline.smoothing.unit_mean import unit_mean


def test_single_values_as_units_give_the_usual_interval_with_each_value_as_if_left_out():
    values = np.random.default_rng(0).uniform(size=50)
    usual = ttest_1samp(values, 0.0).confidence_interval(0.9)
    found = unit_mean(values, np.arange(50), level=0.9)
    assert found.mean == pytest.approx(values.mean())
    assert found.high - found.low == pytest.approx(np.sqrt(50 / 49) * (usual.high - usual.low))


def test_correlated_values_widen_it_and_it_covers():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        day = np.repeat(np.arange(40), 6)
        values = rng.normal(size=40)[day] + rng.normal(size=240)
        low, high = unit_mean(values, day)[1:]
        inside += low <= 0 <= high
    assert 0.91 <= inside / 300 <= 0.98


def test_days_of_very_unequal_size_are_covered_too():
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        day = np.repeat(np.arange(20), 1 + rng.poisson(15 * rng.lognormal(-1.1, 1.5, 20)))
        low, high = unit_mean(rng.normal(size=20)[day] + rng.normal(size=len(day)), day)[1:]
        inside += low <= 0 <= high
    assert 0.92 <= inside / 400 <= 0.98  # with G - 1 degrees of freedom: 0.84


def test_too_few_units_say_nothing():
    assert unit_mean(np.ones(3), np.zeros(3, dtype=int)) == (1.0, -math.inf, math.inf)
    assert math.isnan(unit_mean(np.empty(0), np.empty(0, dtype=int)).mean)


def test_levels_are_checked():
    with pytest.raises(InvalidInput, match="it is 95"):
        unit_mean(np.ones(3), np.arange(3), level=95)
