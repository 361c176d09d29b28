"""Inference for topics whose centroids drift: a mixture of label histories, or structured variational."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute.cpu.intensity_chains import expected_topics, smooth_chain
from driftline.compute.cpu.intensity_exact import summarise_levels
from driftline.compute.cpu.switching_kalman import mixture_filter, smooth_centroid
from driftline.core.arrays import Floats, Ints
from driftline.core.progress import track
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


class DriftingTopics(NamedTuple):
    """Documents as points, and what is known of the topics' centroids to begin with.

    `centres` and `spreads` (topics × dimensions) are the centroids' first means and variances, `noise` the variance of
    a document around its centroid; a centroid's variance grows by ``drifts[t] * noise`` before document t.
    """

    points: Floats
    centres: Floats
    spreads: Floats
    noise: Floats
    drifts: Floats
    known: Ints


class DriftingPosterior(NamedTuple):
    """Topics, intensities, and the centroids at each document: means and variances, documents × topics × dimensions."""

    intensities: IntensityPosterior
    centroids: Floats
    variances: Floats


def infer_mixture(
    topics: DriftingTopics, model: IntensityModel, *, keep: int = 4, most: int = 256, lag: int = 20, tail: float = 0.05
) -> DriftingPosterior:
    """Filter with the `keep` heaviest label histories of each topic and level; topics are smoothed `lag` documents.

    Intensities and centroids are filtered: each is what was known when its document came.
    """
    n, n_dims = topics.points.shape
    n_topics, n_levels = len(topics.centres), len(model.rates)
    most = min(most, max(keep * n_topics * n_levels, 1))
    proba, rate = np.empty((n, n_topics)), np.empty((n, n_topics))
    means, spread = np.empty((n, n_topics, n_dims)), np.empty((n, n_topics, n_dims))
    evidence = mixture_filter(
        topics.points,
        model.gaps,
        topics.drifts,
        model.rates,
        model.matrices(0, n),
        np.tile(model.prior, (n_topics, 1)),
        topics.centres,
        topics.spreads,
        topics.noise,
        topics.known,
        keep,
        most,
        lag,
        proba,
        means,
        spread,
        rate,
    )
    levels = np.empty((n, n_topics, n_levels))
    for k in range(n_topics):
        chain = np.empty((n, n_levels))
        smooth_chain(
            np.ascontiguousarray(proba[:, k]), model.gaps, model.rates, *model.steps(), model.prior, chain, _NO_MOVES
        )
        levels[:, k] = chain
    posterior = _summarised(proba, levels, model.rates, tail, float(evidence), 1, True)
    return DriftingPosterior(posterior._replace(intensity=rate), means, spread)


def infer_structured_drift(
    topics: DriftingTopics,
    model: IntensityModel,
    start: Floats,
    *,
    tail: float = 0.05,
    tolerance: float = 1e-4,
    max_sweeps: int = 100,
    verbose: bool = False,
) -> DriftingPosterior:
    """Alternate labels, chains of levels and centroids, each given the others' expectations, from the labels `start`.

    Every factor is smoothed over the whole stream. Stops when no label moves by more than `tolerance`.
    """
    n, n_dims = topics.points.shape
    n_topics, n_levels = len(topics.centres), len(model.rates)
    log_rates = np.log(model.rates)
    proba, log_rate = start.copy(), np.empty((n, n_topics))
    levels = np.empty((n_topics, n, n_levels))
    means, variances = np.empty((n_topics, n, n_dims)), np.empty((n_topics, n, n_dims))
    text, fresh = np.empty((n, n_topics)), np.empty((n, n_topics))
    n_sweeps, converged = 0, False
    for _ in track(range(max_sweeps), "Structured variational inference", verbose=verbose):
        for k in range(n_topics):
            weights = np.ascontiguousarray(proba[:, k])
            smooth_chain(weights, model.gaps, model.rates, *model.steps(), model.prior, levels[k], _NO_MOVES)
            log_rate[:, k] = levels[k] @ log_rates
            noise = topics.noise[k]
            smooth_centroid(
                topics.points,
                weights,
                topics.drifts,
                topics.centres[k],
                topics.spreads[k],
                noise,
                means[k],
                variances[k],
            )
            distance = ((topics.points - means[k]) ** 2 + variances[k]) / noise + np.log(2 * np.pi * noise)
            text[:, k] = -0.5 * distance.sum(axis=1)
        given = np.exp(text - text.max(axis=1, keepdims=True))
        told = np.flatnonzero(topics.known >= 0)
        given[told] = np.eye(n_topics)[topics.known[told]]
        expected_topics(np.maximum(given, 1e-300 * (given > 0)), log_rate, fresh)
        change = float(np.abs(fresh - proba).max(initial=0.0))
        proba[:] = fresh
        n_sweeps += 1
        if change <= tolerance:
            converged = True
            break
    posterior = _summarised(proba, levels.swapaxes(0, 1), model.rates, tail, None, n_sweeps, converged)
    return DriftingPosterior(posterior, means.swapaxes(0, 1), variances.swapaxes(0, 1))


_NO_MOVES = np.empty((0, 0))


def _summarised(
    proba: Floats, levels: Floats, rates: Floats, tail: float, evidence: float | None, n_sweeps: int, converged: bool
) -> IntensityPosterior:
    n, n_topics = proba.shape
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    summarise_levels(np.ascontiguousarray(levels), rates, tail, intensity, lower, middle, upper)
    return IntensityPosterior(proba, intensity, lower, middle, upper, evidence, n_sweeps, converged)
