"""The times at which curves are drawn, and calendar steps for readable periods."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Datetimes
from driftline.core.times import days_between

READABLE_STEPS = ("1h", "6h", "1d", "1w", "1mo", "3mo", "1y", "5y", "10y", "25y", "100y")
_STEP_DAYS = (1 / 24, 1 / 4, 1, 7, 30.44, 91.3, 365.25, 1826, 3652, 9131, 36525)


def grid(times: Datetimes, n_points: int) -> Datetimes:
    """Return `n_points` equally spaced times from the first to the last (one, if they are the same)."""
    first, last = times.min().astype("datetime64[us]"), times.max().astype("datetime64[us]")
    if first == last:
        return np.array([first])
    offsets = np.linspace(0, (last - first).astype(np.int64), n_points).round().astype(np.int64)
    found: Datetimes = first + offsets.astype("timedelta64[us]")
    return found


def readable_step(times: Datetimes, *, at_most: int) -> str:
    """Return the finest calendar step that divides the span into about `at_most` periods or fewer.

    >>> readable_step(np.array(["2003-02-19", "2003-06-30"], dtype="datetime64[us]"), at_most=12)
    '1mo'
    """
    span = days_between(times.min(), times.max())
    for step, length in zip(READABLE_STEPS, _STEP_DAYS):
        if span / length <= at_most:
            return step
    return READABLE_STEPS[-1]
