"""Structured variational inference: labels apart from chains, each chain by its own forward-backward pass."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.intensity_chains import expected_topics, smooth_chain
from driftline.compute.cpu.intensity_exact import summarise_levels
from driftline.core.progress import track
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
    r"""Alternate q(c_t = k) ∝ p_tk exp E[log λ_k] and the chains' posteriors given q, until the bound stops rising.

    The bound is :math:`\sum_{tk} q_{tk} (\ln p_{tk} - \ln q_{tk}) + \sum_k \ln Z_k(q)`, where :math:`Z_k` is the
    evidence of chain k when document t counts as :math:`q_{tk}` of a document. It rises with every sweep.
    """
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    fixed = (model.gaps, model.rates, *model.steps(), model.prior)
    log_rates = np.log(model.rates)
    topics, log_rate = np.empty((n, n_topics)), np.zeros((n, n_topics))
    levels, no_moves = np.empty((n, n_levels)), np.empty((0, 0))
    bound, n_sweeps, converged = -np.inf, 0, False
    for _ in track(range(max_sweeps), "Structured variational inference", verbose=verbose):
        entropy = expected_topics(text, log_rate, topics)
        chains = 0.0
        for k in range(n_topics):
            chains += smooth_chain(np.ascontiguousarray(topics[:, k]), *fixed, levels, no_moves)
            log_rate[:, k] = levels @ log_rates
        n_sweeps += 1
        before, bound = bound, entropy + chains
        if bound - before <= tolerance * max(1.0, n**0.5):
            converged = True
            break
    expected_topics(text, log_rate, topics)
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    moves, first, events, exposure = np.zeros((n_levels, n_levels)), *np.zeros((3, n_levels))
    for k in range(n_topics):
        smooth_chain(np.ascontiguousarray(topics[:, k]), *fixed, levels, moves if count else no_moves)
        column = np.s_[:, k : k + 1]
        summarise_levels(
            levels[:, None], model.rates, tail, intensity[column], lower[column], middle[column], upper[column]
        )
        first += levels[0] if n else 0.0
        events += topics[:, k] @ levels
        exposure += model.gaps @ levels
    statistics = LevelStatistics(moves, first, events, exposure) if count else None
    return IntensityPosterior(topics, intensity, lower, middle, upper, float(bound), n_sweeps, converged, statistics)
