"""Intensities of topics if every document's topic is known: the chains are independent and tracked separately."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from driftline.compute import current_kernels
from driftline.core.arrays import Datetimes, Floats, Ints
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, counted
from driftline.core.times import TimeAxis
from driftline.intensity.bursts.topic_bursts import topic_bursts
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


class _TopicIntensityFields(NamedTuple):
    """The fields of `TopicIntensity`."""

    rate: Floats
    lower: Floats
    upper: Floats
    bursts: pa.Table


class TopicIntensity(Result, _TopicIntensityFields):
    """The rate of one topic at the requested documents, with its interval, and the bursts in order of weight."""

    __slots__ = ()

    def _columns(self) -> Columns:
        return {"rate": self.rate, "lower": self.lower, "upper": self.upper}

    def _summary(self) -> str:
        return f"{counted(len(self.rate), 'document')}, {counted(len(self.bursts), 'burst')}"

    def _picture(self) -> Picture:
        return Curves([Series("rate", np.arange(float(len(self.rate))), self.rate, self.lower, self.upper)])


def intensities_of_known_topics(
    times: Datetimes,
    topics: Ints,
    n_topics: int,
    at: Ints,
    *,
    levels: np.ndarray,
    transition: float,
    interval: float,
) -> Iterator[TopicIntensity]:
    """Yield the intensity of each topic at the documents `at`; times are sorted, topics are 0 to `n_topics` - 1.

    This is the result of `IntensityTracker` with all labels, with the same `levels` (documents per day), `transition`
    and `interval`. It stores the levels of one topic at a time, documents × levels, rather than several arrays of
    documents × topics.

    >>> days = np.datetime64("2024-01-01", "us") + np.arange(100) * np.timedelta64(1, "D")
    >>> topics = (np.arange(100) >= 50).astype(np.int64)
    >>> both = intensities_of_known_topics(
    ...     days, topics, 2, np.array([20, 80]), levels=np.array([0.01, 1.0]), transition=0.02, interval=0.9
    ... )
    >>> [topic.rate.round(1).tolist() for topic in both]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    axis = TimeAxis("datetime")
    moments = axis.values(times)
    gaps, mean_gap = gaps_between(moments)
    n, n_levels, tail = len(moments), len(levels), (1 - interval) / 2
    rates, prior = np.sort(levels) * mean_gap, np.full(n_levels, 1 / n_levels)
    model = IntensityModel(np.empty((n, 0)), gaps, rates, transition, prior)
    fixed = (gaps, rates, *model.steps(), prior)
    beliefs, no_moves = np.empty((n, n_levels)), np.empty((0, 0))
    mean = np.empty((n, 1))
    lower, middle, upper = (np.empty((n, 1), dtype=np.uint8) for _ in range(3))
    for topic in range(n_topics):
        member = (topics == topic).astype(np.float64)
        evidence = current_kernels().intensity_chains.smooth_chain(member, *fixed, beliefs, no_moves)
        current_kernels().intensity_exact.summarise_levels(beliefs[:, None], rates, tail, mean, lower, middle, upper)
        posterior = IntensityPosterior(member[:, None], mean, lower, middle, upper, evidence, 1, converged=True)
        bursts = topic_bursts(posterior, moments, gaps * mean_gap, rates / mean_gap, axis, tail=tail)
        known = rates / mean_gap
        yield TopicIntensity(mean[at, 0] / mean_gap, known[lower[at, 0]], known[upper[at, 0]], bursts)
