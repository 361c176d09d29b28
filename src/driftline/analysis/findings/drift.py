"""The periods in which the vocabulary as a whole changed fastest, and the words that changed in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.finding import Finding
from driftline.analysis.items import Items
from driftline.analysis.shown_curves import no_curve, shown_curve
from driftline.core.arrays import Bools, Datetimes, Floats
from driftline.core.times import Duration, as_timedelta, iso
from driftline.local.changed_words.discovery import ChangedWords
from driftline.local.reading.unit_drift import unit_drift_speed, unit_slopes
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.streams.unit_counts import unit_counts
from driftline.text.headline_words import is_calendar_word, is_contraction_part

if TYPE_CHECKING:
    from driftline.analysis.context import Context

N_WORDS = 8
LEAST_SCORE = 2.0
"""Minimum slope of a word at the peak, in standard errors, for it to be listed."""
LARGEST_RATIO = 20.0
"""Largest multiple of the noise floor that is reported; larger values carry no further information."""


@dataclass(frozen=True)
class FastPeriod:
    """A period in which the vocabulary as a whole changed fast, and the words that changed most at its peak.

    It is at least as long as the bandwidth: a change cannot be dated more exactly than by the time over which slopes
    are averaged. The words are among those whose speed is measured. `times_noise_floor` is the ratio of the speed to
    the noise floor, at most 20.
    """

    start: str
    end: str
    peak: str
    speed: float
    times_noise_floor: float
    rising: list[str]
    falling: list[str]


@dataclass(frozen=True)
class DriftSpeed:
    """The speed of change of the shares of documents with the changed words, and its noise floor.

    The speed is the norm of the derivative of the shares, per day. With fewer than 40 units there is none.
    """

    curve: Curve
    noise_floor: list[float | None]
    bandwidth_days: float
    fastest: list[FastPeriod]


def describe_drift(
    corpus: Corpus,
    items: Items,
    tests: ChangedWords,
    when: Datetimes,
    *,
    bandwidth: Duration,
    unit: str = "auto",
    n_fastest: int = 3,
    languages: Sequence[str] = (),
) -> DriftSpeed:
    """Return the speed of the words that changed lastingly, and its fastest periods above the noise floor.

    Words that did not change add only noise, and words selected because they are concentrated on single days would
    change fast around those days in any order. With fewer than 40 units, or no lasting change, there is no speed.
    Numbers, days and months of the `languages` and parts of contractions are not listed.
    """
    changed = tests.columns[tests.outlasting]
    counted = unit_counts(items.counts[:, changed], times=items.times, unit=unit)
    found = unit_drift_speed(counted, when, bandwidth=bandwidth)
    if found is None:
        return DriftSpeed(no_curve(), [], 0.0, [])
    speed = found.speed
    curve = Curve(when, speed.value, speed.lower, speed.upper, speed.effective_size, speed.level)
    excess = np.where(speed.noise_floor > 0, speed.lower - speed.noise_floor, np.nan)
    segments = _fast_segments(np.nan_to_num(excess, nan=-np.inf), n_fastest)
    peaks = [segment.start + int(np.argmax(speed.value[segment])) for segment in segments]
    words = np.asarray(corpus.vocabulary.words)[changed]
    slopes, errors = unit_slopes(counted, when[peaks], found.bandwidth)
    certain = _may_be_named(words, languages) & (np.abs(slopes) > LEAST_SCORE * errors)
    fastest = [
        FastPeriod(
            *_at_least(when, _within(speed.value, segment), segment, peak, found.bandwidth),
            peak=iso(when[peak]),
            speed=float(speed.value[peak]),
            times_noise_floor=float(min(speed.value[peak] / speed.noise_floor[peak], LARGEST_RATIO)),
            rising=_steepest(words, of_words),
            falling=_steepest(words, -of_words),
        )
        for segment, peak, of_words in zip(segments, peaks, np.where(certain, slopes, 0.0))
    ]
    floor = [None if np.isnan(value) else float(f"{value:.6g}") for value in speed.noise_floor]
    return DriftSpeed(shown_curve(curve), floor, found.bandwidth, fastest)


def _fast_segments(excess: Floats, n: int) -> list[slice]:
    """Return the runs around the highest peaks, most certain first; `excess` is the band minus the noise floor.

    A run ends where the excess falls to half of its peak. A run that touches a more certain one is part of that peak,
    not a peak of its own.
    """
    free = excess > 0
    segments: list[slice] = []
    while free.any() and len(segments) < n:
        peak = int(np.argmax(np.where(free, excess, -np.inf)))
        slow = np.flatnonzero(excess < excess[peak] / 2)
        first = int(slow[slow < peak].max(initial=-1)) + 1
        last = int(slow[slow > peak].min(initial=len(excess)))
        if free[first:last].all():
            segments.append(slice(first, last))
        free[max(first - 1, 0) : last + 1] = False
    return segments


def _may_be_named(words: np.ndarray, languages: Sequence[str]) -> Bools:
    """Return a mask of the words that mean something on their own: not numbers, dates or parts of contractions."""
    listed = [str(word) for word in words]
    return ~(is_calendar_word(listed, languages) | is_contraction_part(listed, languages))


def _within(speed: Floats, segment: slice) -> slice:
    """Return the part of the curve around a segment that no gap interrupts."""
    gaps = np.flatnonzero(np.isnan(speed))
    start = int(gaps[gaps < segment.start].max(initial=-1)) + 1
    return slice(start, int(gaps[gaps >= segment.stop].min(initial=len(speed))))


def _at_least(when: Datetimes, around: slice, segment: slice, peak: int, bandwidth: float) -> tuple[str, str]:
    """Return the ends of a period, extended to half a bandwidth on both sides of the peak, but not beyond `around`."""
    reach = as_timedelta(bandwidth / 2)
    first = min(when[segment.start], max(when[peak] - reach, when[around.start]))
    last = max(when[segment.stop - 1], min(when[peak] + reach, when[around.stop - 1]))
    return iso(first), iso(last)


def _steepest(words: np.ndarray, slopes: Floats) -> list[str]:
    """Return the words with the largest slopes above zero, largest first."""
    return [str(words[w]) for w in np.argsort(-slopes, kind="stable")[:N_WORDS] if slopes[w] > 0]


def find(context: Context) -> DriftSpeed:
    """Describe the drift of single words; phrases would count their words twice."""
    return describe_drift(
        context.with_phrases,
        context.items,
        context.word_tests,
        context.when,
        bandwidth=context.options.bandwidth,
        unit=context.unit,
        languages=context.prepared.language.codes,
    )


DRIFT = Finding("drift", find, empty=lambda: DriftSpeed(no_curve(), [], 0.0, []), position=80, since=1)
