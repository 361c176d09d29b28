"""When the vocabulary as a whole changed fastest, and which words changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.analysis.curve_times import iso
from driftline.analysis.finding import Finding
from driftline.analysis.items import Items
from driftline.analysis.shown_curves import no_curve, shown_curve
from driftline.core.arrays import Bools, Datetimes, Floats
from driftline.local.changed_words.discovery import ChangedWords
from driftline.local.reading.unit_drift import unit_drift_speed
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.streams.unit_counts import unit_counts
from driftline.text.headline_words import is_calendar_word, is_contraction_part

if TYPE_CHECKING:
    from driftline.analysis.context import Context

N_WORDS = 8
LEAST_ITEMS = 5.0
"""Minimum number of documents around a fast period that contain a word for it to be listed."""
LARGEST_RATIO = 20.0
"""Largest multiple of the noise floor that is reported; larger values carry no further information."""


@dataclass(frozen=True)
class FastPeriod:
    """A period in which the vocabulary as a whole changed fast, and the words that changed most in it.

    `times_noise_floor` is the ratio of the speed to the noise floor, at most 20.
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
    bandwidth: Any,
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
    named = _may_be_named(corpus, languages)
    excess = np.where(speed.noise_floor > 0, speed.lower - speed.noise_floor, np.nan)
    fastest = [
        _describe_stretch(corpus, items, named, when, speed.value, speed.noise_floor, stretch, found.bandwidth)
        for stretch in _fast_stretches(np.nan_to_num(excess, nan=-np.inf), n_fastest)
    ]
    floor = [None if np.isnan(value) else float(f"{value:.6g}") for value in speed.noise_floor]
    return DriftSpeed(shown_curve(curve), floor, found.bandwidth, fastest)


def _fast_stretches(excess: Floats, n: int) -> list[slice]:
    """Return the runs around the highest peaks, most certain first; `excess` is the band minus the noise floor.

    A run ends where the excess falls to half of its peak. A run that touches a more certain one is its shoulder, not a
    peak.
    """
    free = excess > 0
    stretches: list[slice] = []
    while free.any() and len(stretches) < n:
        peak = int(np.argmax(np.where(free, excess, -np.inf)))
        slow = np.flatnonzero(excess < excess[peak] / 2)
        first = int(slow[slow < peak].max(initial=-1)) + 1
        last = int(slow[slow > peak].min(initial=len(excess)))
        if free[first:last].all():
            stretches.append(slice(first, last))
        free[max(first - 1, 0) : last + 1] = False
    return stretches


def _may_be_named(corpus: Corpus, languages: Sequence[str]) -> Bools:
    """Return which words mean something by themselves: not numbers and dates, nor parts of contractions."""
    words = [str(word) for word in corpus.vocabulary.words]
    return ~(is_calendar_word(words, languages) | is_contraction_part(words, languages))


def _describe_stretch(
    corpus: Corpus,
    items: Items,
    named: Bools,
    when: Datetimes,
    speed: Floats,
    floor: Floats,
    stretch: slice,
    bandwidth: float,
) -> FastPeriod:
    peak = stretch.start + int(np.argmax(speed[stretch]))
    first, last = when[stretch.start], when[stretch.stop - 1]
    rising, falling = _words_that_moved(corpus, items, named, first, last, bandwidth)
    return FastPeriod(
        start=iso(first),
        end=iso(last),
        peak=iso(when[peak]),
        speed=float(speed[peak]),
        times_noise_floor=float(min(speed[peak] / floor[peak], LARGEST_RATIO)),
        rising=rising,
        falling=falling,
    )


def _words_that_moved(
    corpus: Corpus, items: Items, named: Bools, first: np.datetime64, last: np.datetime64, bandwidth: float
) -> tuple[list[str], list[str]]:
    """Compare the documents around the end of a period with those around its start; most surprising words first."""
    reach = np.timedelta64(round(bandwidth * 86_400e6), "us")
    if last - first < 2 * reach:
        middle = first + (last - first) / 2
        first, last = middle - reach, middle + reach
    held, sizes = [], []
    for edge in (first, last):
        near = items.counts[np.abs(items.times - edge) <= reach]
        held.append(np.bincount(near.indices[near.data > 0], minlength=near.shape[1]).astype(np.float64))
        sizes.append(float(near.shape[0]))
    both = held[0] + held[1]
    expected = both * sizes[1] / max(sum(sizes), 1.0)
    enough = (both >= LEAST_ITEMS) & named
    surprise = np.where(enough, (held[1] - expected) / np.sqrt(np.maximum(expected, 1e-9)), 0.0)
    order = np.argsort(-surprise, kind="stable")
    words = np.asarray(corpus.vocabulary.words)
    rising = [str(words[w]) for w in order[:N_WORDS] if surprise[w] > 2]
    falling = [str(words[w]) for w in order[::-1][:N_WORDS] if surprise[w] < -2]
    return rising, falling


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
