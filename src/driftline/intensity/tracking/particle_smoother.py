"""Particle filtering with backward simulation, as in the paper. Kept for comparison, and for checks by chance."""

from __future__ import annotations

import numpy as np

from driftline.compute import kernels
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
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    matrices = model.matrices(0, n)
    history = np.empty((n, n_particles, n_topics), dtype=np.uint8)
    log_weights = np.empty((n, n_particles))
    evidence = kernels().particles.particle_filter(
        text, model.gaps, model.rates, matrices, model.prior, n_particles, rng, history, log_weights
    )
    paths = np.empty((n, n_paths, n_topics), dtype=np.uint8)
    kernels().particles.sample_smoothed(history, log_weights, matrices, n_paths, rng, paths)
    rates = model.rates[paths]
    chance = rates * text[:, None]
    topics = (chance / chance.sum(axis=2, keepdims=True)).mean(axis=1)
    tally = (paths[:, :, :, None] == np.arange(n_levels)).mean(axis=1)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    kernels().intensity_exact.summarise_levels(tally, model.rates, tail, intensity, lower, middle, upper)
    return IntensityPosterior(topics, intensity, lower, middle, upper, float(evidence), 1, True)
