"""Fully factorised mean field, as in the paper: every level of every document apart. Kept for comparison."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.intensity_chains import expected_topics, mean_field_chain
from driftline.compute.cpu.intensity_exact import summarise_levels
from driftline.core.arrays import Floats
from driftline.core.progress import track
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


def infer_mean_field(
    model: IntensityModel,
    *,
    tail: float = 0.05,
    tolerance: float = 1e-4,
    max_sweeps: int = 200,
    verbose: bool = False,
) -> IntensityPosterior:
    """Update every label and every level in turn until none of them moves by more than `tolerance`.

    A factorised belief must give every pair of neighbouring levels a chance, so a jump of d levels at once, which the
    model forbids, is given the probability of d single steps.
    """
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    log_moves, log_prior = _log_moves(model), np.log(np.maximum(model.prior, 1e-12))
    log_rates = np.log(model.rates)
    topics, log_rate = np.empty((n, n_topics)), np.zeros((n, n_topics))
    levels = np.full((n_topics, n, n_levels), 1 / n_levels)
    n_sweeps, converged = 0, False
    for _ in track(range(max_sweeps), "Mean field", verbose=verbose):
        expected_topics(text, log_rate, topics)
        change = 0.0
        for k in range(n_topics):
            weights = np.ascontiguousarray(topics[:, k])
            change = max(change, mean_field_chain(weights, model.gaps, model.rates, log_moves, log_prior, levels[k]))
            log_rate[:, k] = levels[k] @ log_rates
        n_sweeps += 1
        if change <= tolerance:
            converged = True
            break
    expected_topics(text, log_rate, topics)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    summarise_levels(np.ascontiguousarray(levels.swapaxes(0, 1)), model.rates, tail, intensity, lower, middle, upper)
    return IntensityPosterior(topics, intensity, lower, middle, upper, None, n_sweeps, converged)


def _log_moves(model: IntensityModel) -> Floats:
    n_levels = len(model.rates)
    matrices = model.matrices(0, len(model.gaps))
    distance = np.abs(np.arange(n_levels)[:, None] - np.arange(n_levels))
    single_steps = np.where(distance > 0, np.maximum(model.theta / 2, 1e-6) ** distance, 0.0)
    return np.log(np.maximum(matrices, single_steps))
