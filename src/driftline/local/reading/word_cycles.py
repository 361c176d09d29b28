r"""Words with a cycle: every December, every Monday.

A word's own level, averaged over one period on either side so that the cycle cancels, predicts
:math:`\tilde\mu_u` for day :math:`u`. The profile is the ratio of counts to predictions in each phase :math:`p` (month,
weekday), with two uses as prior:

.. math:: r_p = \frac{\sum_{u \in p} c_u + 2}{\sum_{u \in p} \tilde\mu_u + 2}                                \tag{1}

It is tested on left-out blocks (years; runs of weeks). Given how often the word occurs in block :math:`b`, the profile
of the *other* blocks gains

.. math:: g_b = \frac1\varphi \sum_p c_{bp} \log \frac{r_p^{(-b)}}{\bar r_b}, \qquad
          \bar r_b = \frac{\sum_q \tilde\mu_{bq} r_q^{(-b)}}{\sum_q \tilde\mu_{bq}}                            \tag{2}

over a flat one, with :math:`\varphi` the dispersion of days. A word is cyclic if the gain is positive and the peak
above the rest in nearly all blocks that have the word, the peak is at least 1.5 times the rest, and the whole gain lies
above a threshold that words with randomly rotated phases in every block exceed at most a twentieth as often. Rotation
keeps neighbouring months together, so an event of two months is in the null distribution as in the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.randomness import Seed, generator
from driftline.core.results import Columns, Result, counted
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums
from driftline.streams.unit_counts import UnitCounts

Period = Literal["year", "week"]
LEAST_YEARS = 3
"""Minimum number of years for a yearly cycle."""
LEAST_WEEKS = 8
"""Minimum number of weeks for a weekly cycle."""
LEAST_PEAK = 1.5
"""Smallest ratio of the peak to the rest."""
_AGREEING = {"year": 0.8, "week": 0.7}
_PHASES = {"year": 12, "week": 7}
_LENGTH = {"year": 365.25, "week": 7.0}
_MOST_BLOCKS = 16
_LEAST_BLOCK_DAYS = 0.75  # the shortest block that counts
_LEAST_SEEN = 3
_PRIOR = 2.0
_N_SHUFFLES = 60
_FALSE_SHARE = 0.05
_MARGIN = 0.6  # subtracted from the number of words found: a single one must be less likely by chance than one of many
_LEAST_ITEMS = 20.0
_CELLS = 4_000_000
_KERNEL = Kernel("triangular")


class _CyclesFields(NamedTuple):
    """The fields of `Cycles`."""

    period: Period
    columns: Ints
    profile: Floats
    peak: Ints
    ratio: Floats
    agreeing: Ints
    n_blocks: Ints
    gain: Floats


class Cycles(Result, _CyclesFields):
    """Words with a cycle of one period: one row or value per word found, strongest gain first.

    `columns` are their columns in the counts, `profile` the ratio to the word's own level in each phase (months from
    January, weekdays from Monday), `peak` the phase of the peak, `ratio` its rate over that of the other phases,
    `agreeing` the number of the `n_blocks` (years, or runs of weeks) with a use in which the peak was above the rest,
    `gain` Eq. 2 summed over blocks.
    """

    __slots__ = ()

    def factors(self, times: Floats) -> Floats:
        """Return the profile at every time (days since 1970): times × words found."""
        return self.profile[:, phases(times, self.period)].T

    def _columns(self) -> Columns:
        of_words = {"peak": self.peak, "ratio": self.ratio, "agreeing": self.agreeing, "n_blocks": self.n_blocks}
        return {"column": self.columns, "period": [self.period] * len(self.columns), **of_words, "gain": self.gain}

    def _summary(self) -> str:
        return f"{counted(len(self.columns), 'word')} with a cycle of a {self.period}"

    def _picture(self) -> Picture:
        phases_ = np.arange(float(self.profile.shape[1]))
        return Curves([Series(f"column {c}", phases_, each) for c, each in zip(self.columns, self.profile)])


@dataclass(frozen=True)
class _Blocks:
    counts: Floats  # blocks × phases × words
    expected: Floats
    dispersion: Floats  # words


def phases(times: Floats, period: Period) -> Ints:
    """Return the month (0 is January) or the weekday (0 is Monday) of days since 1970.

    >>> phases(np.array([0.0, 31.0]), "year"), phases(np.array([0.0]), "week")  # 1970-01-01 was a Thursday
    (array([0, 1]), array([3]))
    """
    day = np.floor(times).astype(np.int64)
    if period == "week":
        return (day + 3) % 7
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12


def find_cycles(counted: UnitCounts, period: Period, *, random_state: Seed = 0) -> Cycles:
    """Find the words with a yearly or a weekly cycle; none if the stream is too short or has no dates.

    >>> rng = np.random.default_rng(0)
    >>> days = np.datetime64("2010-01-01") + np.repeat(np.arange(4 * 365), 10)
    >>> december = days.astype("datetime64[M]").astype(int) % 12 == 11
    >>> X = rng.random((len(days), 2)) < np.column_stack([0.02 + 0.2 * december, np.full(len(days), 0.05)])
    >>> import scipy.sparse as sp
    >>> from driftline.streams.unit_counts import unit_counts
    >>> found = find_cycles(unit_counts(sp.csr_array(X.astype(float)), times=days), "year")
    >>> found.columns, found.peak, found.agreeing, found.n_blocks
    (array([0]), array([11]), array([4]), array([4]))
    """
    block = _block_of_units(counted, period)
    held = np.asarray(counted.counts.sum(axis=0)).ravel()
    words = np.flatnonzero(held >= _LEAST_ITEMS)
    if block is None or not len(words):
        return _none(period)
    used = np.flatnonzero(block >= 0)
    sums = _sum_blocks(counted, words, used, block[used], period)
    total, passing = _judge(sums, period)
    threshold = _threshold(sums, total[passing], period, generator(random_state))
    chosen = np.flatnonzero(passing & (total > threshold))
    peak, ratio, above = _peaks(sums.counts, sums.expected)
    seen = sums.counts.sum(axis=1) > 0
    chosen = chosen[np.argsort(-total[chosen], kind="stable")]
    profile = _profile(sums.counts.sum(axis=0), sums.expected.sum(axis=0))
    return Cycles(
        period=period,
        columns=words[chosen],
        profile=profile[:, chosen].T,
        peak=peak[chosen],
        ratio=ratio[chosen],
        agreeing=above.sum(axis=0)[chosen],
        n_blocks=seen.sum(axis=0)[chosen],
        gain=total[chosen],
    )


def _block_of_units(counted: UnitCounts, period: Period) -> Ints | None:
    """Return the block of every unit (-1: in none), or None if there are too few blocks."""
    if counted.axis.kind != "datetime" or counted.kind != "day" or not len(counted.times):
        return None
    days = np.floor(counted.times)
    if period == "year":
        block = days.astype(np.int64).astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)
        block -= block.min()
        covered = [np.ptp(days[block == b]) / _LENGTH["year"] for b in range(block.max() + 1) if (block == b).any()]
        # an incomplete year is not informative about its missing months
        whole = np.flatnonzero(np.array(covered) >= _LEAST_BLOCK_DAYS)
        if len(whole) < LEAST_YEARS:
            return None
        present = np.unique(block)
        return np.where(np.isin(block, present[whole]), np.searchsorted(present[whole], block), -1)
    week = ((days + 3) // 7).astype(np.int64)
    week -= week.min()
    n_weeks = int(week.max()) + 1
    if n_weeks < LEAST_WEEKS or len(np.unique(phases(counted.times, "week"))) < 2:
        return None
    return np.unique(week * min(_MOST_BLOCKS, n_weeks) // n_weeks, return_inverse=True)[1]


def _sum_blocks(counted: UnitCounts, words: Ints, used: Ints, block: Ints, period: Period) -> _Blocks:
    """Sum counts and predictions over the days of every block and phase."""
    n_phases, n_blocks = _PHASES[period], int(block.max()) + 1
    cell = block * n_phases + phases(counted.times[used], period)
    counts = np.zeros((n_blocks * n_phases, len(words)))
    expected = np.zeros_like(counts)
    dispersion = np.ones(len(words))
    around = running_sums(counted.totals[:, None], counted.times, counted.times, _KERNEL, _LENGTH[period])
    chunk = max(1, _CELLS // len(counted.times))
    for start in range(0, len(words), chunk):
        part = slice(start, min(start + chunk, len(words)))
        some = counted.words(words[part])
        level = running_sums(some.counts, some.times, some.times, _KERNEL, _LENGTH[period])
        mean = (level / around * counted.totals[:, None])[used]
        seen = some.counts.toarray()[used]
        np.add.at(counts[:, part], cell, seen)
        np.add.at(expected[:, part], cell, mean)
        residual = ((seen - mean) ** 2).sum(axis=0) / np.maximum(mean.sum(axis=0), 1e-300)
        dispersion[part] = np.maximum(residual, 1.0)
    shape = (n_blocks, n_phases, len(words))
    return _Blocks(counts.reshape(shape), expected.reshape(shape), dispersion)


def _profile(counts: Floats, expected: Floats) -> Floats:
    return (counts + _PRIOR) / (expected + _PRIOR)  # Eq. 1


def _gains(counts: Floats, expected: Floats, dispersion: Floats) -> Floats:
    """Return Eq. 2: blocks × words."""
    elsewhere = _profile(counts.sum(axis=0) - counts, expected.sum(axis=0) - expected)
    mass = np.maximum(expected.sum(axis=1, keepdims=True), 1e-300)
    flat = np.maximum((expected * elsewhere).sum(axis=1, keepdims=True) / mass, 1e-300)
    found: Floats = (counts * np.log(elsewhere / flat)).sum(axis=1) / dispersion
    return found


def _judge(sums: _Blocks, period: Period) -> tuple[Floats, Bools]:
    """Return the whole gain of every word, and whether nearly all blocks agree and the peak is high enough."""
    gains = _gains(sums.counts, sums.expected, sums.dispersion)
    _, ratio, above = _peaks(sums.counts, sums.expected)
    seen = (sums.counts.sum(axis=1) > 0).sum(axis=0)
    least = _AGREEING[period] * seen
    agree = ((gains > 0).sum(axis=0) >= least) & (above.sum(axis=0) >= least) & (seen >= _LEAST_SEEN)
    return gains.sum(axis=0), agree & (ratio >= LEAST_PEAK)


def _peaks(counts: Floats, expected: Floats) -> tuple[Ints, Floats, Bools]:
    """Return the phase of every word's peak, its rate over that of the rest, and in which blocks it lies above it."""
    total, mean = counts.sum(axis=0), expected.sum(axis=0)
    peak = _profile(total, mean).argmax(axis=0)
    words = np.arange(len(peak))
    there, predicted = total[peak, words], mean[peak, words]
    rest = (total.sum(axis=0) - there + 0.5) / np.maximum(mean.sum(axis=0) - predicted, 1e-300)
    ratio = (there / np.maximum(predicted, 1e-300)) / rest
    own, own_mean = counts[:, peak, words], expected[:, peak, words]
    others = (counts.sum(axis=1) - own) / np.maximum(expected.sum(axis=1) - own_mean, 1e-300)
    return peak, ratio, own / np.maximum(own_mean, 1e-300) > others


def _threshold(sums: _Blocks, gains: Floats, period: Period, rng: np.random.Generator) -> float:
    """Return the smallest gain above which words with rotated phases are at most a twentieth of those found."""
    if not len(gains):
        return np.inf
    n_blocks, n_phases, _ = sums.counts.shape
    false: list[Floats] = []
    for _ in range(_N_SHUFFLES):
        turned = (np.arange(n_phases) + rng.integers(n_phases, size=(n_blocks, 1))) % n_phases
        counts, expected = (
            np.take_along_axis(part, turned[:, :, None], axis=1) for part in (sums.counts, sums.expected)
        )
        total, passing = _judge(_Blocks(counts, expected, sums.dispersion), period)
        false.append(total[passing])
    by_chance = np.concatenate(false)
    for candidate in np.sort(gains):
        found = (gains >= candidate).sum()
        if (by_chance >= candidate).sum() / _N_SHUFFLES <= _FALSE_SHARE * (found - _MARGIN):
            return float(np.nextafter(candidate, -np.inf))
    return np.inf


def _none(period: Period) -> Cycles:
    nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
    return Cycles(period, none, np.zeros((0, _PHASES[period])), none, nothing, none, none, nothing)
