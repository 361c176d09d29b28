"""Fewer points than data: curves are averaged over short stretches before they are drawn, so figures stay light."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Times
from driftline.core.times import TimeAxis
from driftline.smoothing.curve import Curve

MOST_POINTS = 500


def as_curve(curve: Any) -> Curve:
    """Return a `Curve` for a Curve, or for plain ``(times, values)`` or ``(times, values, lower, upper)``.

    Without a band, `lower` and `upper` are the values themselves.
    """
    if isinstance(curve, Curve):
        return curve
    times, value, *band = curve
    value = np.asarray(value, dtype=np.float64)
    lower, upper = (np.asarray(side, dtype=np.float64) for side in band) if band else (value, value)
    return Curve(times, value, lower, upper, np.ones(len(value)))


def thin(curve: Any, most_points: int = MOST_POINTS) -> Curve:
    """Average runs of neighbouring points until at most `most_points` are left; ends and mean level stay.

    >>> thin((np.arange(6.0), np.arange(6.0)), most_points=3).value
    array([0.5, 2.5, 4.5])
    """
    curve = as_curve(curve)
    axis = TimeAxis.of(curve.times)
    times = axis.values(curve.times)
    if len(times) <= most_points:
        found: Curve = curve._replace(times=axis.restore(times))
        return found
    starts = np.linspace(0, len(times), most_points + 1).astype(int)[:-1]
    sizes = np.diff([*starts, len(times)])

    def mean(column: Any) -> np.ndarray:
        return np.add.reduceat(np.asarray(column, dtype=np.float64), starts) / sizes

    return Curve(
        times=axis.restore(mean(times)),
        value=mean(curve.value),
        lower=mean(curve.lower),
        upper=mean(curve.upper),
        effective_size=mean(curve.effective_size),
        level=curve.level,
    )


def drawn_stretches(values: npt.ArrayLike) -> list[slice]:
    """Return the runs of values that are numbers: a curve is undrawn (NaN) where there is too little data.

    >>> drawn_stretches([1.0, np.nan, 2.0, 3.0])
    [slice(0, 1, None), slice(2, 4, None)]
    """
    drawn = np.concatenate([[False], ~np.isnan(np.asarray(values, dtype=np.float64)), [False]])
    edges = np.flatnonzero(drawn[1:] != drawn[:-1])
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2])]


def resample(curve: Any, times: Times) -> np.ndarray:
    """Return the curve's values at other times (on the same kind of axis), by straight lines between its points."""
    curve = as_curve(curve)
    axis = TimeAxis.of(curve.times)
    found: np.ndarray = np.interp(axis.values(times), axis.values(curve.times), curve.value)
    return found


def on_axis(times: Times) -> list[Any]:
    """Return times as Plotly takes them: numbers as they are, dates as ISO strings no longer than needed.

    >>> on_axis(np.array(["2003-03-20T00:00", "2003-03-21T00:00"], dtype="datetime64[us]"))
    ['2003-03-20', '2003-03-21']
    """
    axis = TimeAxis.of(times)
    values = axis.restore(axis.values(times))
    if axis.kind == "number":
        found: list[Any] = values.tolist()
        return found
    whole_days = (values == values.astype("datetime64[D]")).all()
    found = np.datetime_as_string(values, unit="D" if whole_days else "m").tolist()
    return found
