"""Gibbs sampling: labels given levels, then every chain of levels in one draw given the labels."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.intensity_chains import sample_levels, sample_topics
from driftline.compute.cpu.intensity_exact import summarise_levels
from driftline.core.progress import track
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics


def infer_gibbs(
    model: IntensityModel,
    rng: np.random.Generator,
    *,
    tail: float = 0.05,
    count: bool = False,
    n_samples: int = 200,
    n_discarded: int = 50,
    verbose: bool = False,
) -> IntensityPosterior:
    """Average over `n_samples` draws after `n_discarded` that are thrown away."""
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    fixed = (model.gaps, model.rates, *model.steps(), model.prior)
    paths = np.full((n_topics, n), n_levels // 2, dtype=np.int64)
    topics, filtered = np.empty(n, dtype=np.int64), np.empty((n, n_levels))
    proba, tally = np.zeros((n, n_topics)), np.zeros((n, n_topics, n_levels))
    moves, events = np.zeros((n_levels, n_levels)), np.zeros(n_levels)
    everywhere = np.arange(n)
    for number in track(range(n_discarded + n_samples), "Gibbs sampling", verbose=verbose):
        if number == n_discarded:
            proba[:] = 0.0
        sample_topics(text, model.rates, paths, rng.random(n), topics, proba)
        for k in range(n_topics):
            weights = (topics == k).astype(np.float64)
            sample_levels(weights, *fixed, rng.random(n), filtered, paths[k])
            if number >= n_discarded:
                tally[everywhere, k, paths[k]] += 1
                if count:
                    np.add.at(moves, (paths[k, :-1], paths[k, 1:]), 1)
                    events += np.bincount(paths[k], weights=weights, minlength=n_levels)
    tally /= n_samples
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    summarise_levels(tally, model.rates, tail, intensity, lower, middle, upper)
    statistics = None
    if count:
        exposure = np.einsum("t,tkl->l", model.gaps, tally)
        statistics = LevelStatistics(moves / n_samples, tally[0].sum(axis=0), events / n_samples, exposure)
    return IntensityPosterior(
        proba / n_samples, intensity, lower, middle, upper, None, n_discarded + n_samples, True, statistics
    )
