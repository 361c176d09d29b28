r"""Splits and mergers of whole clusters: by exact split–merge proposals, and greedily before a chain starts.

Sweeps, which reassign one item at a time, hardly ever split or merge clusters. Merging clusters a and b of K, with
discount d, increases the log joint probability of clusters and items by

.. math:: \ln \frac{p(x_a, x_b)}{p(x_a)\, p(x_b)} + \ln \frac{\Gamma(n_a + n_b - d)\, \Gamma(1 - d)}
          {\Gamma(n_a - d)\, \Gamma(n_b - d)} - \ln (\alpha + (K - 1) d).                                           (1)

Greedy mergers merge the nearest clusters for which this is positive; they do not leave the posterior invariant. The
proposals of `driftline.inference.split_merge` do; the gain that they need is the negative of (1).
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from driftline.core.arrays import Bools, Floats, Ints
from driftline.inference.split_merge import Seats, best_disjoint, near_pairs, propose
from driftline.nonparametric.cluster_items import Clusters, Items, with_room

CHUNK = 64
"""Number of pairs whose sums are in memory at a time."""
N_PROPOSALS = 5
"""Number of split–merge proposals per sweep."""
PAIR = np.array([[0, 1]])


def merge_clusters(sample: Clusters, problem: Items) -> Clusters:
    """Merge pairs of clusters, the best first, until no merger increases the joint probability (1); in place."""
    while True:
        rows = np.flatnonzero(sample.sizes > 0)
        pairs = rows[near_pairs(problem.places(_rows(sample, rows)))]
        becomes = np.arange(len(sample.sizes))
        for i, j in best_disjoint(pairs, merger_gains(sample, pairs, problem)):
            becomes[j] = i
            _merge(sample, i, j)
        if (becomes == np.arange(len(becomes))).all():
            return sample
        sample.labels[:] = becomes[sample.labels]


def split_and_merge(sample: Clusters, problem: Items, rng: np.random.Generator) -> Clusters:
    """Propose a few splits and mergers of clusters; the posterior is left invariant."""
    if len(sample.labels) < 2:
        return sample
    for _ in range(N_PROPOSALS):
        division = _Division(sample, problem)
        accepted = propose(sample.labels, division, rng)
        if accepted is None:
            continue
        own, other = int(sample.labels[accepted.first[0]]), int(sample.labels[accepted.second[0]])
        if accepted.together:
            _merge(sample, own, other)
            sample.labels[accepted.second] = own
            continue
        sample = with_room(sample)
        free = int(np.flatnonzero(sample.sizes == 0)[0])
        sample.labels[accepted.second] = free
        for held, parts in zip(sample[1:4], division.parts[1:4]):
            held[own], held[free] = parts
    return sample


class _Division:
    """Seats of the items of one or two clusters; `parts` are the last two rows that were seated."""

    parts: Clusters

    def __init__(self, sample: Clusters, problem: Items) -> None:
        self._sample, self._problem = sample, problem

    def __call__(self, items: Ints, uniforms: Floats, second: Bools | None) -> Seats:
        sample, given = self._sample, second is not None
        chosen = np.zeros(len(uniforms), np.bool_) if second is None else second.copy()
        empty = (np.zeros((2, sample.counts.shape[1])), np.zeros(2), np.zeros(2, np.int64))
        self.parts = Clusters(items, *empty, sample.concentration, sample.beta)
        log_seats = self._problem.seat(items, uniforms, given, chosen, self.parts)
        n_clusters = int((sample.sizes > 0).sum()) + (not given)
        return Seats(chosen, log_seats, -float(merger_gains(self.parts, PAIR, self._problem, n_clusters)[0]))


def _merge(sample: Clusters, i: int, j: int) -> None:
    """Add row j to row i, in place."""
    for held in sample[1:4]:
        held[i] += held[j]
        held[j] = 0


def merger_gains(sample: Clusters, pairs: Ints, problem: Items, n_clusters: int | None = None) -> Floats:
    """Return the increase of the log joint probability (1) from merging each pair of rows.

    There are as many clusters as rows with items, unless another number is given.
    """
    d, n = problem.discount, sample.sizes.astype(np.float64)
    n_before = (n > 0).sum() if n_clusters is None else n_clusters
    own = problem.log_clusters(sample)
    first, second = pairs.T
    seats = gammaln(n[first] + n[second] - d) + gammaln(1 - d) - gammaln(n[first] - d) - gammaln(n[second] - d)
    gains = seats - own[first] - own[second] - np.log(sample.concentration + (n_before - 1) * d)
    for begin in range(0, len(pairs), CHUNK):
        some = slice(begin, begin + CHUNK)
        counts, totals, sizes = (held[first[some]] + held[second[some]] for held in sample[1:4])
        gains[some] += problem.log_clusters(sample._replace(counts=counts, totals=totals, sizes=sizes))
    return np.asarray(gains)


def _rows(sample: Clusters, rows: Ints) -> Clusters:
    return sample._replace(counts=sample.counts[rows], totals=sample.totals[rows], sizes=sample.sizes[rows])
