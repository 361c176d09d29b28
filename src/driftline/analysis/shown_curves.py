"""Curves as findings store them: arrays, exactly as precise as JSON writes them, so that reading loses nothing.

Times are whole seconds, numbers have six digits, and NaN (null in JSON) marks times with too little data to draw the
curve. The number of observations at each time is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats
from driftline.core.times import isos
from driftline.smoothing.curve import Curve

JSON_FIELDS = ("times", "value", "lower", "upper", "level")
"""Names of the parts of a curve in JSON."""


def shown_curve(curve: Curve, *, scale: float = 1.0, row: int | None = None) -> Curve:
    """Return a curve (or one row of a bundle of curves), multiplied by `scale`, as precisely as findings store it."""

    def rounded(values: Floats) -> Floats:
        chosen = values if row is None else values[row]
        return np.array([float(f"{value:.6g}") for value in (chosen * scale).tolist()], dtype=np.float64)

    parts = [rounded(values) for values in (curve.value, curve.lower, curve.upper)]
    return _curve(curve.times, *parts, level=curve.level)


def curve_of_lists(
    times: Sequence[str],
    value: Sequence[float | None],
    lower: Sequence[float | None],
    upper: Sequence[float | None],
    level: float = 0.95,
) -> Curve:
    """Return the curve that JSON contains as lists, with ISO 8601 times in UTC.

    >>> curve_of_lists(["2003-03-20T05:34:00Z"], [None], [0.5], [1.5]).value
    array([nan])
    """
    seconds = [time.removesuffix("Z").removesuffix("+00:00") for time in times]
    parts = [np.array(values, dtype=np.float64) for values in (value, lower, upper)]
    return _curve(np.array(seconds, dtype="datetime64[s]"), *parts, level=level)


class CurveLists(TypedDict):
    """A curve as JSON represents it."""

    times: list[str]
    value: list[float | None]
    lower: list[float | None]
    upper: list[float | None]
    level: float


def lists_of_curve(curve: Curve, dates: list[str] | None = None) -> CurveLists:
    """Return a curve as JSON represents it; `dates` are its times as strings, if they have already been converted.

    >>> lists_of_curve(curve_of_lists(["2003-03-20T05:34:00Z"], [None], [0.5], [1.5]))["times"]
    ['2003-03-20T05:34:00Z']
    """
    values = (
        [None if np.isnan(value) else value for value in part.tolist()]
        for part in (curve.value, curve.lower, curve.upper)
    )
    value, lower, upper = values
    times = isos(curve.times) if dates is None else dates
    return {"times": times, "value": value, "lower": lower, "upper": upper, "level": curve.level}


def no_curve() -> Curve:
    """Return the curve of a stream that has too few documents for one: it has no points."""
    return curve_of_lists([], [], [], [])


def _curve(times: npt.ArrayLike, value: Floats, lower: Floats, upper: Floats, *, level: float) -> Curve:
    return Curve(np.asarray(times, dtype="datetime64[s]"), value, lower, upper, np.ones(len(value)), level)
