"""Fully factorised mean field, as in the paper: every level of every document is independent. Kept for comparison."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


def infer_mean_field(
    model: IntensityModel,
    *,
    tail: float = 0.05,
    tolerance: float = 1e-4,
    max_sweeps: int = 200,
    verbose: bool = False,
) -> IntensityPosterior:
    """Update every label and every level in turn until none of them changes by more than `tolerance`.

    A factorised distribution needs a positive probability for every pair of neighbouring levels, so a jump of d levels
    at once, which the model excludes, gets the probability of d single steps.
    """
    n, n_topics, _ = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    log_prior = np.log(np.maximum(model.prior, 1e-12))
    problem = _Stream(text, model.gaps, model.rates, _log_moves(model), log_prior)
    stop = Stop(max_sweeps, LittleMoved(tolerance))
    done = run(METHOD, problem, stop=stop, progress="Mean field", verbose=verbose)
    topics, log_rate, levels = done.result
    current_kernels().intensity_chains.expected_topics(text, log_rate, topics)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    current_kernels().intensity_exact.summarise_levels(
        np.ascontiguousarray(levels.swapaxes(0, 1)), model.rates, tail, intensity, lower, middle, upper
    )
    n_sweeps, converged = int(done.n_steps[0]), bool(done.converged[0])
    return IntensityPosterior(topics, intensity, lower, middle, upper, None, n_sweeps, converged)


class _Stream(NamedTuple):
    """The problem: the text evidence of each document, the gaps, and the parameters as logarithms."""

    text: Floats
    gaps: Floats
    rates: Floats
    log_moves: Floats
    log_prior: Floats


class _Factors(NamedTuple):
    """q(topic) of every document, E[log λ] of every topic there, and q(level), topics × documents × levels."""

    topics: Floats
    log_rate: Floats
    levels: Floats


def _begin(problem: _Stream, rng: np.random.Generator) -> _Factors:
    (n, n_topics), n_levels = problem.text.shape, len(problem.rates)
    return _Factors(np.empty((n, n_topics)), np.zeros((n, n_topics)), np.full((n_topics, n, n_levels), 1 / n_levels))


def _update_topics(factors: _Factors, problem: _Stream) -> Update[_Factors]:
    current_kernels().intensity_chains.expected_topics(problem.text, factors.log_rate, factors.topics)
    return Update(factors)


def _update_levels(factors: _Factors, problem: _Stream) -> Update[_Factors]:
    log_rates, change = np.log(problem.rates), 0.0
    for k, levels in enumerate(factors.levels):
        weights = np.ascontiguousarray(factors.topics[:, k])
        moved = current_kernels().intensity_chains.mean_field_chain(
            weights, problem.gaps, problem.rates, problem.log_moves, problem.log_prior, levels
        )
        change = max(change, moved)
        factors.log_rate[:, k] = levels @ log_rates
    return Update(factors, moved=change)


METHOD = CoordinateAscent(_begin, (_update_topics, _update_levels))
"""Coordinate ascent: every label, then every level."""


def _log_moves(model: IntensityModel) -> Floats:
    n_levels = len(model.rates)
    matrices = model.matrices(0, len(model.gaps))
    distance = np.abs(np.arange(n_levels)[:, None] - np.arange(n_levels))
    single_steps = np.where(distance > 0, np.maximum(model.theta / 2, 1e-6) ** distance, 0.0)
    return np.log(np.maximum(matrices, single_steps))
