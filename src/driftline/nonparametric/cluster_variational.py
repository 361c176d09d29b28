r"""Variational inference for a Dirichlet process mixture of multinomials, truncated at T clusters.

After Blei and Jordan (2006). The posterior is approximated by independent factors for the sticks (which define the
weights π of clusters), the words
:math:`\phi_k \sim \mathrm{Dir}(\beta + c_k)` of each cluster, α, and the cluster of each document:

.. math:: q(z_d = k) \propto \exp\bigl(E[\ln \pi_k] + \textstyle\sum_w x_{dw} E[\ln \phi_{kw}]\bigr)              (1)

with the expected counts :math:`c_k = \sum_d q(z_d = k) x_d` and sizes :math:`n_k = \sum_d q(z_d = k)` (2). Each update
is optimal given the other factors, so the bound never decreases.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from driftline.core.arrays import Counts, Floats, Ints
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
from driftline.inference.variational import divergence, expected_log
from driftline.nonparametric.cluster_gibbs import Clusters, Documents, begin, draw_clusters

PRIOR = Gamma(1.0, 1.0)
"""Prior of α, as in Gibbs sampling."""

BLOCK = 2048
"""Number of documents whose probabilities are in memory at a time."""


FIRST_SWEEPS = 10
"""Number of Gibbs sweeps before the first update. Updates alone hardly move documents out of random clusters
(`benchmarks/nonparametric/variational.py`)."""


class Factors(NamedTuple):
    """The sticks, (T - 1) × 2; the expected counts and sizes of clusters (2); every document's likeliest cluster; q(α).

    If α is given, q(α) is not used. `bound` is the evidence lower bound.
    """

    sticks: Floats
    counts: Floats
    sizes: Floats
    labels: Ints
    concentration: Gamma
    bound: float


class Found(NamedTuple):
    """The clusters that are the likeliest of some document, the largest first; and the weights of new documents.

    `weights` has one number more than there are clusters: the weight of all others.
    """

    clusters: Clusters
    weights: Floats


def begin_factors(max_clusters: int, problem: Documents, rng: np.random.Generator) -> Factors:
    """Start with the largest clusters after a few sweeps of Gibbs sampling."""
    sample = begin(problem, rng)
    for _ in range(FIRST_SWEEPS):
        sample = draw_clusters(sample, problem, rng)
    sample = sample.used()
    counts, sizes = np.zeros((max_clusters, problem.n_words)), np.zeros(max_clusters)
    n = min(max_clusters, len(sample.sizes))
    counts[:n], sizes[:n] = sample.counts[:n], sample.sizes[:n]
    sticks = stick_posterior(sizes, problem.concentration or PRIOR.mean)
    factors = Factors(sticks, counts, sizes, sample.labels, PRIOR, 0.0)
    return update_documents(factors, problem).factors


def order_clusters(factors: Factors, problem: Documents) -> Update[Factors]:
    """Number the clusters by size, as sticks prefer them."""
    order = by_size(factors.sizes, _alpha(factors, problem)[0])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    counts, sizes = factors.counts[order], factors.sizes[order]
    return Update(factors._replace(counts=counts, sizes=sizes, labels=place[factors.labels]))


def update_sticks(factors: Factors, problem: Documents) -> Update[Factors]:
    """Update the sticks given the sizes and α, then α given the sticks; the words follow from the counts."""
    factors = factors._replace(sticks=stick_posterior(factors.sizes, _alpha(factors, problem)[0]))
    learned = 0.0
    if not problem.concentration:
        factors = factors._replace(concentration=learn_concentration(factors.sticks, PRIOR))
        learned = factors.concentration.divergence(PRIOR)
    words = divergence(problem.beta + factors.counts, problem.beta)
    bound = -words - learned - stick_divergence(factors.sticks, *_alpha(factors, problem))
    return Update(factors._replace(bound=bound), bound)


def update_documents(factors: Factors, problem: Documents) -> Update[Factors]:
    """Update the clusters of all documents (1), and the expected counts and sizes of clusters (2)."""
    documents = _matrix(problem)
    log_words = np.ascontiguousarray(expected_log(problem.beta + factors.counts).T)
    log_weights = expected_log_weights(factors.sticks)
    counts, sizes, labels, bound = np.zeros_like(factors.counts), np.zeros_like(factors.sizes), [], 0.0
    for first in range(0, documents.shape[0], BLOCK):
        rows = documents[first : first + BLOCK]
        scores = rows @ log_words + log_weights
        totals = logsumexp(scores, axis=1, keepdims=True)
        chance = np.exp(scores - totals)
        counts += (rows.T @ chance).T
        sizes += chance.sum(axis=0)
        labels.append(chance.argmax(axis=1))
        bound += float(totals.sum())
    joined = np.concatenate([np.empty(0, dtype=np.int64), *labels])
    moved = float(np.abs(sizes - factors.sizes).max())
    found = Factors(factors.sticks, counts, sizes, joined, factors.concentration, factors.bound + bound)
    return Update(found, bound, moved)


def truncated_variational(max_clusters: int) -> CoordinateAscent[Documents, Factors]:
    """Return the method that has at most this many clusters."""
    updates = (order_clusters, update_sticks, update_documents)
    return CoordinateAscent(partial(begin_factors, max_clusters), updates, lambda factors: factors.bound)


def found_clusters(factors: Factors, problem: Documents) -> Found:
    """Return the clusters that some document belongs to, and the expected weights of the sticks given all sizes."""
    alpha = _alpha(factors, problem)[0]
    weights = expected_weights(stick_posterior(factors.sizes, alpha))
    tally = np.bincount(factors.labels, minlength=len(weights))
    clusters = Clusters(factors.labels, factors.counts, factors.counts.sum(axis=1), tally, alpha)
    order = np.argsort(-tally, kind="stable")[: int((tally > 0).sum())]
    return Found(clusters.used(), np.append(weights[order], max(1.0 - weights[order].sum(), 0.0)))


def _alpha(factors: Factors, problem: Documents) -> tuple[float, float]:
    """Return E[α] and E[ln α]."""
    if problem.concentration:
        return problem.concentration, float(np.log(problem.concentration))
    return factors.concentration.mean, factors.concentration.mean_log


def _matrix(problem: Documents) -> Counts:
    shape = (len(problem.indptr) - 1, problem.n_words)
    return sp.csr_matrix((problem.said, problem.words, problem.indptr), shape=shape)
