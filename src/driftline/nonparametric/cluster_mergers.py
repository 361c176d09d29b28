r"""Greedy mergers of clusters before a chain begins: sweeps, which reassign one item at a time, hardly ever merge two.

Clusters a and b of K are merged if that raises the joint probability of the clusters and their items. With discount d,

.. math:: \ln \frac{p(x_a, x_b)}{p(x_a)\, p(x_b)} + \ln \frac{\Gamma(n_a + n_b - d)\, \Gamma(1 - d)}
          {\Gamma(n_a - d)\, \Gamma(n_b - d)} - \ln (\alpha + (K - 1) d) > 0.                                       (1)

Candidates are the nearest clusters.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln
from sklearn.metrics import pairwise_distances

from driftline.core.arrays import Floats, Ints
from driftline.nonparametric.cluster_items import Clusters, Items

NEAREST = 15
"""Candidates per cluster."""
CHUNK = 64
"""Number of pairs whose sums are in memory at a time."""


def merge_clusters(sample: Clusters, problem: Items) -> Clusters:
    """Merge pairs of clusters, the best first, until no pair raises the joint probability (1); in place."""
    while True:
        rows = np.flatnonzero(sample.sizes > 0)
        pairs = _near_pairs(problem.places(_rows(sample, rows)), rows)
        gains = merger_gains(sample, pairs, problem)
        merged = set[int]()
        becomes = np.arange(len(sample.sizes))
        for place in np.argsort(-gains, kind="stable"):
            i, j = (int(row) for row in pairs[place])
            if gains[place] <= 0:
                break
            if i in merged or j in merged:
                continue
            merged.update((i, j))
            becomes[j] = i
            for held in sample[1:4]:
                held[i] += held[j]
                held[j] = 0
        if not merged:
            return sample
        sample.labels[:] = becomes[sample.labels]


def merger_gains(sample: Clusters, pairs: Ints, problem: Items) -> Floats:
    """Return by how much the merger of each pair of rows raises the log joint probability (1)."""
    d, n = problem.discount, sample.sizes.astype(np.float64)
    own = problem.log_clusters(sample)
    first, second = pairs.T
    seats = gammaln(n[first] + n[second] - d) + gammaln(1 - d) - gammaln(n[first] - d) - gammaln(n[second] - d)
    gains = seats - own[first] - own[second] - np.log(sample.concentration + ((n > 0).sum() - 1) * d)
    for begin in range(0, len(pairs), CHUNK):
        some = slice(begin, begin + CHUNK)
        counts, totals, sizes = (held[first[some]] + held[second[some]] for held in sample[1:4])
        gains[some] += problem.log_clusters(sample._replace(counts=counts, totals=totals, sizes=sizes))
    return np.asarray(gains)


def _rows(sample: Clusters, rows: Ints) -> Clusters:
    return sample._replace(counts=sample.counts[rows], totals=sample.totals[rows], sizes=sample.sizes[rows])


def _near_pairs(places: Floats, rows: Ints) -> Ints:
    """Return pairs of rows that are near to each other, each once."""
    apart = pairwise_distances(places)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, : min(NEAREST, len(rows) - 1)]
    own = np.repeat(np.arange(len(rows)), nearest.shape[1])
    ends = np.sort(np.column_stack([own, nearest.ravel()]), axis=1)
    return np.asarray(rows[np.unique(ends, axis=0).astype(np.int64)]).reshape(-1, 2)
