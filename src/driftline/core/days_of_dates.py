"""Days of arrays of dates, each array converted once.

Many routines take the times of the same documents. Each converts them itself, because it may be called alone; the days
of an array that cannot change (`unchangeable`) are kept for the next call.
"""

from __future__ import annotations

import weakref

import numpy as np

from driftline.core.arrays import Floats

MICROSECONDS_PER_DAY = 86_400_000_000
LAST_DAY = 2**63 / MICROSECONDS_PER_DAY
"""Number of days from 1970 to the last date of 64-bit microseconds."""
_known: dict[int, tuple[weakref.ref[np.ndarray], Floats]] = {}


def unchangeable(times: np.ndarray) -> np.ndarray:
    """Return the array if it is read-only and owns its values, and otherwise a read-only copy."""
    if times.flags.writeable or not times.flags.owndata:
        times = times.copy()
        times.flags.writeable = False
    return times


def days_of(dates: np.ndarray) -> Floats:
    """Return days since 1970; NaN for NaT, infinity beyond the range of microseconds."""
    if dates.flags.writeable or not dates.flags.owndata:
        return _converted(dates)
    key = id(dates)
    if key not in _known:
        _known[key] = weakref.ref(dates, lambda _: _known.pop(key, None)), _converted(dates)
    return _known[key][1].copy()


def _converted(dates: np.ndarray) -> Floats:
    sayable = np.abs(dates.astype("datetime64[Y]").astype(np.int64)) < LAST_DAY / 366
    # Some versions of NumPy refuse to convert what does not fit, others convert it to an arbitrary value
    microseconds = np.where(sayable, dates, np.zeros_like(dates)).astype("datetime64[us]").astype(np.int64)
    result = np.where(sayable, microseconds / MICROSECONDS_PER_DAY, np.inf)
    return np.where(np.isnat(dates), np.nan, result)
