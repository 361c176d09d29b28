import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from driftline.core.errors import InvalidInput
from driftline.smoothing.unit_mean import unit_mean


def test_single_values_as_units_give_the_usual_interval():
    values = np.random.default_rng(0).normal(size=50)
    usual = ttest_1samp(values, 0.0).confidence_interval(0.9)
    found = unit_mean(values, np.arange(50), level=0.9)
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high))


def test_correlated_values_widen_it_and_it_covers():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        day = np.repeat(np.arange(40), 6)
        values = rng.normal(size=40)[day] + rng.normal(size=240)
        low, high = unit_mean(values, day)[1:]
        inside += low <= 0 <= high
    assert 0.91 <= inside / 300 <= 0.98


def test_too_few_units_say_nothing():
    assert unit_mean(np.ones(3), np.zeros(3, dtype=int)) == (1.0, -math.inf, math.inf)
    assert math.isnan(unit_mean(np.empty(0), np.empty(0, dtype=int)).mean)


def test_levels_are_checked():
    with pytest.raises(InvalidInput, match="it is 95"):
        unit_mean(np.ones(3), np.arange(3), level=95)
