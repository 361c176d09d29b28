"""Speed of change of the whole vocabulary by days: that of the shares of documents that contain each word.

The same local slopes and noise floor as in `driftline.local.multinomial.drift_speed`, on counts by unit. A word's noise
is that of independent documents times its dispersion φ, from the residuals of units left out, so that events of single
days do not appear as drift.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Datetimes, Floats, Ints, Times
from driftline.core.times import Duration
from driftline.local.multinomial.drift_speed import DriftSpeed, drift_speed, local_slopes
from driftline.local.reading.reading_bandwidths import left_out_means, resolved_bandwidths, unit_scores
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import drawn, reading_bandwidths
from driftline.streams.unit_counts import UnitCounts

LEAST_UNITS = 40
"""Minimum number of units for a speed."""
_SLOPE_WIDTH = 2.0
_LEAST_ITEMS = 5.0
_KERNEL = Kernel("triangular")


class UnitDrift(NamedTuple):
    """The speed in shares per unit of time (a day for dates), and the bandwidth of the slopes."""

    speed: DriftSpeed
    bandwidth: float


class _Sums(NamedTuple):
    times: Floats
    counts: sp.csc_array
    tokens: Floats
    token_pairs: Floats


def unit_drift_speed(
    counted: UnitCounts, when: Times, *, bandwidth: Duration = "auto", level: float = 0.95
) -> UnitDrift | None:
    """Return the speed at the requested times, or None if there are too few units or no words.

    It is NaN where a window contains fewer than three units, and in gaps.

    ``"auto"`` uses twice the bandwidth with the best summed score of left-out units, because a slope needs more data
    than a level; a duration is used unchanged. Words in fewer than five documents, or missing from fewer than five, are
    ignored.

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(200.0), 20)
    >>> X = rng.random((4000, 2)) < np.column_stack([0.2 + 0.4 * (day > 100), np.full(4000, 0.3)])
    >>> from driftline.streams.unit_counts import unit_counts
    >>> found = unit_drift_speed(unit_counts(sp.csr_array(X.astype(float)), times=day), np.array([50.0, 100.0, 150.0]))
    >>> (found.speed.lower > found.speed.noise_floor).tolist()
    [False, True, False]
    """
    informative = _informative(counted)
    if len(counted.times) < LEAST_UNITS or not len(informative):
        return None
    some = counted.words(informative)
    candidates = resolved_bandwidths(some, bandwidth)
    width = float(candidates[0])
    if isinstance(bandwidth, str) and bandwidth == "auto":
        scores = [float(unit_scores(some, float(h)).sum()) for h in candidates]
        widest = float(reading_bandwidths(some.times)[-1])
        width = min(_SLOPE_WIDTH * float(candidates[int(np.argmax(scores))]), widest)
    at = some.axis.values(when)
    speed = drift_speed(_sums(some), at, _KERNEL, width, _excess_dispersion(some, width), level=level)
    undrawn = ~drawn(some.times, at, width)
    value, lower, upper, floor, size = (
        np.where(undrawn, np.nan, part)
        for part in (speed.value, speed.lower, speed.upper, speed.noise_floor, speed.effective_size)
    )
    return UnitDrift(DriftSpeed(np.asarray(when), value, lower, upper, floor, size, level), width)


def unit_slopes(counted: UnitCounts, when: Datetimes | Floats, bandwidth: float) -> tuple[Floats, Floats]:
    """Return the slopes of all shares of documents, whose norm is the speed, and their standard errors.

    Both are times × words; slopes of words that do not contribute to the speed are zero.

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(200.0), 20)
    >>> X = rng.random((4000, 2)) < np.column_stack([0.2 + 0.4 * (day > 100), np.full(4000, 0.3)])
    >>> from driftline.streams.unit_counts import unit_counts
    >>> counted = unit_counts(sp.csr_array(X.astype(float)), times=day)
    >>> slopes, errors = unit_slopes(counted, np.array([50.0, 100.0]), 20.0)
    >>> (slopes / errors > 2).tolist()
    [[False, False], [True, False]]
    """
    informative = _informative(counted)
    some = counted.words(informative)
    slopes, errors = np.zeros((2, len(when), counted.counts.shape[1]))
    if len(informative):
        excess = _excess_dispersion(some, bandwidth)
        at, counts = some.axis.values(when), sp.csr_array(some.counts)
        found = local_slopes(_sums(some), counts, at, _KERNEL, bandwidth, excess)
        slopes[:, informative], errors[:, informative] = found.slopes, np.sqrt(found.variance)
    return slopes, errors


def _informative(counted: UnitCounts) -> Ints:
    """Return the words that occur in enough documents and are absent from enough."""
    held = np.asarray(counted.counts.sum(axis=0)).ravel()
    return np.flatnonzero((held >= _LEAST_ITEMS) & (counted.totals.sum() - held >= _LEAST_ITEMS))


def _sums(counted: UnitCounts) -> _Sums:
    # Σ B²n + (φ - 1) Σ B²n = φ Σ B²n: the excess dispersion replaces the term for pairs of words of one document
    return _Sums(counted.times, counted.counts, counted.totals, counted.totals)


def _excess_dispersion(counted: UnitCounts, bandwidth: float) -> Floats:
    """Return φ − 1 of every word."""
    means = left_out_means(counted, bandwidth)
    squares = ((counted.counts.toarray() - means) ** 2).sum(axis=0)
    found: Floats = np.maximum(squares / means.sum(axis=0), 1.0) - 1.0
    return found
