"""From times to gaps, the input of the intensity models."""

from __future__ import annotations

from numbers import Real
from typing import Literal, NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput

TimeKind = Literal["gap", "operational", "index"]
LOCAL = 50
"""Number of neighbouring gaps whose mean defines operational time."""


class Gaps(NamedTuple):
    """The gap before each document in mean gaps (zero before the first), and the mean gap on the time axis."""

    gaps: Floats
    mean: float


def gaps_between(moments: Floats, kind: TimeKind = "gap", clip: tuple[float, float] | None = None) -> Gaps:
    """Return the gaps before sorted times, in units of their mean.

    "gap" uses them unchanged; "operational" divides each by the local mean gap, so that gaps in the collection and
    nights do not look like inactivity; "index" counts documents. `clip` bounds the result on both sides.

    >>> gaps_between(np.array([0.0, 1.0, 2.0, 5.0])).gaps
    array([0. , 0.6, 0.6, 1.8])
    >>> gaps_between(np.array([0.0, 1.0, 2.0, 5.0]), "index").gaps
    array([0., 1., 1., 1.])
    """
    n = len(moments)
    gaps = np.diff(moments, prepend=moments[:1])
    mean = float(gaps[1:].mean()) if n > 1 else 0.0
    if mean <= 0:
        mean = 1.0
    if kind == "index":
        gaps = np.minimum(np.arange(n, dtype=np.float64), 1.0)
    elif kind == "operational":
        gaps = _over_local_mean(gaps)
    else:
        gaps = gaps / mean
    if clip is not None:
        least, most = _bounds(clip)
        gaps[1:] = np.clip(gaps[1:], least, most)
    return Gaps(gaps, mean)


def _bounds(clip: tuple[float, float]) -> tuple[float, float]:
    if len(clip) != 2 or not all(isinstance(bound, Real) for bound in clip) or not 0 <= clip[0] <= clip[1]:
        raise InvalidInput(f"bounds on gaps are two numbers (least, most), 0 ≤ least ≤ most, not {clip!r}")
    return clip


def _over_local_mean(gaps: Floats) -> Floats:
    n = len(gaps)
    if n < 2:
        return np.zeros(n)
    sums = np.concatenate([[0.0], np.cumsum(gaps)])
    first = np.clip(np.arange(n) - LOCAL // 2, 1, max(1, n - LOCAL))
    last = np.minimum(n, first + LOCAL)
    local = (sums[last] - sums[first]) / (last - first)
    found: Floats = np.divide(gaps, local, out=np.zeros(n), where=local > 0)
    return found
