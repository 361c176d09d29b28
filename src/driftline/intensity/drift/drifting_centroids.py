"""Inference for topics whose centroids drift: a mixture of label histories, or structured variational."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior


class DriftingTopics(NamedTuple):
    """Documents as points, and the prior of the topics' centroids.

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
    """Filter with the `keep` most probable label histories per topic and level; smooth topics over `lag` documents.

    Intensities and centroids are filtered: each uses the documents up to its own.
    """
    n, n_dims = topics.points.shape
    n_topics, n_levels = len(topics.centres), len(model.rates)
    most = min(most, max(keep * n_topics * n_levels, 1))
    proba, rate = np.empty((n, n_topics)), np.empty((n, n_topics))
    means, spread = np.empty((n, n_topics, n_dims)), np.empty((n, n_topics, n_dims))
    evidence = current_kernels().switching_kalman.mixture_filter(
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
        current_kernels().intensity_chains.smooth_chain(
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

    Every factor is smoothed over the whole stream. Stops when no label changes by more than `tolerance`.
    """
    problem = _Drifting(topics, model.rates, (model.gaps, model.rates, *model.steps(), model.prior), start)
    stop = Stop(max_sweeps, LittleMoved(tolerance))
    done = run(METHOD, problem, stop=stop, progress="Structured variational inference", verbose=verbose)
    found, n_sweeps, converged = done.result, int(done.n_steps[0]), bool(done.converged[0])
    posterior = _summarised(found.proba, found.levels.swapaxes(0, 1), model.rates, tail, None, n_sweeps, converged)
    return DriftingPosterior(posterior, found.means.swapaxes(0, 1), found.variances.swapaxes(0, 1))


class _Drifting(NamedTuple):
    """The problem: topics and documents, the rates, arguments of the loops over single chains, and the first labels."""

    topics: DriftingTopics
    rates: Floats
    fixed: tuple[object, ...]
    start: Floats


class _Factors(NamedTuple):
    """Labels, documents × topics; levels, topics × documents × levels; the centroids' means and variances.

    `log_rate` is E[log λ] and `text` E[log p(document | centroid)], both documents × topics.
    """

    proba: Floats
    levels: Floats
    means: Floats
    variances: Floats
    log_rate: Floats
    text: Floats


def _begin(problem: _Drifting, rng: np.random.Generator) -> _Factors:
    (n, n_topics), n_dims = problem.start.shape, problem.topics.points.shape[1]
    levels = np.empty((n_topics, n, len(problem.rates)))
    means, variances = np.empty((n_topics, n, n_dims)), np.empty((n_topics, n, n_dims))
    return _Factors(problem.start.copy(), levels, means, variances, np.empty((n, n_topics)), np.empty((n, n_topics)))


def _update_topics(factors: _Factors, problem: _Drifting) -> Update[_Factors]:
    """Update every topic's chain of levels and its centroid, given the labels."""
    topics, log_rates = problem.topics, np.log(problem.rates)
    for k in range(factors.proba.shape[1]):
        weights = np.ascontiguousarray(factors.proba[:, k])
        current_kernels().intensity_chains.smooth_chain(weights, *problem.fixed, factors.levels[k], _NO_MOVES)
        factors.log_rate[:, k] = factors.levels[k] @ log_rates
        noise, means, variances = topics.noise[k], factors.means[k], factors.variances[k]
        first = (topics.centres[k], topics.spreads[k], noise)
        current_kernels().switching_kalman.smooth_centroid(
            topics.points, weights, topics.drifts, *first, means, variances
        )
        distance = ((topics.points - means) ** 2 + variances) / noise + np.log(2 * np.pi * noise)
        factors.text[:, k] = -0.5 * distance.sum(axis=1)
    return Update(factors)


def _update_labels(factors: _Factors, problem: _Drifting) -> Update[_Factors]:
    known = problem.topics.known
    given = np.exp(factors.text - factors.text.max(axis=1, keepdims=True))
    labelled = np.flatnonzero(known >= 0)
    given[labelled] = np.eye(given.shape[1])[known[labelled]]
    fresh = np.empty_like(factors.proba)
    current_kernels().intensity_chains.expected_topics(np.maximum(given, 1e-300 * (given > 0)), factors.log_rate, fresh)
    change = float(np.abs(fresh - factors.proba).max(initial=0.0))
    return Update(factors._replace(proba=fresh), moved=change)


METHOD = CoordinateAscent(_begin, (_update_topics, _update_labels))
"""Coordinate ascent: chains and centroids of all topics, then labels."""

_NO_MOVES = np.empty((0, 0))
"""Argument for loops without transition counts."""


def _summarised(
    proba: Floats, levels: Floats, rates: Floats, tail: float, evidence: float | None, n_sweeps: int, converged: bool
) -> IntensityPosterior:
    n, n_topics = proba.shape
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    current_kernels().intensity_exact.summarise_levels(
        np.ascontiguousarray(levels), rates, tail, intensity, lower, middle, upper
    )
    return IntensityPosterior(proba, intensity, lower, middle, upper, evidence, n_sweeps, converged)
