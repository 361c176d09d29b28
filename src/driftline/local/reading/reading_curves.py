r"""Curves for display: the share of documents with a word, with a band that allows for events shared within days.

The estimate at :math:`t` is :math:`\hat\theta = \sum_u A_u c_u` over units :math:`u` (days), with the weights
:math:`A = 2A_h - A_{\sqrt2 h}` of `driftline.smoothing.bands`. The overdispersion of a word's units relative to Poisson
counts is estimated from the residuals of left-out units, :math:`e_u = c_u - \mu_u`
(`driftline.local.reading.reading_bandwidths`):

.. math:: \varphi = \frac{\sum' e_u^2}{\sum' \mu_u}, \qquad
          \varphi(t) = \max\Big(1, \frac{\sum_u K_{3h}(t - t_u)\,e_u^2 + 2\varphi}
                                        {\sum_u K_{3h}(t - t_u)\,\mu_u + 2}\Big), \qquad
          \kappa(t) = \varphi(t) \sum_u A_u^2 n_u                                                        \tag{3}

and the band is the gamma band with information :math:`1/\kappa`. The sums with a prime leave out the three units with
the largest residuals: :math:`\varphi` is the default where a word was hardly used, and an event of a few days is not
informative about the rest of the year.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Bools, Counts, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, counted, long_columns, time_range
from driftline.core.times import Duration, note_missing_times
from driftline.local.reading.reading_bandwidths import left_out_means, resolved_bandwidths, unit_scores
from driftline.smoothing.bands import band_terms, corrected_shares, gamma_band
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import drawn, event_bandwidth, thin
from driftline.smoothing.running_sums import running_sums
from driftline.streams.moments import exact_times
from driftline.streams.unit_counts import UnitCounts, unit_counts

N_POINTS = 160
"""Default number of times at which curves are evaluated."""
_RESIDUAL_WIDTH = 3.0
_LARGEST = 3
_PRIOR_MEAN = 2.0
_CELLS = 4_000_000
_KERNEL = Kernel("triangular")


class _ReadingCurvesFields(NamedTuple):
    """The fields of `ReadingCurves`."""

    curve: Curve
    bandwidth: Floats
    dispersion: Floats
    unit: str
    n_units: int


class ReadingCurves(Result, _ReadingCurvesFields):
    """Result of `reading_curves`, one row or value per word.

    `curve` is the share of documents with the word; it is NaN where fewer than three units lie in the window, and in
    gaps (`driftline.streams.long_gaps`). `bandwidth` is in units of the times (days for dates), `dispersion` is φ of
    Eq. 3: the ratio of the variance of unit counts to that of independent documents. `unit` is the kind of the units
    and `n_units` their number.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        curve = self.curve
        names = {"column": range(len(self.bandwidth))}
        return long_columns(names, curve.times, share=curve.value, lower=curve.lower, upper=curve.upper)

    def _summary(self) -> str:
        n_words, n_units = counted(len(self.bandwidth), "word"), counted(self.n_units, "unit")
        return f"{n_words}, {time_range(self.curve.times)}, {n_units} ({self.unit})"

    def _picture(self) -> Picture:
        curves = zip(self.curve.value, self.curve.lower, self.curve.upper)
        return Curves([Series(f"word {n}", self.curve.times, *each) for n, each in enumerate(curves)])


def reading_curves(
    X: Counts | UnitCounts,
    *,
    times: Times = None,
    columns: object = None,
    when: Times = None,
    unit: object = "auto",
    bandwidth: Duration = "auto",
    at_least: Duration = 0.0,
    narrow: object = None,
    level: float = 0.95,
) -> ReadingCurves:
    """Return the share of documents that contain each word over time, smoothed for display.

    Parameters
    ----------
    X : CSR matrix, documents × words, or UnitCounts
        A document that contains a word counts once. If documents are long, pass passages as rows, each with the time of
        its document. Counts by unit from `unit_counts` are used unchanged.
    times : times of any accepted kind
        One per row; not needed with `UnitCounts`.
    columns : array of int, optional
        The words; by default all.
    when : times, optional
        Where to evaluate the curves; by default 160 times spread over the stream.
    unit : "auto", "day", a duration, "document" or one group per row
        The independent unit, see `driftline.streams.units.units_of`.
    bandwidth : "auto", a number or a duration
        Time span over which a curve averages. ``"auto"`` selects it for every word by leaving out units.
    at_least : number or duration
        The smallest bandwidth that ``"auto"`` may select.
    narrow : mask, optional
        Words for which ``"auto"`` uses `driftline.smoothing.reading_windows.event_bandwidth`, because they are known to
        be events of a few units, which cannot be predicted from other units.
    level : float
        The confidence of the band at each time.

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(200.0), 20)
    >>> rate = 0.05 + 0.3 * np.exp(-(((day - 100) / 20) ** 2))
    >>> X = sp.csr_array((rng.random(len(day)) < rate)[:, None].astype(float))
    >>> found = reading_curves(X, times=day, when=[0.0, 100.0, 199.0])
    >>> found.curve.value.round(2), found.bandwidth.round()
    (array([[0.08, 0.43, 0.04]]), array([10.]))
    """
    if isinstance(X, UnitCounts):
        counted = X
    else:
        note_missing_times(times, "reading_curves")
        counted = unit_counts(checked_counts(X, "reading_curves", least=0), times=times, unit=unit)
    chosen = counted if columns is None else counted.words(np.atleast_1d(np.asarray(columns, dtype=np.int64)))
    at = _grid(chosen.times) if when is None else chosen.axis.values(when)
    n_words = chosen.counts.shape[1]
    value, lower, upper, size = (np.full((n_words, len(at)), np.nan) for _ in range(4))
    result = ReadingCurves(
        Curve(chosen.axis.restore(at) if when is None else exact_times(when), value, lower, upper, size, level),
        np.full(n_words, np.inf),
        np.ones(n_words),
        chosen.kind,
        len(chosen.times),
    )
    candidates = resolved_bandwidths(chosen, bandwidth, at_least)
    is_narrow = np.zeros(n_words, dtype=np.bool_) if narrow is None else np.asarray(narrow, dtype=np.bool_)
    if is_narrow.shape != (n_words,):
        raise InvalidInput(f"narrow must be {n_words} truth values, one per word, not an array of {is_narrow.shape}")
    if len(chosen.times):
        block = max(1, _CELLS // len(chosen.times))
        for start in range(0, n_words, block):
            words = np.arange(start, min(start + block, n_words))
            _fill(result, chosen, candidates, words, at)
        events = np.flatnonzero(is_narrow) if len(candidates) > 1 else np.empty(0, dtype=np.int64)
        for start in range(0, len(events), block):
            narrowest = min(float(candidates[0]), event_bandwidth(chosen.times, at_least=chosen.axis.span(at_least)))
            _fill(result, chosen, np.array([narrowest]), events[start : start + block], at)
    return result


def _grid(times: Floats) -> Floats:
    return np.linspace(times[0], times[-1], N_POINTS) if len(times) and times[-1] > times[0] else times[:1]


def _fill(result: ReadingCurves, counted: UnitCounts, candidates: Floats, words: Ints, at: Floats) -> None:
    """Select the bandwidths of some words and store their curves."""
    some = counted.words(words)
    best = np.zeros(len(words), dtype=np.int64)
    if len(candidates) > 1:
        scores = np.array([unit_scores(some, float(h)) for h in candidates])
        best = len(candidates) - 1 - scores[::-1].argmax(axis=0)  # the widest of equally good ones
    result.bandwidth[words] = candidates[best]
    for place in np.unique(best).tolist():
        mine = np.flatnonzero(best == place)
        value, lower, upper, size, spread = _curves(some.words(mine), at, float(candidates[place]), result.curve.level)
        rows = words[mine]
        result.curve.value[rows], result.curve.lower[rows], result.curve.upper[rows] = value.T, lower.T, upper.T
        result.curve.effective_size[rows] = size
        result.dispersion[rows] = spread


def _curves(
    counted: UnitCounts, at: Floats, bandwidth: float, level: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return estimate, lower and upper end (times × words), effective sizes (times) and φ (words) at one bandwidth."""
    times, totals = counted.times, counted.totals
    terms = band_terms(times, totals, np.zeros(len(times)), at, _KERNEL, bandwidth)
    estimate = np.clip(corrected_shares(counted.counts, times, at, _KERNEL, bandwidth, terms), 0.0, 1.0)
    local, overall = _dispersion(counted, at, bandwidth)
    lower, upper = gamma_band(estimate, local * terms.single[:, None], level)
    documents = sp.csc_array(totals[:, None])
    around, at_units = (running_sums(documents, times, each, _KERNEL, bandwidth).ravel() for each in (at, times))
    undrawn = ~drawn(times, at, bandwidth) | thin(around, at_units, totals)
    size = terms.effective_size
    for values in (estimate, lower, upper, size):
        values[undrawn] = np.nan
    return estimate, lower, upper, size, overall


def _dispersion(counted: UnitCounts, at: Floats, bandwidth: float) -> tuple[Floats, Floats]:
    """Return φ(t) of Eq. 3, times × words, and φ of every word."""
    means = left_out_means(counted, bandwidth)
    squares = (counted.counts.toarray() - means) ** 2
    usual = _without_largest(squares)
    overall = np.where(usual, squares, 0.0).sum(axis=0)
    overall /= np.maximum(np.where(usual, means, 0.0).sum(axis=0), np.finfo(np.float64).tiny)
    wide = _RESIDUAL_WIDTH * bandwidth
    near_squares = running_sums(sp.csc_array(squares), counted.times, at, _KERNEL, wide)
    near_means = running_sums(sp.csc_array(means), counted.times, at, _KERNEL, wide)
    local = (near_squares + _PRIOR_MEAN * overall) / (near_means + _PRIOR_MEAN)
    return np.maximum(local, 1.0), overall


def _without_largest(squares: Floats) -> Bools:
    """Return a mask of the units that are not among those with the largest residuals of a word; units × words."""
    if len(squares) <= 2 * _LARGEST:
        return np.ones(squares.shape, dtype=np.bool_)
    kept = np.ones(squares.shape, dtype=np.bool_)
    np.put_along_axis(kept, np.argpartition(-squares, _LARGEST - 1, axis=0)[:_LARGEST], False, axis=0)
    return kept
