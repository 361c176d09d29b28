"""The table of inference methods for a Dirichlet process mixture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed, generator
from driftline.engines.threads import Threads
from driftline.inference.run import LAST, Keep, Run, run
from driftline.inference.stopping import LittleMoved, SmallRise, Stop
from driftline.nonparametric.cluster_auxiliary import WithParameters, auxiliary_gibbs
from driftline.nonparametric.cluster_gibbs import COLLAPSED_GIBBS, Best, keep_best, recounted
from driftline.nonparametric.cluster_items import Clusters, Items
from driftline.nonparametric.cluster_variational import found_clusters, truncated_variational
from driftline.nonparametric.dp_means import chosen_penalty, dp_means

LARGEST = float(np.finfo(np.float64).max)


class Options(NamedTuple):
    """Options of the methods; the names are those of the estimator."""

    burn_in: int
    n_samples: int
    n_chains: int
    n_auxiliary: int
    penalty: float | None
    max_clusters: int
    max_steps: int
    tolerance: float
    n_jobs: int | None
    random_state: Seed
    verbose: bool


class FittedClusters(NamedTuple):
    """Result of a method.

    `weights` are the probabilities of clusters, and (last) of another one, for new documents; None means those of the
    process. `n_clusters` contains the number of clusters in every sample, or in the single result; `trace` is chains ×
    steps.
    """

    clusters: Clusters
    weights: Floats | None
    n_clusters: Ints
    trace: Floats
    r_hat: float | None
    effective_samples: float | None


def sample_clusters(problem: Items, options: Options) -> FittedClusters:
    """Sample by Gibbs sweeps, with parameters integrated out; return the sample of highest joint probability."""
    return _sampled(COLLAPSED_GIBBS, partial(keep_best, problem), problem, options)


def sample_with_parameters(problem: Items, options: Options) -> FittedClusters:
    """Sample by Gibbs sweeps with auxiliary clusters; return the sample of highest joint probability."""

    def fold(kept: Best | None, sample: WithParameters) -> Best:
        return keep_best(problem, kept, sample.clusters)

    return _sampled(auxiliary_gibbs(options.n_auxiliary), fold, problem, options)


def _sampled(method: object, fold: Any, problem: Items, options: Options) -> FittedClusters:
    stop, keep = Stop(options.burn_in + options.n_samples), Keep(options.burn_in, fold=fold)
    done = _run(method, problem, options, stop, keep)
    best = max(done.result, key=lambda kept: kept.objective).clusters.used()
    numbers = np.concatenate([kept.n_clusters for kept in done.result])
    r_hat, effective, _ = (None if np.isnan(number) else min(number, LARGEST) for number in done.diagnostics)
    return FittedClusters(best, None, numbers, done.objective, r_hat, effective)


def ascend_bound(problem: Items, options: Options) -> FittedClusters:
    """Maximise the variational bound; return the clusters of the chain whose bound is highest."""
    method = truncated_variational(min(options.max_clusters, max(problem.n_items, 1)))
    done = _run(method, problem, options, Stop(options.max_steps, SmallRise(options.tolerance)), LAST)
    best = found_clusters(done.result, problem)
    numbers = np.array([len(best.clusters.sizes)])
    return FittedClusters(best.clusters, best.weights, numbers, done.objective, None, None)


def minimise_distances(problem: Items, options: Options) -> FittedClusters:
    """Run DP-means, which has no random start; the trace is minus its cost."""
    alpha = problem.concentration or 1.0
    penalty = chosen_penalty(problem, alpha) if options.penalty is None else options.penalty
    stop = Stop(options.max_steps, LittleMoved(0.0, first=2))
    done = _run(dp_means(penalty), problem, options._replace(n_chains=1), stop, LAST)
    clusters = recounted(done.result.labels, alpha, problem, problem.first_beta).used()
    return FittedClusters(clusters, None, np.array([len(clusters.sizes)]), done.objective, None, None)


METHODS: dict[str, Callable[[Items, Options], FittedClusters]] = {
    "gibbs": sample_clusters,
    "auxiliary": sample_with_parameters,
    "variational": ascend_bound,
    "dp-means": minimise_distances,
}
"""All methods by name."""

SAMPLED = ("gibbs", "auxiliary")
"""Methods whose process may have a discount."""


def _run(method: Any, problem: Items, options: Options, stop: Stop, keep: Keep) -> Run[Any]:
    rng = generator(options.random_state)
    with Threads(options.n_jobs) as engine:
        return run(
            method,
            problem,
            stop=stop,
            keep=keep,
            chains=options.n_chains,
            rng=rng,
            engine=engine,
            verbose=options.verbose,
        )
