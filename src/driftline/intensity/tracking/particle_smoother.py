"""Particle filtering with backward simulation, as in the paper. Kept for comparison, and for checks by simulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.inference.particles import WHEN_HALF_COUNT, ParticleFilter, Resampling, filtered
from driftline.intensity.tracking.compiled_filter import compiled_filter
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


def infer_particle(
    model: IntensityModel,
    rng: np.random.Generator,
    *,
    tail: float = 0.05,
    n_particles: int = 1000,
    n_paths: int = 100,
) -> IntensityPosterior:
    """Filter with `n_particles`, then draw `n_paths` whole histories from the smoothing distribution."""
    n, n_topics, n_levels = model.shape
    problem = Stream.of(model)
    ended = filtered(level_filter(n_particles), problem, rng)
    paths = np.empty((n, n_paths, n_topics), dtype=np.uint8)
    current_kernels().particles.sample_smoothed(*ended.trace, problem.matrices, n_paths, rng, paths)
    rates = model.rates[paths]
    chance = rates * problem.text[:, None]
    topics = (chance / chance.sum(axis=2, keepdims=True)).mean(axis=1)
    tally = (paths[:, :, :, None] == np.arange(n_levels)).mean(axis=1)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    current_kernels().intensity_exact.summarise_levels(tally, model.rates, tail, intensity, lower, middle, upper)
    return IntensityPosterior(topics, intensity, lower, middle, upper, ended.log_evidence, 1, True)


class Stream(NamedTuple):
    """The problem: the text's evidence on each document, gaps, rates, transition matrices, and the first level."""

    text: Floats
    gaps: Floats
    rates: Floats
    matrices: Floats
    prior: Floats

    @classmethod
    def of(cls, model: IntensityModel) -> Stream:
        """Create the problem from a prepared model."""
        text = np.ascontiguousarray(model.text, dtype=np.float64)
        return cls(text, model.gaps, model.rates, model.matrices(0, len(text)), model.prior)


class History(NamedTuple):
    """The particles of every document (documents × particles × topics) and the logarithms of their weights."""

    levels: np.ndarray
    log_weights: Floats


def level_filter(
    n_particles: int, resampling: Resampling = WHEN_HALF_COUNT
) -> ParticleFilter[Stream, tuple[np.ndarray], History]:
    """Return the filter whose particles are a level for every topic."""
    return compiled_filter(lambda: current_kernels().particles.particle_filter, _begin, n_particles, resampling)


def _begin(problem: Stream, n_particles: int) -> tuple[tuple[np.ndarray], History]:
    n, n_topics = problem.text.shape
    levels = np.zeros((n_particles, n_topics), dtype=np.uint8)
    return (levels,), History(np.zeros((n, *levels.shape), dtype=np.uint8), np.zeros((n, n_particles)))
