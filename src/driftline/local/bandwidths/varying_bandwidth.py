"""A bandwidth that varies over time, selected by leave-one-out near each time."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.smoothing.grouping import group_sums

_BINS = 128
_WIDTHS = (1, 2, 4, 8, 16, 32)
_RUN = 8


def varying_components(loo: LeaveOneOut, bandwidths: Floats, priors: list[Prior]) -> tuple[Floats, Ints]:
    """Return knots in time and, for each, the index of the (bandwidth, prior) pair that is best around it.

    Scores of left-out documents are averaged over an interval, and the best pair of the interval is used. The length of
    the interval, up to the whole stream (then the bandwidth does not vary), is also selected: on alternate runs of a
    few documents, scored on the others. Alternating single documents would not suffice: the next one is often nearly
    identical, and would favour the same choice.
    """
    history = loo.history
    times = history.times
    n_bins = min(_BINS, len(times))
    tokens = np.cumsum(history.tokens) - history.tokens / 2
    bin_of_time = np.minimum((tokens / max(history.total_tokens, 1.0) * n_bins).astype(np.int64), n_bins - 1)
    half = loo.document // _RUN % 2
    cell = bin_of_time[loo.time] * 2 + half
    table = np.empty((2 * n_bins, len(bandwidths)))
    for j, (bandwidth, prior) in enumerate(zip(bandwidths, priors)):
        # without smoothing a word may be impossible: its loss is finite, so that sums can be subtracted
        probability = np.maximum(loo.probabilities(loo.local(float(bandwidth)), prior), np.finfo(np.float64).tiny)
        gained = loo.count * np.log(probability)
        table[:, j] = group_sums(cell, gained, 2 * n_bins)
    halves = table.reshape(n_bins, 2, -1)
    reach = [n_bins, *(max(1, n_bins // (2 * width)) for width in _WIDTHS)]
    gains = [sum(_gain(halves[:, a], halves[:, 1 - a], r) for a in (0, 1)) for r in reach]
    best = reach[int(np.argmax(gains))]
    index = _smoothed(halves.sum(axis=1), best).argmax(axis=1)
    first = np.searchsorted(bin_of_time, np.arange(n_bins), side="left")
    last = np.maximum(np.searchsorted(bin_of_time, np.arange(n_bins), side="right") - 1, 0)
    filled = bin_of_time[np.minimum(first, len(times) - 1)] == np.arange(n_bins)
    return (times[first[filled]] + times[last[filled]]) / 2, index[filled]


def _gain(chosen_on: Floats, scored_on: Floats, reach: int) -> float:
    """Return the score of one half of the documents at the bandwidths selected on the other."""
    index = _smoothed(chosen_on, reach).argmax(axis=1)
    return float(scored_on[np.arange(len(index)), index].sum())


def _smoothed(table: Floats, reach: int) -> Floats:
    """Return sums over the bins up to `reach` away, or over the whole table."""
    n = len(table)
    cumulative = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
    low = np.maximum(np.arange(n) - reach, 0)
    high = np.minimum(np.arange(n) + reach + 1, n)
    return cumulative[high] - cumulative[low]
