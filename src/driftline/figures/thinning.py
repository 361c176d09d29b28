"""Thinning of curves: they are averaged over short intervals before drawing, so that figures stay small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Instant, time_array
from driftline.smoothing.curve import Curve

CurveLike: TypeAlias = Curve | tuple[npt.ArrayLike, ...]
"""A `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``."""
Curves: TypeAlias = Mapping[str, CurveLike]
"""Name → curve."""

MOST_POINTS = 500


def as_curve(curve: CurveLike) -> Curve:
    """Return a `Curve` for a Curve, or for plain ``(times, values)`` or ``(times, values, lower, upper)``.

    Without a band, `lower` and `upper` are the values themselves.
    """
    if isinstance(curve, Curve):
        return curve._replace(times=as_times(curve.times))
    times, value, *band = curve
    value = np.asarray(value, dtype=np.float64)
    lower, upper = (np.asarray(side, dtype=np.float64) for side in band) if band else (value, value)
    return Curve(as_times(times), value, lower, upper, np.ones(len(value)))


def as_times(times: Times) -> np.ndarray:
    """Return times as an array of numbers or of datetime64; such arrays are returned unchanged. All must be finite."""
    found = times if isinstance(times, np.ndarray) and times.dtype.kind in "ifM" else time_array(times)
    if not np.isfinite(found).all():
        raise InvalidInput("a figure needs the times of all points; leave out points that have none")
    return found


def thin(curve: CurveLike, most_points: int = MOST_POINTS) -> Curve:
    """Average runs of neighbouring points until at most `most_points` are left; the ends and the mean are preserved.

    >>> thin((np.arange(6.0), np.arange(6.0)), most_points=3).value
    array([0.5, 2.5, 4.5])
    """
    whole = as_curve(curve)
    if len(whole.times) <= most_points:
        return whole
    starts = np.linspace(0, len(whole.times), most_points + 1).astype(int)[:-1]
    sizes = np.diff([*starts, len(whole.times)])

    def mean(column: Floats) -> Floats:
        found: Floats = np.add.reduceat(column, starts) / sizes
        return found

    first = whole.times[0]
    return Curve(
        times=later(first, mean(since(first, whole.times))),
        value=mean(whole.value),
        lower=mean(whole.lower),
        upper=mean(whole.upper),
        effective_size=mean(whole.effective_size),
        level=whole.level,
    )


def in_per_cent(curve: Curve) -> Curve:
    """Return a curve of shares between zero and one in per cent."""
    return curve._replace(value=100 * curve.value, lower=100 * curve.lower, upper=100 * curve.upper)


def since(first: Any, times: Times) -> Floats:
    """Return the differences of times from `first`: numbers as numbers, dates in microseconds.

    >>> since(np.datetime64("2003-03-20"), np.array(["2003-03-21"], dtype="datetime64[s]"))
    array([8.64e+10])
    """
    later_by: np.ndarray = times - first
    return (later_by.astype("timedelta64[us]") if later_by.dtype.kind == "m" else later_by).astype(np.float64)


def later(first: Instant, by: Floats) -> np.ndarray:
    """Return the times that are later than `first` by the numbers that `since` returns."""
    if isinstance(first, np.datetime64):
        return np.asarray(first.astype("datetime64[us]") + by.round().astype("timedelta64[us]"))
    return np.asarray(first + by)


def drawn_runs(values: npt.ArrayLike) -> list[slice]:
    """Return the runs of values that are numbers: a curve is NaN where there is too little data.

    >>> drawn_runs([1.0, np.nan, 2.0, 3.0])
    [slice(0, 1, None), slice(2, 4, None)]
    """
    drawn = np.concatenate([[False], ~np.isnan(np.asarray(values, dtype=np.float64)), [False]])
    edges = np.flatnonzero(drawn[1:] != drawn[:-1])
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2])]


def resample(curve: CurveLike, times: Times) -> Floats:
    """Return the curve's values at other times (on the same kind of axis), by linear interpolation."""
    curve, times = as_curve(curve), as_times(times)
    first = curve.times[0]
    found: Floats = np.interp(since(first, times), since(first, curve.times), curve.value)
    return found


AxisValue: TypeAlias = float | str
"""A time as Plotly takes it: a number, or a date as a string."""


def on_axis(times: Times) -> list[AxisValue]:
    """Return times for Plotly: numbers unchanged, dates as short ISO strings.

    >>> on_axis(np.array(["2003-03-20T00:00", "2003-03-21T00:00"], dtype="datetime64[us]"))
    ['2003-03-20', '2003-03-21']
    """
    values = as_times(times)
    if values.dtype.kind != "M":
        found: list[AxisValue] = values.astype(np.float64).tolist()
        return found
    whole_days = (values == values.astype("datetime64[D]")).all()
    found = np.datetime_as_string(values, unit="D" if whole_days else "m", casting="unsafe").tolist()
    return found
