"""The times at which curves are drawn, and calendar steps for readable periods."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from driftline.analysis.shown_evidence import Series
from driftline.core.arrays import Datetimes, Floats
from driftline.smoothing.curve import Curve

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


def isos(times: Any) -> list[str]:
    """Return many times as ISO 8601 in UTC; the curves of a report share them, so they are formatted once."""
    return list(_isos(np.asarray(times, dtype="datetime64[us]").tobytes()))


@lru_cache(maxsize=16)
def _isos(microseconds: bytes) -> tuple[str, ...]:
    return tuple(iso(time) for time in np.frombuffer(microseconds, dtype="datetime64[us]"))


def series(curve: Curve, *, scale: float = 1.0, row: int | None = None) -> Series:
    """Turn a curve (or one row of a bundle of curves) into plain data, multiplied by `scale`; NaN becomes None."""

    def plain(values: Floats) -> list[float | None]:
        chosen = values if row is None else values[row]
        return [None if np.isnan(value) else float(f"{value * scale:.6g}") for value in chosen]

    return Series(isos(curve.times), plain(curve.value), plain(curve.lower), plain(curve.upper), curve.level)
