"""The series of the findings as curves, as compact data for the page, and as small charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Times
from driftline.figures.band import rounded
from driftline.figures.thinning import AxisValue, drawn_runs, on_axis, thin
from driftline.smoothing.curve import Curve


class Drawing(NamedTuple):
    """The paths of a small SVG chart of a curve: its line, its band, and the truth if it is known."""

    line: str
    band: str
    truth: str
    peak_x: float
    peak_y: float
    top: float


def compact(curve: Curve, most_points: int) -> dict[str, Sequence[AxisValue | None]]:
    """Return a curve as short lists for the page: shortened dates, numbers with three digits."""
    if not len(curve.times):
        return {"times": [], "value": [], "lower": [], "upper": []}
    curve = thin(curve, most_points)
    return {
        "times": on_axis(curve.times),
        "value": _plain(curve.value),
        "lower": _plain(curve.lower),
        "upper": _plain(curve.upper),
    }


def _plain(values: npt.ArrayLike) -> list[float | None]:
    """Round to three digits; NaN becomes null, which JSON can represent."""
    return [value if math.isfinite(value) else None for value in rounded(values, 3)]


def drawing(curve: Curve, *, width: float, height: float, truth: Curve | None = None, points: int = 60) -> Drawing:
    """Draw a curve into a box: x over its time span, y from zero to its maximum; missing values are gaps."""
    if len(curve.times) < 2:
        return Drawing("", "", "", 0.0, 0.0, 0.0)
    curve = thin(curve, points)
    real = thin(truth, points) if truth is not None and len(truth.times) > 1 else None
    if np.isnan(curve.value).all():
        return Drawing("", "", "", 0.0, 0.0, 0.0)
    top = max(float(np.nanmax(curve.value)), float(real.value.max()) if real else 0.0, 1e-12)
    top = max(top, min(float(np.nanmax(curve.upper)), 1.3 * top))
    first, last = curve.times[0], curve.times[-1]

    def points_of(times: Times, values: Floats) -> list[str]:
        x = (times - first) / (last - first) * width
        y = height - np.clip(values / top, 0, 1) * (height - 1)
        return [f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist())]

    runs = [
        (points_of(curve.times[part], curve.value[part]), points_of(curve.times[part], curve.upper[part])
         + points_of(curve.times[part], curve.lower[part])[::-1])
        for part in drawn_runs(curve.value)
    ]  # fmt: skip
    highest = int(np.nanargmax(curve.value))
    (peak,) = points_of(curve.times[[highest]], curve.value[[highest]])
    peak_x, peak_y = (float(part) for part in peak.split())
    return Drawing(
        line="".join("M" + "L".join(line) for line, _ in runs),
        band="".join("M" + "L".join(around) + "Z" for _, around in runs),
        truth="M" + "L".join(points_of(real.times, real.value)) if real else "",
        peak_x=peak_x,
        peak_y=peak_y,
        top=top,
    )
