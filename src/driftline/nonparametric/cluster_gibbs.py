r"""Collapsed Gibbs sampling for a Dirichlet process mixture (Neal's algorithm 3): parameters are integrated out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.inference.concentration import draw_concentration, draw_from_slice
from driftline.inference.crp import draw_partition, log_partition
from driftline.inference.gibbs import Gibbs
from driftline.inference.plain_values import copied
from driftline.nonparametric.cluster_items import ROOM, Clusters, Items, Seated, with_room
from driftline.nonparametric.cluster_split_merge import merge_clusters, split_and_merge

FIRST_CONCENTRATION = 100.0
"""Concentration of the process from which the initial clusters are drawn. Sweeps merge small clusters easily and hardly
ever split large ones, so a chain starts with many (`benchmarks/nonparametric/start.py`)."""

FIRST_ROUNDS, ROUND = 3, 5
"""Number of rounds of sweeps and greedy mergers before the first sweep of a chain, and sweeps per round."""


def begin(problem: Seated, rng: np.random.Generator) -> Clusters:
    """Draw the initial clusters from the process."""
    labels = draw_partition(problem.n_items, FIRST_CONCENTRATION, rng)
    return recounted(labels, problem.concentration or 1.0, problem, problem.first_beta)


def begin_merged(problem: Items, rng: np.random.Generator) -> Clusters:
    """Draw the initial clusters, then sweep and merge them in turn; a learned β keeps its initial value.

    Mergers do not leave the posterior invariant, so they end before the chain starts.
    """
    sample = begin(problem, rng)
    for _ in range(FIRST_ROUNDS):
        for _ in range(ROUND):
            sample = draw_alpha(draw_clusters(sample, problem, rng), problem, rng)
        sample = merge_clusters(sample, problem)
    return sample


def recounted(labels: Ints, concentration: float, problem: Seated, beta: float) -> Clusters:
    """Return the sample in which items belong to these clusters."""
    n = int(labels.max(initial=-1)) + 1 + ROOM
    ones = sp.csr_matrix((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), n))
    found = ones.T @ problem.statistics()
    counts = np.ascontiguousarray(found.toarray() if sp.issparse(found) else found)
    totals = np.bincount(labels, weights=problem.lengths, minlength=n).astype(np.float64)
    return Clusters(labels.copy(), counts, totals, np.bincount(labels, minlength=n), concentration, beta)


def draw_clusters(sample: Clusters, problem: Seated, rng: np.random.Generator) -> Clusters:
    """Draw the cluster of each item in turn, given all others."""
    uniforms, done = rng.random(len(sample.labels)), 0
    while True:
        done = problem.sweep(done, sample, uniforms)
        if done == len(sample.labels):
            return sample
        sample = with_room(sample)


def draw_alpha(sample: Clusters, problem: Items, rng: np.random.Generator) -> Clusters:
    """Draw α, if it is learned, given the sizes of clusters."""
    if problem.concentration:
        return sample
    sizes, alpha = sample.sizes[sample.sizes > 0], sample.concentration
    if not problem.discount:
        return sample._replace(concentration=draw_concentration(alpha, len(sizes), len(sample.labels), rng))

    def log_density(log_alpha: float) -> float:
        value = float(np.exp(log_alpha))
        return log_alpha - value + log_partition(sizes, value, discount=problem.discount)

    return sample._replace(concentration=float(np.exp(draw_from_slice(float(np.log(alpha)), log_density, rng))))


def draw_beta(sample: Clusters, problem: Seated, rng: np.random.Generator) -> Clusters:
    """Draw β, if it is learned, given the counts of clusters."""
    return sample._replace(beta=problem.draw_prior(sample, rng))


def log_joint(sample: Clusters, problem: Items) -> float:
    """Return the logarithm of p(clusters, items | α, β), up to a constant."""
    seated = log_partition(sample.sizes, sample.concentration, discount=problem.discount)
    return seated + problem.log_items(sample)


class Best(NamedTuple):
    """The record of a chain: the sample of highest joint probability, that probability, and the numbers of clusters."""

    clusters: Clusters
    objective: float
    n_clusters: Ints


def keep_best(problem: Items, kept: Best | None, sample: Clusters) -> Best:
    """Add a sample to the record."""
    objective, number = log_joint(sample, problem), np.array([(sample.sizes > 0).sum()])
    if kept is None:
        return Best(copied(sample), objective, number)
    numbers = np.concatenate([kept.n_clusters, number])
    if objective > kept.objective:
        return Best(copied(sample), objective, numbers)
    return kept._replace(n_clusters=numbers)


def item_scores(problem: Items, clusters: Clusters, weights: Floats | None = None) -> Floats:
    """Return ln p(item, cluster) of new items, items × (clusters + 1); the last column is a new cluster.

    Clusters have the given weights, or those of the process: their sizes, and α for the new one.
    """
    n = len(clusters.sizes)
    counts = np.concatenate([clusters.counts, np.zeros((1, clusters.counts.shape[1]))])
    totals, sizes = np.append(clusters.totals, 0.0), np.append(clusters.sizes, 0)
    seats = np.append(clusters.sizes - problem.discount, clusters.concentration + n * problem.discount)
    scores = problem.scores(clusters._replace(counts=counts, totals=totals, sizes=sizes))
    with np.errstate(divide="ignore"):
        return np.asarray(scores + np.log(seats / seats.sum() if weights is None else weights))


COLLAPSED_GIBBS: Gibbs[Items, Clusters] = Gibbs(
    begin_merged, (draw_clusters, split_and_merge, draw_alpha, draw_beta), log_joint
)
"""Draws of the clusters of all items, one at a time and then as whole clusters; of α; and of β."""
