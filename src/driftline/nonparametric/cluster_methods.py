"""The table of inference methods for a Dirichlet process mixture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import generator
from driftline.engines.threads import Threads
from driftline.inference.run import LAST, Keep, Run, run
from driftline.inference.stopping import SmallRise, Stop
from driftline.nonparametric.cluster_gibbs import COLLAPSED_GIBBS, Clusters, Documents, keep_best
from driftline.nonparametric.cluster_variational import found_clusters, truncated_variational

LARGEST = float(np.finfo(np.float64).max)


class Options(NamedTuple):
    """Options of the methods; the names are those of the estimator."""

    burn_in: int
    n_samples: int
    n_chains: int
    max_clusters: int
    max_steps: int
    tolerance: float
    n_jobs: int | None
    random_state: Any
    verbose: bool


class FittedClusters(NamedTuple):
    """Result of a method.

    `weights` are those with which new documents join a cluster or (last) another one; None: those of the process.
    `n_clusters` has the number of clusters of every sample, or of the one answer; `trace` is chains × steps.
    """

    clusters: Clusters
    weights: Floats | None
    n_clusters: Ints
    trace: Floats
    r_hat: float | None
    effective_samples: float | None


def sample_clusters(problem: Documents, options: Options) -> FittedClusters:
    """Sample by Gibbs sweeps; return the sample of highest joint probability."""
    stop, keep = Stop(options.burn_in + options.n_samples), Keep(options.burn_in, fold=partial(keep_best, problem))
    done = _run(COLLAPSED_GIBBS, problem, options, stop, keep)
    best = max(done.result, key=lambda kept: kept.objective).clusters.used()
    numbers = np.concatenate([kept.n_clusters for kept in done.result])
    r_hat, effective, _ = (None if np.isnan(number) else min(number, LARGEST) for number in done.diagnostics)
    return FittedClusters(best, None, numbers, done.objective, r_hat, effective)


def ascend_bound(problem: Documents, options: Options) -> FittedClusters:
    """Maximise the variational bound; return the clusters of the chain whose bound is highest."""
    method = truncated_variational(min(options.max_clusters, max(len(problem.indptr) - 1, 1)))
    done = _run(method, problem, options, Stop(options.max_steps, SmallRise(options.tolerance)), LAST)
    best = found_clusters(done.result, problem)
    numbers = np.array([len(best.clusters.sizes)])
    return FittedClusters(best.clusters, best.weights, numbers, done.objective, None, None)


METHODS: dict[str, Callable[[Documents, Options], FittedClusters]] = {
    "gibbs": sample_clusters,
    "variational": ascend_bound,
}
"""All methods by name."""


def _run(method: Any, problem: Documents, options: Options, stop: Stop, keep: Keep) -> Run[Any]:
    rng = generator(options.random_state)
    with Threads(options.n_jobs) as engine:
        chains: dict[str, Any] = {"chains": options.n_chains, "rng": rng, "engine": engine}
        return run(method, problem, stop=stop, keep=keep, verbose=options.verbose, **chains)
