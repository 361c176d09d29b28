"""When the language as a whole moved fastest, and which words moved it."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.analysis.findings import DriftSpeed, FastPeriod
from driftline.analysis.moving_part import moving_part
from driftline.analysis.timeline import iso, series
from driftline.core.arrays import Datetimes, Floats
from driftline.core.times import TimeAxis
from driftline.local.changed_words import ChangedWords
from driftline.local.multinomial import LocalMultinomial
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus

N_WORDS = 8
LEAST_USES = 5.0
"""A word must be used this often around a fast period to be named as moving it."""


def describe_drift(
    corpus: Corpus, tests: ChangedWords, when: Datetimes, *, bandwidth: Any, n_fastest: int = 3
) -> DriftSpeed:
    """Return the speed of the whole distribution over time, and its fastest stretches above the noise."""
    model = LocalMultinomial(bandwidth="cv" if bandwidth == "auto" else bandwidth)
    model.fit(moving_part(corpus, tests.columns[tests.changed]), times=corpus.times)
    speed = model.drift_speed(when)
    curve = Curve(when, speed.value, speed.lower, speed.upper, speed.effective_size, speed.level)
    width = _finite_bandwidth(model, corpus)
    fastest = [
        _describe_stretch(corpus, when, speed.value, speed.noise_floor, stretch, width)
        for stretch in _fast_stretches(speed.lower - speed.noise_floor, n_fastest)
    ]
    floor = [float(f"{value:.6g}") for value in speed.noise_floor]
    return DriftSpeed(series(curve), floor, width, fastest)


def _finite_bandwidth(model: LocalMultinomial, corpus: Corpus) -> float:
    days = TimeAxis("datetime").values(corpus.times)
    return float(min(model.typical_bandwidth_, max(days.max() - days.min(), 0.0)))


def _fast_stretches(excess: Floats, n: int) -> list[slice]:
    """Return the runs about the highest peaks, surest first; `excess` is how far the band clears the noise floor.

    A run ends where the excess falls to half of its peak. A run that meets a surer one is its shoulder, no peak.
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


def _describe_stretch(
    corpus: Corpus,
    when: Datetimes,
    speed: Floats,
    floor: Floats,
    stretch: slice,
    bandwidth: float,
) -> FastPeriod:
    peak = stretch.start + int(np.argmax(speed[stretch]))
    first, last = when[stretch.start], when[stretch.stop - 1]
    rising, falling = _words_that_moved(corpus, first, last, bandwidth)
    return FastPeriod(
        start=iso(first),
        end=iso(last),
        peak=iso(when[peak]),
        speed=float(speed[peak]),
        times_noise_floor=float(speed[peak] / max(floor[peak], np.finfo(np.float64).tiny)),
        rising=rising,
        falling=falling,
    )


def _words_that_moved(
    corpus: Corpus, first: np.datetime64, last: np.datetime64, bandwidth: float
) -> tuple[list[str], list[str]]:
    """Compare the documents about the beginning of the stretch with those about its end, a bandwidth each way."""
    reach = np.timedelta64(round(bandwidth * 86_400e6), "us")
    if last - first < 2 * reach:
        middle = first + (last - first) / 2
        first, last = middle - reach, middle + reach
    before, after = (np.abs(corpus.times - edge) <= reach for edge in (first, last))
    uses_before, uses_after = (np.asarray(corpus.counts[rows].sum(axis=0)).ravel() for rows in (before, after))
    expected_after = (uses_before + uses_after) * uses_after.sum() / max((uses_before + uses_after).sum(), 1.0)
    enough = uses_before + uses_after >= LEAST_USES
    surprise = np.where(enough, (uses_after - expected_after) / np.sqrt(np.maximum(expected_after, 1e-9)), 0.0)
    order = np.argsort(-surprise, kind="stable")
    words = np.asarray(corpus.vocabulary.words)
    rising = [str(words[w]) for w in order[:N_WORDS] if surprise[w] > 2]
    falling = [str(words[w]) for w in order[::-1][:N_WORDS] if surprise[w] < -2]
    return rising, falling
