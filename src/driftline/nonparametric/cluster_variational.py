r"""Variational inference for a Dirichlet process mixture, truncated at T clusters.

After Blei and Jordan (2006). The posterior is approximated by independent factors for the sticks (which define the
weights π of clusters), the parameters :math:`\theta_k` of each cluster (its words, or its means and variances), α, and
the cluster of each item:

.. math:: q(z_i = k) \propto \exp\bigl(E[\ln \pi_k] + E[\ln p(x_i \mid \theta_k)]\bigr)                             (1)

with the expected statistics :math:`c_k = \sum_i q(z_i = k) t(x_i)` and sizes :math:`n_k = \sum_i q(z_i = k)` (2); the
statistics of a document are its counts. Each update is optimal given the other factors, so the bound never decreases. A
learned β is a parameter that maximises the bound, given the counts.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from driftline.core.arrays import Floats, Ints
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.stick_breaking import (
    Gamma,
    by_size,
    expected_log_weights,
    expected_weights,
    learn_concentration,
    stick_divergence,
    stick_posterior,
)
from driftline.nonparametric.cluster_gibbs import begin, draw_clusters
from driftline.nonparametric.cluster_items import Clusters, Items

PRIOR = Gamma(1.0, 1.0)
"""Prior of α, as in Gibbs sampling."""

BLOCK = 2048
"""Number of items whose probabilities are in memory at a time."""


FIRST_SWEEPS = 10
"""Number of Gibbs sweeps before the first update. Updates alone hardly reassign documents from random clusters
(`benchmarks/nonparametric/variational.py`)."""


class Factors(NamedTuple):
    """The sticks, (T - 1) × 2; the expected statistics and sizes of clusters (2); every item's best cluster; q(α).

    If α is given, q(α) is not used. β is the prior of words. `bound` is the evidence lower bound.
    """

    sticks: Floats
    counts: Floats
    sizes: Floats
    labels: Ints
    concentration: Gamma
    beta: float
    bound: float


class Found(NamedTuple):
    """The clusters that are the most probable for some item, the largest first; and the weights for new items.

    `weights` has one more entry than there are clusters: the weight of all others.
    """

    clusters: Clusters
    weights: Floats


def begin_factors(max_clusters: int, problem: Items, rng: np.random.Generator) -> Factors:
    """Start with the largest clusters after a few Gibbs sweeps."""
    sample = begin(problem, rng)
    for _ in range(FIRST_SWEEPS):
        sample = draw_clusters(sample, problem, rng)
    sample = sample.used()
    counts, sizes = np.zeros((max_clusters, sample.counts.shape[1])), np.zeros(max_clusters)
    n = min(max_clusters, len(sample.sizes))
    counts[:n], sizes[:n] = sample.counts[:n], sample.sizes[:n]
    sticks = stick_posterior(sizes, problem.concentration or PRIOR.mean)
    factors = Factors(sticks, counts, sizes, sample.labels, PRIOR, problem.first_beta, 0.0)
    return update_items(factors, problem).factors


def order_clusters(factors: Factors, problem: Items) -> Update[Factors]:
    """Number the clusters by size, as favoured by the sticks."""
    order = by_size(factors.sizes, _alpha(factors, problem)[0])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    counts, sizes = factors.counts[order], factors.sizes[order]
    return Update(factors._replace(counts=counts, sizes=sizes, labels=place[factors.labels]))


def update_sticks(factors: Factors, problem: Items) -> Update[Factors]:
    """Update the sticks given the sizes and α, then α given the sticks, then β; parameters follow from the counts."""
    factors = factors._replace(sticks=stick_posterior(factors.sizes, _alpha(factors, problem)[0]))
    learned = 0.0
    if not problem.concentration:
        factors = factors._replace(concentration=learn_concentration(factors.sticks, PRIOR))
        learned = factors.concentration.divergence(PRIOR)
    factors = factors._replace(beta=problem.best_prior(factors.counts, factors.beta))
    parameters = problem.divergence(factors.counts, factors.sizes, factors.beta)
    bound = -parameters - learned - stick_divergence(factors.sticks, *_alpha(factors, problem))
    return Update(factors._replace(bound=bound), bound)


def update_items(factors: Factors, problem: Items) -> Update[Factors]:
    """Update the clusters of all items (1), and the expected statistics and sizes of clusters (2)."""
    statistics, log_weights = problem.statistics(), expected_log_weights(factors.sticks)
    counts, sizes, labels, bound = np.zeros_like(factors.counts), np.zeros_like(factors.sizes), [], 0.0
    for first in range(0, statistics.shape[0], BLOCK):
        rows = statistics[first : first + BLOCK]
        scores = problem.expected_scores(rows, factors.counts, factors.sizes, factors.beta) + log_weights
        totals = logsumexp(scores, axis=1, keepdims=True)
        chance = np.exp(scores - totals)
        counts += (rows.T @ chance).T
        sizes += chance.sum(axis=0)
        labels.append(chance.argmax(axis=1))
        bound += float(totals.sum())
    joined = np.concatenate([np.empty(0, dtype=np.int64), *labels])
    moved = float(np.abs(sizes - factors.sizes).max())
    found = factors._replace(counts=counts, sizes=sizes, labels=joined, bound=factors.bound + bound)
    return Update(found, bound, moved)


def truncated_variational(max_clusters: int) -> CoordinateAscent[Items, Factors]:
    """Return the method that has at most this many clusters."""
    updates = (order_clusters, update_sticks, update_items)
    return CoordinateAscent(partial(begin_factors, max_clusters), updates, lambda factors: factors.bound)


def found_clusters(factors: Factors, problem: Items) -> Found:
    """Return the clusters that some item belongs to, and the expected weights of the sticks given all sizes."""
    alpha = _alpha(factors, problem)[0]
    weights = expected_weights(stick_posterior(factors.sizes, alpha))
    tally = np.bincount(factors.labels, minlength=len(weights))
    totals = factors.counts.sum(axis=1)
    clusters = Clusters(factors.labels, factors.counts, totals, tally, alpha, factors.beta)
    order = np.argsort(-tally, kind="stable")[: int((tally > 0).sum())]
    return Found(clusters.used(), np.append(weights[order], max(1.0 - weights[order].sum(), 0.0)))


def _alpha(factors: Factors, problem: Items) -> tuple[float, float]:
    """Return E[α] and E[ln α]."""
    if problem.concentration:
        return problem.concentration, float(np.log(problem.concentration))
    return factors.concentration.mean, factors.concentration.mean_log
