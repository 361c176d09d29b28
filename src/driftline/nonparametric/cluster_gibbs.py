r"""Collapsed Gibbs sampling for a Dirichlet process mixture of multinomials."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.crp import draw_concentration, draw_partition, log_partition
from driftline.inference.gibbs import Gibbs
from driftline.inference.plain_values import copied

ROOM = 8
"""Number of free rows allocated at a time."""

FIRST_CONCENTRATION = 100.0
"""Concentration of the process from which the first clusters are drawn. Sweeps merge small clusters easily and hardly
ever split large ones, so a chain begins with many (`benchmarks/nonparametric/start.py`)."""


class Documents(NamedTuple):
    """The problem: counted documents, β, and α (zero if it is learned, under a Gamma(1, 1) prior)."""

    indptr: Ints
    words: Ints
    said: Floats
    n_words: int
    beta: float
    concentration: float

    @classmethod
    def of(cls, X: Counts, beta: float, concentration: float) -> Documents:
        """Convert a CSR matrix."""
        rows = (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.float64))
        return cls(*rows, X.shape[1], beta, concentration)

    @property
    def lengths(self) -> Floats:
        """The number of words in every document."""
        running = np.concatenate([[0.0], np.cumsum(self.said)])
        return np.asarray(running[self.indptr[1:]] - running[self.indptr[:-1]])


class Clusters(NamedTuple):
    """A sample: every document's row; the counts, totals and sizes of the rows, some of which are free; and α."""

    labels: Ints
    counts: Floats
    totals: Floats
    sizes: Ints
    concentration: float

    def used(self) -> Clusters:
        """Return the sample without free rows, the largest cluster first."""
        order = np.argsort(-self.sizes, kind="stable")[: int((self.sizes > 0).sum())]
        place = np.empty(len(self.sizes), dtype=np.int64)
        place[order] = np.arange(len(order))
        held = (self.counts[order], self.totals[order], self.sizes[order])
        return Clusters(place[self.labels], *held, self.concentration)


def begin(problem: Documents, rng: np.random.Generator) -> Clusters:
    """Draw the first clusters from the process."""
    labels = draw_partition(len(problem.indptr) - 1, FIRST_CONCENTRATION, rng)
    return recounted(labels, problem.concentration or 1.0, problem)


def recounted(labels: Ints, concentration: float, problem: Documents) -> Clusters:
    """Return the sample in which documents have these clusters."""
    n = int(labels.max(initial=-1)) + 1 + ROOM
    counts = np.zeros((n, problem.n_words))
    np.add.at(counts, (np.repeat(labels, np.diff(problem.indptr)), problem.words), problem.said)
    totals = np.bincount(labels, weights=problem.lengths, minlength=n).astype(np.float64)
    return Clusters(labels.copy(), counts, totals, np.bincount(labels, minlength=n), concentration)


def draw_clusters(sample: Clusters, problem: Documents, rng: np.random.Generator) -> Clusters:
    """Draw the cluster of each document in turn, given all others."""
    fixed = (problem.indptr, problem.words, problem.said, problem.lengths, sample.concentration, problem.beta)
    uniforms, done = rng.random(len(sample.labels)), 0
    while True:
        done = current_kernels().dirichlet_clusters.sweep_documents(done, *fixed, uniforms, *sample[:4])
        if done == len(sample.labels):
            return sample
        more = (np.zeros((ROOM, problem.n_words)), np.zeros(ROOM), np.zeros(ROOM, dtype=np.int64))
        counts, totals, sizes = (np.concatenate(parts) for parts in zip(sample[1:4], more))
        sample = sample._replace(counts=counts, totals=totals, sizes=sizes)


def draw_alpha(sample: Clusters, problem: Documents, rng: np.random.Generator) -> Clusters:
    """Draw α, if it is learned, given the number of clusters."""
    if problem.concentration:
        return sample
    n_clusters = int((sample.sizes > 0).sum())
    return sample._replace(concentration=draw_concentration(sample.concentration, n_clusters, len(sample.labels), rng))


def log_joint(sample: Clusters, problem: Documents) -> float:
    """Return the logarithm of p(clusters, documents | α), up to a constant."""
    used, beta, n_words = sample.sizes > 0, problem.beta, problem.n_words
    counts = sample.counts[used]
    words = gammaln(counts[counts > 0] + beta).sum() - (counts > 0).sum() * gammaln(beta)
    totals = gammaln(n_words * beta) - gammaln(sample.totals[used] + n_words * beta)
    return log_partition(sample.sizes, sample.concentration) + float(words + totals.sum())


class Best(NamedTuple):
    """The record of a chain: the sample of highest joint probability, that probability, and the numbers of clusters."""

    clusters: Clusters
    objective: float
    n_clusters: Ints


def keep_best(problem: Documents, kept: Best | None, sample: Clusters) -> Best:
    """Add a sample to the record."""
    objective, number = log_joint(sample, problem), np.array([(sample.sizes > 0).sum()])
    if kept is None:
        return Best(copied(sample), objective, number)
    numbers = np.concatenate([kept.n_clusters, number])
    if objective > kept.objective:
        return Best(copied(sample), objective, numbers)
    return kept._replace(n_clusters=numbers)


def document_scores(problem: Documents, clusters: Clusters, weights: Floats | None = None) -> Floats:
    """Return ln p(document, cluster) of new documents, documents × (clusters + 1); the last column is a new cluster.

    The clusters have these weights, or those of the process: sizes, and α for the new one.
    """
    counts = np.concatenate([clusters.counts, np.zeros((1, problem.n_words))])
    totals, sizes = np.append(clusters.totals, 0.0), np.append(clusters.sizes, clusters.concentration)
    scores = np.empty((len(problem.indptr) - 1, len(sizes)))
    current_kernels().dirichlet_clusters.score_documents(
        *problem[:3], problem.lengths, counts, totals, problem.beta, scores
    )
    with np.errstate(divide="ignore"):
        return np.asarray(scores + np.log(sizes / sizes.sum() if weights is None else weights))


COLLAPSED_GIBBS = Gibbs(begin, (draw_clusters, draw_alpha), log_joint)
"""Clusters of all documents, then α."""
