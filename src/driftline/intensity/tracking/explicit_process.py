"""A particle filter on the explicit process (EDA-IT), for checking the implicit model of the other methods."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Times
from driftline.core.randomness import Seed, generator
from driftline.inference.particles import ParticleFilter, Particles, Resampling, filtered
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel


class ExplicitFilter(NamedTuple):
    """Filtered estimates at each document, in time order: documents × topics.

    `topic_proba` are p(topic | documents so far), `intensity` the topics' mean rates, `waiting` the mean time since the
    topic's last document.
    """

    topic_proba: Floats
    intensity: Floats
    waiting: Floats
    log_evidence: float


def filter_explicit_stream(
    log_likelihoods: Any,
    times: Times | None,
    *,
    rates: Any,
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
    logs = np.asarray(log_likelihoods, dtype=np.float64)
    text = text_evidence(logs, known_topics(None, *logs.shape))
    gaps, mean_gap = gaps_between(np.asarray(times, dtype=np.float64))
    levels = np.sort(np.asarray(rates, dtype=np.float64)) * mean_gap
    prior = np.full(len(levels), 1 / len(levels))
    model = IntensityModel(text, gaps, levels, transition, prior)
    problem = _Stream(text, gaps, np.cumsum(gaps), levels, model.matrices(0, len(gaps)), prior)
    method = ParticleFilter(_begin, _advance, _length, n_particles, Resampling(resampling))
    ended = filtered(method, problem, generator(random_state))
    topics, intensity, waiting = ended.trace
    return ExplicitFilter(topics, intensity / mean_gap, waiting * mean_gap, ended.log_evidence)


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

    levels: Any
    scheduled: Any
    latest: Floats


_Trace = tuple[Floats, Floats, Floats]


def _begin(problem: _Stream, n_particles: int) -> tuple[_Schedules, _Trace]:
    shape = (n_particles, problem.text.shape[1])
    levels, scheduled = np.zeros((2, *shape), dtype=np.uint8)
    topics, intensity, waiting = np.zeros((3, *problem.text.shape))
    return _Schedules(levels, scheduled, np.zeros(shape)), (topics, intensity, waiting)


def _advance(
    particles: Particles[_Schedules, _Trace],
    problem: _Stream,
    last: int,
    resampling: Resampling,
    rng: np.random.Generator,
) -> float:
    block = (particles.position, last, resampling.arguments(), rng, particles.log_evidence)
    found: float = current_kernels().particles.explicit_filter(
        *problem, *block, *particles.values, particles.weights, *particles.trace
    )
    return found


def _length(problem: _Stream) -> int:
    return len(problem.text)
