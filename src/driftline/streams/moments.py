"""Exact times: datetime64[us] in UTC, or floats. A model's float axis would round them."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Times
from driftline.core.days_of_dates import unchangeable
from driftline.core.times import TimeAxis, time_array


def exact_times(times: Times, *, n: int | None = None) -> np.ndarray:
    """Return checked times, one per document: read-only datetime64[us] for dates of any kind, float64 for numbers.

    >>> exact_times(["1790-01-08T12:00:00.000001", "1790-01-08T12:00+01:00"])
    array(['1790-01-08T12:00:00.000001', '1790-01-08T11:00:00.000000'], dtype='datetime64[us]')
    """
    axis = TimeAxis.of(times)
    if axis.kind == "number":
        return axis.values(times, n=n)
    dates = np.atleast_1d(time_array(times))
    if dates.dtype == "datetime64[us]":
        dates = unchangeable(dates)
    axis.values(dates, n=n)  # check before the conversion to microseconds, whose range some dates exceed
    return unchangeable(dates.astype("datetime64[us]", copy=False))
