"""The times at which a local model is fitted, and the fits used for a requested time.

A local fit is expensive, so it is made at grid times a fraction of a bandwidth apart. A two-sided model between two
grid times is interpolated. A past-only model must not use data after the requested time, so it is that of the last grid
time at or before it. Grid times far from any document are omitted; after the last document, the model of that document
is used.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration, TimeAxis
from driftline.smoothing.kernels import Kernel

FEWEST_DOCUMENTS = 30
"""Default minimum number of documents in the mean window of a candidate bandwidth."""

MOST_HALVINGS = 9
"""Number of halvings of the span that give the smallest candidate."""


class Blend(NamedTuple):
    """Grid times of a blend: the model is (1 - share) of `left` plus share of `right`."""

    left: Ints
    right: Ints
    share: Floats


def grid_times(times: Floats, kernel: Kernel, bandwidth: float, points: int, anchor: float) -> Floats:
    """Return the grid, `points` per bandwidth, starting at `anchor`, around the documents at the sorted `times`.

    A past-only grid has one more time just after the newest document, where all documents count.
    """
    step = bandwidth / points
    cells = np.unique(np.floor((times - anchor) / step))
    reach = math.ceil(kernel.support * points)
    offsets = np.arange(0, reach + 1) if kernel.side == "past" else np.arange(-reach, reach + 2)
    grid = np.unique(anchor + np.unique(cells[:, None] + offsets) * step)
    if kernel.side == "past":
        grid = np.union1d(grid, just_after(times[-1]))
    return grid[np.isfinite(grid)]


def just_after(time: float) -> float:
    """Return the next number: the first time at which a document of `time` lies in the past."""
    return float(np.nextafter(time, np.inf))


def windows(times: Floats, kernel: Kernel, bandwidth: float, at: Floats) -> list[tuple[int, int]]:
    """Return the range of documents (of the sorted `times`) that can have positive weight at each time.

    >>> windows(np.arange(9.0), Kernel("triangular"), 2.0, np.array([0.0, 4.0]))
    [(0, 3), (2, 7)]
    """
    reach = kernel.support * bandwidth
    first = np.searchsorted(times, at - reach, side="left")
    last = np.searchsorted(times, at, "left") if kernel.side == "past" else np.searchsorted(times, at + reach, "right")
    return list(zip(first.tolist(), last.tolist()))


def window(times: Floats, kernel: Kernel, bandwidth: float, at: float) -> tuple[int, int]:
    """Return the range of documents (of the sorted `times`) with positive weight at one time."""
    return windows(times, kernel, bandwidth, np.array([at]))[0]


def has_support(times: Floats, kernel: Kernel, bandwidth: float, when: Floats) -> Bools:
    """Return for every requested time whether any document (of the sorted `times`) has positive weight there."""
    if len(times) == 0:
        return np.zeros(len(when), dtype=bool)
    reach = kernel.support * bandwidth
    if kernel.side == "past":
        after = np.searchsorted(times, when - reach, side="right")
        return after < np.searchsorted(times, when, side="left")
    # a document at exactly that time counts, even if the bandwidth is numerically zero
    after = np.searchsorted(times, np.minimum(when - reach, np.nextafter(when, -np.inf)), side="right")
    return after < np.searchsorted(times, np.maximum(when + reach, np.nextafter(when, np.inf)), side="left")


def answering_times(times: Floats, kernel: Kernel, when: Floats) -> Floats:
    """Return the times whose local models are used for the requested ones, given the documents' sorted `times`.

    Two-sided: the time itself; beyond the first or last document, that document's. Past-only: just after the last
    document before the requested time, so that the age of a document is relative to the newest one known, and neither a
    gap nor the end of the stream makes the model lose its latest state.

    >>> answering_times(np.array([0.0, 1.0, 5.0]), Kernel(), np.array([-3.0, 2.0, 9.0]))
    array([0., 2., 5.])
    >>> answering_times(np.array([0.0, 1.0, 5.0]), Kernel(side="past"), np.array([1.0, 4.0, 9.0])).round(6)
    array([0., 1., 5.])
    """
    if len(times) == 0:
        return when
    if kernel.side == "both":
        return np.clip(when, times[0], times[-1])
    before = np.searchsorted(times, when, side="left")
    return np.where(before > 0, np.nextafter(times[np.maximum(before - 1, 0)], np.inf), when)


def blend(grid: Floats, kernel: Kernel, when: Floats, answering: Floats) -> Blend:
    """Return the grid times used for the requested times, whose models are those of the times `answering`.

    Past-only: the first grid time after all documents before the requested time, or, if that is later, the last one at
    or before it.
    """
    if kernel.side == "past":
        known = np.searchsorted(grid, when, side="right") - 1
        left = np.clip(np.minimum(known, np.searchsorted(grid, answering, side="left")), 0, len(grid) - 1)
        return Blend(left, left, np.zeros(len(when)))
    when = answering
    left = np.clip(np.searchsorted(grid, when, side="right") - 1, 0, len(grid) - 1)
    right = np.minimum(left + 1, len(grid) - 1)
    width = grid[right] - grid[left]
    share = np.where(width > 0, (when - grid[left]) / np.where(width > 0, width, 1.0), 0.0)
    return Blend(left, right, np.clip(share, 0.0, 1.0))


def candidate_bandwidths(times: Floats, kernel: Kernel, fewest: int = FEWEST_DOCUMENTS) -> list[float]:
    """Return candidate bandwidths: the span of the sorted times, its half, its quarter, …, and infinity.

    >>> candidate_bandwidths(np.arange(101.0), Kernel())
    [25.0, 50.0, 100.0, inf]
    """
    span = float(times[-1] - times[0])
    sides = 1 if kernel.side == "past" else 2
    found = [math.inf]
    for halvings in range(MOST_HALVINGS + 1):
        bandwidth = span / 2**halvings
        documents = len(times) * min(1.0, sides * kernel.support / 2**halvings)
        if not 0 < bandwidth < math.inf or documents < fewest:
            break
        found.append(bandwidth)
    return sorted(found)


def resolve_bandwidths(
    bandwidth: Duration, axis: TimeAxis, times: Floats, kernel: Kernel, fewest: int = FEWEST_DOCUMENTS
) -> list[float]:
    """Turn the parameter (a number, a duration, "global", "cv", or several) into candidate bandwidths.

    "cv" means those whose mean window has at least `fewest` documents.
    """
    if isinstance(bandwidth, str) and bandwidth == "cv":
        return candidate_bandwidths(times, kernel, fewest)
    if isinstance(bandwidth, str) and bandwidth == "global":
        return [math.inf]
    if isinstance(bandwidth, list | tuple):
        if not bandwidth:
            raise InvalidInput("the list of bandwidths is empty; pass at least one, or bandwidth='cv'")
        return sorted({h for one in bandwidth for h in resolve_bandwidths(one, axis, times, kernel, fewest)})
    length = axis.span(bandwidth)
    if math.isnan(length) or length <= 0:
        raise InvalidInput(
            f"a bandwidth must be positive, not {bandwidth!r}; 'global' (or inf) weights all times equally"
        )
    return [length]
