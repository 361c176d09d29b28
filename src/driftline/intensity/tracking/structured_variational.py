"""Structured variational inference: labels independent of chains, each chain with its own forward-backward pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.run import run
from driftline.inference.stopping import SmallGain, Stop
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics


def infer_structured(
    model: IntensityModel,
    *,
    tail: float = 0.05,
    count: bool = False,
    tolerance: float = 1e-4,
    max_sweeps: int = 100,
    verbose: bool = False,
) -> IntensityPosterior:
    r"""Alternate q(c_t = k) ∝ p_tk exp E[log λ_k] and the chains' posteriors given q, until the bound stops increasing.

    The bound is :math:`\sum_{tk} q_{tk} (\ln p_{tk} - \ln q_{tk}) + \sum_k \ln Z_k(q)`, where :math:`Z_k` is the
    evidence of chain k when document t counts as :math:`q_{tk}` of a document. It increases with every sweep.
    """
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    fixed = (model.gaps, model.rates, *model.steps(), model.prior)
    stop = Stop(max_sweeps, SmallGain(tolerance * max(1.0, n**0.5)))
    name = "Structured variational inference"
    done = run(METHOD, _Stream(text, fixed), stop=stop, progress=name, verbose=verbose)
    topics, log_rate = done.result
    current_kernels().intensity_chains.expected_topics(text, log_rate, topics)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    moves, first, events, exposure = np.zeros((n_levels, n_levels)), *np.zeros((3, n_levels))
    levels = np.empty((n, n_levels))
    for k in range(n_topics):
        current_kernels().intensity_chains.smooth_chain(
            np.ascontiguousarray(topics[:, k]), *fixed, levels, moves if count else NO_MOVES
        )
        column = np.s_[:, k : k + 1]
        current_kernels().intensity_exact.summarise_levels(
            levels[:, None], model.rates, tail, intensity[column], lower[column], middle[column], upper[column]
        )
        first += levels[0] if n else 0.0
        events += topics[:, k] @ levels
        exposure += model.gaps @ levels
    statistics = LevelStatistics(moves, first, events, exposure) if count else None
    bound, n_sweeps, converged = float(done.objective[0, -1]), int(done.n_steps[0]), bool(done.converged[0])
    return IntensityPosterior(topics, intensity, lower, middle, upper, bound, n_sweeps, converged, statistics)


class _Stream(NamedTuple):
    """The problem: the text evidence of each document, and arguments of the loops over single chains."""

    text: Floats
    fixed: tuple[Floats, Floats, Floats, Floats, int, Floats]


class _Factors(NamedTuple):
    """q(topic) of every document, and E[log λ] of every topic there; the chains follow from the first."""

    topics: Floats
    log_rate: Floats


def _begin(problem: _Stream, rng: np.random.Generator) -> _Factors:
    return _Factors(np.empty(problem.text.shape), np.zeros(problem.text.shape))


def _update_topics(factors: _Factors, problem: _Stream) -> Update[_Factors]:
    return Update(
        factors, current_kernels().intensity_chains.expected_topics(problem.text, factors.log_rate, factors.topics)
    )


def _update_chains(factors: _Factors, problem: _Stream) -> Update[_Factors]:
    rates = problem.fixed[1]
    log_rates, levels, bound = np.log(rates), np.empty((len(problem.text), len(rates))), 0.0
    for k in range(problem.text.shape[1]):
        bound += current_kernels().intensity_chains.smooth_chain(
            np.ascontiguousarray(factors.topics[:, k]), *problem.fixed, levels, NO_MOVES
        )
        factors.log_rate[:, k] = levels @ log_rates
    return Update(factors, bound)


NO_MOVES = np.empty((0, 0))
"""Argument for loops without transition counts."""

METHOD = CoordinateAscent(_begin, (_update_topics, _update_chains))
"""Coordinate ascent: labels and chains in turn."""
