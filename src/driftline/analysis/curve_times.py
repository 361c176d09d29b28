"""The times at which curves are drawn, and calendar steps for readable periods."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Datetimes

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
    span = float((times.max() - times.min()) / np.timedelta64(1, "us")) / 86_400e6
    for step, length in zip(READABLE_STEPS, _STEP_DAYS):
        if span / length <= at_most:
            return step
    return READABLE_STEPS[-1]


def iso(time: Any) -> str:
    """Return one time as ISO 8601 in UTC, to the second, with a Z: the format of times in findings.

    >>> iso(np.datetime64("2003-03-20T05:34:00"))
    '2003-03-20T05:34:00Z'
    """
    return str(np.datetime64(time, "s")) + "Z"


def isos(times: npt.ArrayLike) -> list[str]:
    """Return many times as `iso` does.

    >>> isos(["2003-03-20T05:34:00.5"])
    ['2003-03-20T05:34:00Z']
    """
    seconds: Datetimes = np.asarray(times, dtype="datetime64[s]")
    found: list[str] = np.datetime_as_string(seconds, unit="s", timezone="UTC").tolist()
    return found
