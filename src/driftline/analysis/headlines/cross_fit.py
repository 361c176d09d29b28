r"""The ratio of a word's frequency in a time interval, measured on units that were not used to select the interval.

The window with the greatest likelihood ratio is selected on the odd units, the logarithm of the ratio of rates inside
and outside is measured on the even ones, and vice versa:

.. math:: \ell = \log\frac{(c_1 + ½) / (n_1 + ½/\bar r)}{(c_0 + ½) / (n_0 + ½/\bar r)}, \qquad
   \operatorname{var} \ell = \frac{\varphi_1}{c_1 + ½} + \frac{\varphi_0}{c_0 + ½} \quad (1)

with :math:`c` documents with the word among :math:`n` inside (1) and outside (0), :math:`\bar r` the word's overall
rate. The dispersion :math:`\varphi` of unit counts around the plain rates is that of either side, shrunk towards that
of all units, and at least one:

.. math:: \varphi_s = \max\Bigl(1, \frac{\sum_{u \in s} e_u^2 + 2 \varphi}{\sum_{u \in s} \mu_u + 2}\Bigr),
   \qquad \varphi = \frac{\sum_u e_u^2}{\sum_u \mu_u} \quad (2)

The two logarithms are averaged by their precision; if they differ by more than their variances explain, the variance of
the mean is multiplied by

.. math:: \max\Bigl(1, \frac{(\ell_a - \ell_b)^2}{\operatorname{var} \ell_a + \operatorname{var} \ell_b}\Bigr) \quad (3)

If window and ratio came from the same documents, the best of some 1,800 windows would show a change for any word. Half
a use is added together with the exposure that half a use has on average, so it shrinks the ratio towards one; added
alone, it would turn no use in a window of one percent into a ratio of ten.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.analysis.headlines.presence import Presence
from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.matrices import index_arrays
from driftline.smoothing.grouping import group_sums

Z_BOTH = 1.1 * 1.96
"""Quantile of a 95 % interval from both halves: the normal one plus a tenth, because windows are estimated, too."""
Z_BETTER = 1.1 * 2.24
"""The same if the better of two halves was selected."""


class Measured(NamedTuple):
    """Measurements on one half of the units for windows selected on the other; one value per word."""

    log_ratio: Floats
    variance: Floats
    dispersion: Floats


class CrossFit(NamedTuple):
    """One window per word (first cell, cell after the last) and the ratio of rates inside and outside it.

    `sign` is 1 if the word was more frequent inside, −1 if it was less frequent, 0 if nothing could be measured;
    `ratio`, with the limits of its 95 % interval, is always that of the higher rate to the lower. `agree` is true if
    both halves selected overlapping windows of the same direction.
    """

    start: Ints
    end: Ints
    sign: Ints
    ratio: Floats
    lower: Floats
    upper: Floats
    dispersion: Floats
    agree: Bools


def measure(presence: Presence, cells: Ints, n_cells: int, windows: Ints) -> Measured:
    """Return the logarithms of the ratios inside `windows`, and their variances (Eq. 1)."""
    used, sizes = cells >= 0, presence.documents
    sums = current_kernels().windows.window_sums(*_columns(presence), cells, sizes, windows)

    def inside_and_outside(values: Floats) -> tuple[Floats, Floats]:
        edges = np.concatenate([[0.0], np.cumsum(group_sums(cells[used], values[used], n_cells))])
        inside = edges[windows[:, 1]] - edges[windows[:, 0]]
        return inside, edges[-1] - inside

    overall = (sums[:, 0] + sums[:, 3]) / max(float(sizes[used].sum()), 1.0)
    half = np.divide(0.5, overall, out=np.zeros_like(overall), where=overall > 0)
    rates, scatter, expected = [], [], []
    for at, n, squares in zip((0, 3), inside_and_outside(sizes), inside_and_outside(sizes**2)):
        rate = (sums[:, at] + 0.5) / np.maximum(n + half, 1.0)
        rates.append(np.where((n > 0) & (overall > 0), rate, np.nan))
        plain = sums[:, at] / np.maximum(n, 1.0)
        scatter.append(sums[:, at + 1] - 2 * plain * sums[:, at + 2] + plain**2 * squares)
        expected.append(sums[:, at])
    n_units = int(used.sum())
    freedom = n_units / max(n_units - 2, 1)
    dispersion = np.maximum(freedom * sum(scatter) / np.maximum(sum(expected), 1e-300), 1.0)
    variance = np.zeros(len(windows))
    for at, e2, mu in zip((0, 3), scatter, expected):
        own = np.maximum((freedom * e2 + 2 * dispersion) / (mu + 2), 1.0)  # Eq. 2
        variance += own / (sums[:, at] + 0.5)  # Eq. 1
    return Measured(np.log(rates[0] / rates[1]), variance, dispersion)


def cross_fit(presence: Presence, cells: Ints) -> CrossFit:
    """Select windows on each half of the units and measure them on the other.

    >>> import scipy.sparse as sp
    >>> with_word = sp.csc_array(np.repeat([1.0, 9, 1], [300, 100, 200])[:, None])
    >>> found = cross_fit(Presence(with_word, np.full(600, 10.0)), np.arange(600) // 10)
    >>> int(found.start[0]), int(found.end[0]), round(float(found.ratio[0]), 1)
    (30, 40, 9.0)
    """
    odd = np.arange(presence.n_units) % 2 == 1
    n_cells = int(cells.max(initial=-1)) + 1
    halves = [np.where(half, cells, -1) for half in (odd, ~odd)]
    chosen = [_choose(presence, half, n_cells) for half in halves]
    measured = [measure(presence, other, n_cells, windows) for other, windows in zip(halves[::-1], chosen)]
    return _combine(_choose(presence, cells, n_cells), chosen, measured)


def cross_fit_short(halves: tuple[Presence, Presence], whole: Presence, longest: int) -> CrossFit:
    """Select windows of at most `longest` units on one half of the documents of every unit, measure on the other.

    Such short windows cannot be confirmed by other units. Only rises are searched, and a rise confirmed by other
    documents of the same units is an event of those units, not a lasting change.
    """
    cells = np.arange(whole.n_units)
    chosen = [_choose(half, cells, whole.n_units, longest=longest) for half in halves]
    measured = [measure(other, cells, whole.n_units, windows) for other, windows in zip(halves[::-1], chosen)]
    return _combine(_choose(whole, cells, whole.n_units, longest=longest), chosen, measured)


def _combine(whole: Ints, chosen: list[Ints], measured: list[Measured]) -> CrossFit:
    """Average the two halves, or take the better one if their windows do not agree.

    The reported window is the one selected on all units (`whole`) if both halves agree with it.
    """
    logs = np.array([windows[:, 2] * each.log_ratio for windows, each in zip(chosen, measured)])
    variances = np.array([each.variance for each in measured])
    agree = _agree(chosen[0], chosen[1]) & np.isfinite(logs).all(axis=0)
    lows = np.where(np.isfinite(logs), logs - Z_BETTER * np.sqrt(variances), -np.inf)
    words = np.arange(len(whole))
    better = np.argmax(lows, axis=0)
    weights = 1 / variances
    mean = (weights * logs).sum(axis=0) / weights.sum(axis=0)
    discord = np.maximum((logs[0] - logs[1]) ** 2 / variances.sum(axis=0), 1.0)  # Eq. 3
    log = np.where(agree, mean, logs[better, words])
    spread = np.where(
        agree, Z_BOTH * np.sqrt(discord / weights.sum(axis=0)), Z_BETTER * np.sqrt(variances[better, words])
    )
    windows = np.where(better[:, None] == 0, chosen[0], chosen[1])
    shown = agree & _agree(whole, chosen[0]) & _agree(whole, chosen[1])
    windows = np.where(shown[:, None], whole, windows)
    known = np.isfinite(log)
    log, spread = np.where(known, log, 0.0), np.where(known, spread, np.inf)
    with np.errstate(over="ignore"):
        ratio, lower, upper = np.exp(log), np.exp(log - spread), np.exp(log + spread)
    sign = np.where(known, windows[:, 2], 0)
    dispersion = np.mean([each.dispersion for each in measured], axis=0)
    return CrossFit(windows[:, 0], windows[:, 1], sign, ratio, lower, upper, dispersion, agree)


def _choose(presence: Presence, cells: Ints, n_cells: int, *, longest: int | None = None) -> Ints:
    """Return the best windows; a low one at an edge is replaced by the high rest; short windows are always high."""
    used = cells >= 0
    exposure = group_sums(cells[used], presence.documents[used], n_cells)
    short = longest is not None
    cost = 0.0 if short else float(np.log(max(n_cells, 1)))
    windows: Ints = current_kernels().windows.best_windows(
        *_columns(presence), cells, exposure, longest or n_cells, cost, short
    )
    start, end, sign = windows.T
    low_first, low_last = (sign < 0) & (start == 0), (sign < 0) & (end == n_cells)
    windows[low_first] = np.column_stack([end, np.full_like(end, n_cells), np.ones_like(end)])[low_first]
    windows[low_last] = np.column_stack([np.zeros_like(start), start, np.ones_like(start)])[low_last]
    return windows


def _columns(presence: Presence) -> tuple[Ints, Ints, Floats]:
    counts = presence.with_word
    return *index_arrays(counts), counts.data


def _agree(one: Ints, other: Ints) -> Bools:
    """Return a mask of the windows that overlap and have the same direction."""
    overlap = np.minimum(one[:, 1], other[:, 1]) > np.maximum(one[:, 0], other[:, 0])
    found: Bools = overlap & (one[:, 2] == other[:, 2]) & (one[:, 2] != 0)
    return found
