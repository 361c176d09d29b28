from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.figures.thinning import as_curve, on_axis, resample, thin
from driftline.smoothing.curve import Curve

DAYS = np.arange("2003-01-01", "2013-01-01", dtype="datetime64[D]")


def test_a_long_curve_has_few_points_and_the_same_mean():
    value = np.random.default_rng(0).gamma(2, size=len(DAYS))
    curve = thin((DAYS, value, value - 1, value + 2), most_points=300)
    assert len(curve.times) == len(curve.value) == 300
    assert curve.value.mean() == pytest.approx(value.mean(), rel=0.01)
    np.testing.assert_allclose(curve.upper - curve.lower, 3)
    assert DAYS[0] <= curve.times[0] < curve.times[-1] <= DAYS[-1]
    assert (np.diff(curve.times) > np.timedelta64(0, "s")).all()


def test_a_short_curve_stays_as_it_is():
    given = Curve(np.arange(3.0), *(np.array([1.0, 2, 3]) + i for i in range(3)), np.ones(3), level=0.9)
    assert thin(given).value.tolist() == [1, 2, 3]
    assert thin(given).level == 0.9


def test_points_are_plain_or_curves():
    plain = as_curve(([0, 1], [5, 6]))
    assert plain.lower.tolist() == plain.upper.tolist() == [5, 6]
    assert as_curve(([0, 1], [5, 6], [4, 5], [6, 7])).upper.tolist() == [6, 7]


def test_resampling_goes_by_straight_lines():
    assert resample(([0.0, 10.0], [0.0, 1.0]), [2.5, 5.0]).tolist() == [0.25, 0.5]


def test_times_on_the_axis_are_as_short_as_they_can_be():
    assert on_axis([0.5, 1.0]) == [0.5, 1.0]
    assert on_axis(DAYS[:1]) == ["2003-01-01"]
    assert on_axis(np.array(["2003-01-01T10:30:20"], dtype="datetime64[s]")) == ["2003-01-01T10:30"]


def test_times_that_are_neither_are_refused():
    with pytest.raises(InvalidInput):
        on_axis([np.nan])
