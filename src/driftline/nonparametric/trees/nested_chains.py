"""Chains of the sampler of hierarchical topics: the best tree, and the number of nodes in every sample."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed
from driftline.engines.threads import Threads
from driftline.inference.plain_values import copied
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.trees.nested_paths import NESTED_GIBBS, Paths, Tokens, log_joint

LARGEST = float(np.finfo(np.float64).max)


class Kept(NamedTuple):
    """The record of a chain: its best sample, the log joint probability of it, and the nodes of every level."""

    sample: Paths
    objective: float
    n_nodes: Ints


class FoundTree(NamedTuple):
    """Result: parents, levels, documents and counts of nodes; paths; γ; numbers of nodes; and the trace."""

    nodes: tuple[Ints, Ints, Ints, Floats]
    paths: Ints
    concentration: float
    n_nodes: Ints
    trace: Floats
    r_hat: float | None
    effective_samples: float | None


def run_chains(
    problem: Tokens,
    burn_in: int,
    n_samples: int,
    n_chains: int,
    n_jobs: int | None,
    verbose: bool,
    random_state: Seed,
) -> FoundTree:
    """Sample, and return the tree of the sample with the highest joint probability."""
    keep = Keep(burn_in, fold=partial(keep_best, problem))
    stop = Stop(burn_in + n_samples)
    with Threads(n_jobs) as engine:
        done = run(
            NESTED_GIBBS,
            problem,
            stop=stop,
            keep=keep,
            chains=n_chains,
            rng=random_state,
            engine=engine,
            progress="sampling a tree",
            verbose=verbose,
        )
    kept: list[Kept] = list(done.result)
    best = max(kept, key=lambda each: each.objective).sample
    order = depth_first(best)
    place = np.full(len(best.members), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    parents = np.where(best.parents[order] >= 0, place[best.parents[order]], -1)
    r_hat, effective, _ = (None if np.isnan(number) else min(number, LARGEST) for number in done.diagnostics)
    return FoundTree(
        (parents, best.depths[order], best.members[order], best.counts[order]),
        place[best.paths],
        float(best.concentration),
        np.concatenate([each.n_nodes for each in kept]),
        done.objective,
        r_hat,
        effective,
    )


def keep_best(problem: Tokens, kept: Kept | None, sample: Paths) -> Kept:
    """Add a sample to the record."""
    objective = log_joint(sample, problem)
    n_nodes = np.bincount(sample.depths[sample.members > 0], minlength=problem.depth)[None]
    if kept is None:
        return Kept(copied(sample), objective, n_nodes)
    n_nodes = np.concatenate([kept.n_nodes, n_nodes])
    return Kept(copied(sample), objective, n_nodes) if objective > kept.objective else kept._replace(n_nodes=n_nodes)


def depth_first(sample: Paths) -> Ints:
    """Return the rows of nodes, each after its parent, larger children first."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        found.append(node)
        children = np.flatnonzero((sample.parents == node) & (sample.members > 0))
        waiting.extend(children[np.argsort(sample.members[children], kind="stable")].tolist())
    return np.array(found)
