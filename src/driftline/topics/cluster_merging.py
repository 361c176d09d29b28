r"""Merge many small clusters of documents greedily into a few topics.

With words alone, merging clusters i and j changes the log evidence of the words under a Dirichlet prior β, and that of
the sizes n, by

.. math:: \Delta_{ij} = E(c_i + c_j) - E(c_i) - E(c_j) + \ln\Gamma(n_i + n_j) - \ln\Gamma(n_i) - \ln\Gamma(n_j)
    \quad (1), \qquad
    E(c) = \ln\frac{\Gamma(V\beta)}{\Gamma(V\beta + \sum_w c_w)} + \sum_w \ln\frac{\Gamma(\beta + c_w)}{\Gamma(\beta)}
    \quad (2)

and the pair with the largest change is merged. With vectors, this criterion would penalise large clusters of one kind
most, because every document adds its distance to the common centre: a class of 44 % of the documents stays divided. The
criterion is then the mean distance between the small clusters of i and those of j, regardless of their sizes:

.. math:: d_{ij} = \sum_w \bigl(\sqrt{p_{iw}} - \sqrt{p_{jw}}\bigr)^2 + 1 - \cos(\mu_i, \mu_j) \quad (3)

where p are the shares of words and μ the mean vectors. No merger makes a topic larger than a given share of all
documents (4). (3) was chosen on the subjects of 20 Newsgroups and the bodies of Reuters
(`benchmarks/topics/map_constants.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.core.arrays import Floats, Ints
from driftline.engines.blas import one_blas_thread
from driftline.topics.cluster_start import memberships, unit_rows
from driftline.topics.view_mixture import WORD_PRIOR, Views


def merged_labels(views: Views, labels: Ints, n_topics: int, *, largest: float, word_prior: float = WORD_PRIOR) -> Ints:
    """Merge clusters until `n_topics` are left; return the new cluster of every document."""
    labels = np.unique(labels, return_inverse=True)[1]
    n = int(labels.max(initial=-1)) + 1
    member = memberships(labels, n)
    counts = np.ascontiguousarray((views.X.T @ member).toarray().T)
    sizes = np.bincount(labels, minlength=n).astype(np.float64)
    most = largest * len(labels)
    if views.vectors.shape[1]:
        distances = cluster_distances(counts, np.asarray(member.T @ views.vectors))
        parent = _merged_by_distance(distances, sizes, n_topics, most)
    else:
        parent = _merged_by_evidence(_Clusters(counts, sizes, word_prior), n_topics, most)
    found: Ints = np.unique(parent[labels], return_inverse=True)[1]
    return found


def cluster_distances(counts: Floats, sums: Floats) -> Floats:
    """Return d (3), clusters × clusters, of clusters with these counts of words and sums of vectors."""
    roots = np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9))
    lengths = (roots**2).sum(axis=1)
    units = unit_rows(sums)
    with one_blas_thread():
        found: Floats = lengths + lengths[:, None] - 2.0 * roots @ roots.T + 1.0 - units @ units.T
    return found


def _merged_by_distance(distances: Floats, sizes: Floats, n_topics: int, most: float) -> Ints:
    """Return the first cluster of the topic that each cluster belongs to, merged by mean distance."""
    n = len(sizes)
    between, sizes, members = distances.copy(), sizes.copy(), np.ones(n)
    parent, alive = np.arange(n), np.ones(n, dtype=np.bool_)
    pairs = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    while alive.sum() > n_topics:
        possible = pairs & alive & alive[:, None] & (sizes + sizes[:, None] <= most)  # (4)
        if not possible.any():
            break
        i, j = divmod(int(np.argmin(np.where(possible, between, np.inf))), n)  # ties go to the first clusters
        mean = (members[i] * between[i] + members[j] * between[j]) / (members[i] + members[j])
        between[i] = between[:, i] = mean
        members[i] += members[j]
        sizes[i] += sizes[j]
        alive[j] = False
        parent[parent == j] = i
    return parent


def _merged_by_evidence(clusters: _Clusters, n_topics: int, most: float) -> Ints:
    """Return the first cluster of the topic that each cluster belongs to, merged by (1)."""
    n = len(clusters.sizes)
    evidence = clusters.evidence(clusters.counts, clusters.sizes)
    gain = np.full((n, n), -np.inf)
    alive = np.arange(n)
    for i in range(n - 1):
        gain[i, i + 1 :] = clusters.gains(i, np.arange(i + 1, n), evidence, most)
    parent = np.arange(n)
    while len(alive) > n_topics and np.isfinite(gain).any():
        i, j = divmod(int(np.argmax(gain)), n)  # ties go to the first clusters
        clusters.counts[i] += clusters.counts[j]
        clusters.sizes[i] += clusters.sizes[j]
        parent[parent == j] = i
        alive = alive[alive != j]
        gain[[i, j]] = -np.inf
        gain[:, [i, j]] = -np.inf
        evidence[i] = clusters.evidence(clusters.counts[i : i + 1], clusters.sizes[i : i + 1])[0]
        others = alive[alive != i]
        fresh = clusters.gains(i, others, evidence, most)
        gain[np.minimum(i, others), np.maximum(i, others)] = fresh
    return parent


class _Clusters(NamedTuple):
    """Counts of words and sizes of the clusters; β."""

    counts: Floats
    sizes: Floats
    word_prior: float

    def evidence(self, counts: Floats, sizes: Floats) -> Floats:
        """Return (2) + ln Γ(n) of every row."""
        beta, n_words = self.word_prior, counts.shape[1]
        words = _log_rising(counts, beta).sum(axis=1) - gammaln(n_words * beta + counts.sum(axis=1))
        found: Floats = words + gammaln(np.maximum(sizes, 1.0)) + gammaln(n_words * beta)
        return found

    def gains(self, i: int, others: Ints, evidence: Floats, most: float) -> Floats:
        """Return the change in evidence (1) from merging i with each of the others; −∞ if that is too large (4)."""
        sizes = self.sizes[i] + self.sizes[others]
        together = self.evidence(self.counts[i] + self.counts[others], sizes)
        gain = together - evidence[i] - evidence[others]
        found: Floats = np.where(sizes <= most, gain, -np.inf)
        return found


def _log_rising(counts: Floats, beta: float) -> Floats:
    """Return ln Γ(β + c) − ln Γ(β); integer counts are looked up in a table."""
    most = int(counts.max(initial=0))
    whole = counts.astype(np.int64)
    if most > counts.size or (whole != counts).any():
        found: Floats = gammaln(counts + beta) - gammaln(beta)
        return found
    table = gammaln(np.arange(most + 1) + beta) - gammaln(beta)
    looked_up: Floats = table[whole]
    return looked_up
