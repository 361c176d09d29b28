"""Chains of samplers of clusters over time: the best sample, and the numbers of live, new and ended clusters."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed
from driftline.engines.threads import Threads
from driftline.inference.gibbs import Gibbs
from driftline.inference.plain_values import copied
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.temporal.cluster_history import lives

LARGEST = float(np.finfo(np.float64).max)


class Sampling(NamedTuple):
    """Options of a run."""

    burn_in: int
    n_samples: int
    n_chains: int
    n_jobs: int | None
    verbose: bool


class Kept(NamedTuple):
    """The record of a chain: its best sample, the log joint probability of it, numbers of clusters, and lives."""

    sample: Any
    objective: float
    n_clusters: Ints
    lives: Ints


class FoundClusters(NamedTuple):
    """Result: the best sample of all chains; numbers of clusters and lives of all samples; and the trace."""

    sample: Any
    n_clusters: Ints
    lives: Ints
    trace: Floats
    r_hat: float | None
    effective_samples: float | None


def sample_clusters(
    method: Gibbs[Any, Any], problem: object, epochs: Ints, options: Sampling, random_state: Seed
) -> FoundClusters:
    """Run the chains; `epochs` are the epochs of documents, for the lives of clusters."""
    fold = partial(keep_best, method, problem, epochs, int(epochs.max(initial=-1)) + 1)
    keep, stop = Keep(options.burn_in, fold=fold), Stop(options.burn_in + options.n_samples)
    with Threads(options.n_jobs) as engine:
        done = run(
            method,
            problem,
            stop=stop,
            keep=keep,
            chains=options.n_chains,
            rng=random_state,
            engine=engine,
            verbose=options.verbose,
        )
    kept: list[Kept] = list(done.result)
    best = max(kept, key=lambda each: each.objective)
    n_clusters, over_time = (np.concatenate([each[place] for each in kept]) for place in (2, 3))
    r_hat, effective, _ = (None if np.isnan(number) else min(number, LARGEST) for number in done.diagnostics)
    return FoundClusters(best.sample, n_clusters, over_time, done.objective, r_hat, effective)


def keep_best(
    method: Gibbs[Any, Any], problem: object, epochs: Ints, n_epochs: int, kept: Kept | None, sample: Any
) -> Kept:
    """Add a sample to the record."""
    assert method.measure is not None
    objective = method.measure(sample, problem)
    number, over_time = np.array([len(np.unique(sample.labels))]), lives(sample.labels, epochs, n_epochs)[None]
    if kept is None:
        return Kept(copied(sample), objective, number, over_time)
    number, over_time = np.concatenate([kept.n_clusters, number]), np.concatenate([kept.lives, over_time])
    if objective > kept.objective:
        return Kept(copied(sample), objective, number, over_time)
    return kept._replace(n_clusters=number, lives=over_time)
