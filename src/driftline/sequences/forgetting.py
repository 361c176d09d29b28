r"""Whether a tagger should forget: bandwidths in time, compared on held-out sentences.

Every bandwidth is tried on the same rehearsals. If only the past is used, a rehearsal learns from the sentences before
an origin and predicts those up to the next origin. If both sides are used, groups of whole units of time (days) are
held out in turn, and each sentence is predicted by the fit at the nearest time. A finite bandwidth is selected only if
its logarithmic loss is lower than with equal weights for all sentences, by a decrease whose 95 % interval over units is
above zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.times import describe_span
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.unit_mean import Interval, unit_mean

FIRST_ORIGIN = 0.5
"""Share of the sentences before the first origin."""
HALVINGS = 6
"""Number of halvings of the span that give the candidate bandwidths."""
FEWEST_SENTENCES = 30
"""Minimum mean number of sentences in the window of a candidate bandwidth."""
LONG = 10.0
"""Minimum number of days at which a bandwidth is described in whole days."""


class Rehearsal(NamedTuple):
    """Learn from the sentences `learned` as of a time, and predict the sentences `predicted` (numbers, by time)."""

    learned: Ints
    at: float
    predicted: Ints


class Trial(NamedTuple):
    """A bandwidth, and for every predicted sentence: −log p(tags), and the number of correct tags."""

    bandwidth: float
    losses: Floats
    right: Floats


class Candidate(NamedTuple):
    """A bandwidth, its loss per token and accuracy, and their improvement over equal weights."""

    bandwidth: float
    loss: float
    accuracy: float
    loss_gain: Interval
    accuracy_gain: Interval


def bandwidths_to_try(times: Floats, kernel: Kernel) -> list[float]:
    """Return halves, quarters, … of the span of the sorted `times`, as long as windows are not empty, and infinity.

    >>> bandwidths_to_try(np.arange(241.0), Kernel("triangular", "past"))
    [30.0, 60.0, 120.0, 240.0, inf]
    """
    span = float(times[-1] - times[0]) if len(times) else 0.0
    sides = 1 if kernel.side == "past" else 2
    widths = [span / 2**k for k in range(HALVINGS, -1, -1)]
    fewest = FEWEST_SENTENCES / max(len(times), 1)
    return [h for h in widths if h > 0 and sides * kernel.support * h >= fewest * span * (1 - 1e-9)] + [math.inf]


def fit_times(times: Floats, kernel: Kernel, n_fits: int) -> Floats:
    """Return the times of `n_fits` fits, spread evenly over the sentences at the sorted `times`.

    Past-only fits are just after a sentence; the last one is after all of them.

    >>> fit_times(np.arange(8.0), Kernel("triangular"), 2)
    array([2., 6.])
    >>> fit_times(np.arange(8.0), Kernel("triangular", "past"), 2).round(6)
    array([3., 7.])
    """
    n = len(times)
    if kernel.side == "past":
        ends = np.ceil(np.arange(1, n_fits + 1) * n / n_fits).astype(np.int64)
        return np.unique(np.nextafter(times[ends - 1], np.inf))
    middles = ((np.arange(n_fits) + 0.5) * n / n_fits).astype(np.int64)
    return np.unique(times[middles])


def fit_of(when: Floats, fits: Floats, kernel: Kernel) -> Ints:
    """Return the fit for every requested time: the last one at or before it (past-only), or the nearest.

    >>> fit_of(np.array([0.0, 3.0, 9.0]), np.array([2.0, 6.0]), Kernel("triangular", "past")).tolist()
    [0, 0, 1]
    """
    if kernel.side == "past":
        return np.maximum(np.searchsorted(fits, when, side="right") - 1, 0)
    return np.searchsorted((fits[1:] + fits[:-1]) / 2, when, side="right")


def rehearsals(times: Floats, unit: Ints, kernel: Kernel, n_splits: int, n_fits: int) -> list[Rehearsal]:
    """Return the rehearsals that compare bandwidths; `times` are sorted, `unit` is the day of each.

    >>> [(one.learned.tolist(), one.predicted.tolist()) for one in
    ...  rehearsals(np.arange(4.0), np.arange(4), Kernel("uniform", "past"), 2, 1)]
    [([0, 1], [2]), ([0, 1, 2], [3])]
    """
    n = len(times)
    if kernel.side == "past":
        starts = np.unique(np.searchsorted(times, times[_origins(n, n_splits)], side="left"))
        ends = [*starts[1:].tolist(), n]
        return [
            Rehearsal(np.arange(start), float(np.nextafter(times[start - 1], np.inf)), np.arange(start, end))
            for start, end in zip(starts.tolist(), ends)
            if start > 0
        ]
    found = []
    grid = fit_times(times, kernel, n_fits)
    fold, nearest = np.unique(unit, return_inverse=True)[1] % n_splits, fit_of(times, grid, kernel)
    for k in range(n_splits):
        learned = np.flatnonzero(fold != k)
        for place, at in enumerate(grid.tolist()):
            predicted = np.flatnonzero((fold == k) & (nearest == place))
            if len(learned) and len(predicted):
                found.append(Rehearsal(learned, at, predicted))
    return found


def compared(trials: Sequence[Trial], lengths: Floats, unit: Ints) -> list[Candidate]:
    """Return the candidates, the smallest loss first; `lengths` and `unit` are those of the predicted sentences."""
    steady = next(trial for trial in trials if math.isinf(trial.bandwidth))
    n = max(float(lengths.sum()), 1.0)
    scale = len(lengths) / n  # from a mean per sentence to one per token
    found = []
    for trial in trials:
        gains = [
            Interval(*(scale * end for end in unit_mean(values, unit)))
            for values in (steady.losses - trial.losses, trial.right - steady.right)
        ]
        found.append(Candidate(trial.bandwidth, float(trial.losses.sum()) / n, float(trial.right.sum()) / n, *gains))
    return sorted(found, key=lambda one: (one.loss, -one.bandwidth))


def selected(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the smallest loss if it is significantly better than equal weights, otherwise those."""
    steady = next(one for one in candidates if math.isinf(one.bandwidth))
    return candidates[0] if candidates[0].loss_gain.low > 0 else steady


def in_words(candidates: Sequence[Candidate], *, dated: bool) -> str:
    """Return a sentence on the selected bandwidth and the reason."""
    best = selected(candidates)
    finite = [one for one in candidates if not math.isinf(one.bandwidth)]
    if not finite:
        return "all sentences alike: there are too few to compare bandwidths"
    rival = best if not math.isinf(best.bandwidth) else finite[0]
    points = "{:+.1f} points of accuracy ({:+.1f} to {:+.1f})".format(*(100 * end for end in rival.accuracy_gain))
    name = described(rival.bandwidth, dated=dated)
    if rival is best:
        return f"{name}: {points} against all sentences alike"
    return f"all sentences alike: forgetting does not pay; the best of the others, {name}, has {points}"


def described(bandwidth: float, *, dated: bool) -> str:
    """Return a bandwidth in a few words.

    >>> described(90.0, dated=True), described(math.inf, dated=True)
    ('weights falling over 90 days', 'all sentences alike')
    """
    if math.isinf(bandwidth):
        return "all sentences alike"
    length = f"{bandwidth:.4g} units of time"
    if dated:
        length = f"{bandwidth:,.0f} days" if bandwidth >= LONG else describe_span(bandwidth)
    return f"weights falling over {length}"


def _origins(n: int, n_splits: int) -> Ints:
    return np.unique(np.linspace(FIRST_ORIGIN * n, n, n_splits + 1).astype(np.int64))[:-1]
