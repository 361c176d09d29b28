"""A particle filter on the explicit process (EDA-IT), for checking the implicit model of the other methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.randomness import Seed, generator
from driftline.core.results import Columns, Result, counted, long_columns
from driftline.inference.particles import WHEN_HALF_COUNT, ParticleFilter, Resampling, filtered
from driftline.intensity.tracking.compiled_filter import compiled_filter
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel

MOST_LEVELS = 255
"""Largest number of rates: levels are stored in one byte."""


class _ExplicitFilterFields(NamedTuple):
    """The fields of `ExplicitFilter`."""

    topic_proba: Floats
    intensity: Floats
    waiting: Floats
    log_evidence: float


class ExplicitFilter(Result, _ExplicitFilterFields):
    """Filtered estimates at each document, in time order: documents × topics.

    `topic_proba` are p(topic | documents so far), `intensity` the topics' mean rates, `waiting` the mean time since the
    topic's last document.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        matrices = {"probability": self.topic_proba.T, "intensity": self.intensity.T, "waiting": self.waiting.T}
        columns = long_columns({"topic": range(self.intensity.shape[1])}, range(len(self.intensity)), **matrices)
        return {"document" if name == "time" else name: values for name, values in columns.items()}

    def _summary(self) -> str:
        n_documents, n_topics = self.intensity.shape
        return f"{counted(n_documents, 'document')}, {counted(n_topics, 'topic')}, log-evidence {self.log_evidence:.6g}"

    def _picture(self) -> Picture:
        places = np.arange(float(len(self.intensity)))
        return Curves([Series(f"topic {k}", places, rates) for k, rates in enumerate(self.intensity.T)])


def filter_explicit_stream(
    log_likelihoods: npt.ArrayLike,
    times: Times,
    *,
    rates: npt.ArrayLike,
    transition: float = 0.1,
    n_particles: int = 2000,
    resampling: str = "systematic",
    random_state: Seed = None,
) -> ExplicitFilter:
    """Filter a stream by the explicit process, in which each topic keeps its schedule.

    `log_likelihoods` is log p(document | topic); `times` are ascending numbers, `rates` the levels. The cost is
    O(documents · particles · topics), and the accuracy depends on the number of particles. If the effective number
    falls below half, they are resampled, by `resampling`: "systematic" or "stratified".

    >>> found = filter_explicit_stream(np.zeros((3, 2)), [0.0, 1.0, 2.0], rates=[0.5, 2.0], random_state=0)
    >>> found.topic_proba.sum(axis=1).round(6)
    array([1., 1., 1.])
    """
    logs, moments = np.asarray(log_likelihoods, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if logs.ndim != 2 or moments.shape != logs.shape[:1]:
        raise InvalidInput(
            f"log_likelihoods must be documents × topics, with a time per document; they have the shape {logs.shape}, "
            f"and times {moments.shape}"
        )
    if not np.isfinite(moments).all() or (np.diff(moments) < 0).any():
        raise InvalidInput("times must be finite and in order; sort the documents by time")
    given = np.sort(np.atleast_1d(np.asarray(rates, dtype=np.float64)))
    if given.ndim != 1 or not ((given > 0) & (given < np.inf)).all() or not 1 <= len(given) <= MOST_LEVELS:
        raise InvalidInput(f"rates must be 1 to {MOST_LEVELS} positive numbers, not {rates!r}")
    if not 0 <= transition <= 1 or n_particles < 1:
        raise InvalidInput(
            f"transition must be a probability, and n_particles at least 1, not {transition!r} and {n_particles!r}"
        )
    text = text_evidence(logs, known_topics(None, *logs.shape))
    gaps, mean_gap = gaps_between(moments)
    levels = given * mean_gap
    prior = np.full(len(levels), 1 / len(levels))
    model = IntensityModel(text, gaps, levels, transition, prior)
    problem = _Stream(text, gaps, np.cumsum(gaps), levels, model.matrices(0, len(gaps)), prior)
    ended = filtered(schedule_filter(n_particles, Resampling(resampling)), problem, generator(random_state))
    topics, intensity, waiting = ended.trace
    return ExplicitFilter(topics, intensity / mean_gap, waiting * mean_gap, ended.log_evidence)


def schedule_filter(
    n_particles: int, resampling: Resampling = WHEN_HALF_COUNT
) -> ParticleFilter[_Stream, _Schedules, _Trace]:
    """Return the method whose particles are schedules of all topics."""
    return compiled_filter(lambda: current_kernels().particles.explicit_filter, _begin, n_particles, resampling)


class _Stream(NamedTuple):
    """The problem: the text's evidence, gaps and times of documents; rates, transition matrices, the first level."""

    text: Floats
    gaps: Floats
    times: Floats
    rates: Floats
    matrices: Floats
    prior: Floats


class _Schedules(NamedTuple):
    """Particles × topics: the level, the level of the next document, and the time of the latest one."""

    levels: np.ndarray
    scheduled: np.ndarray
    latest: Floats


_Trace = tuple[Floats, Floats, Floats]


def _begin(problem: _Stream, n_particles: int) -> tuple[_Schedules, _Trace]:
    shape = (n_particles, problem.text.shape[1])
    levels, scheduled = np.zeros((2, *shape), dtype=np.uint8)
    topics, intensity, waiting = np.zeros((3, *problem.text.shape))
    return _Schedules(levels, scheduled, np.zeros(shape)), (topics, intensity, waiting)
