r"""Words that belong together, and words that never share a topic: a map of counts, applied before normalisation.

*Together* (a Dirichlet tree with one inner node per group g): the group's count in a topic is divided among its words
by their own counts and their overall shares b,

.. math:: \tilde n_w = n_g\,\frac{n_w + \eta b_w}{n_g + \eta}. \qquad (1)

*Apart*: the count of a word in a topic is reduced by the share of the other word's count there,

.. math:: \tilde n_{ak} = n_{ak} \prod_b (1 - p(k|b)), \qquad p(k|b) = n_{bk} / \textstyle\sum_j n_{bj}. \qquad (2)
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.inference.guide_arrays import WordGroups


def mapped_rows(groups: WordGroups) -> Ints:
    """Return the words whose counts are mapped."""
    found: Ints = np.unique(np.concatenate([*groups.together, groups.apart.ravel()])).astype(np.int64)
    return found


def mapped_counts(counts: Floats, groups: WordGroups) -> Floats:
    """Return the mapped counts of `mapped_rows`; `counts` has the same rows, words × topics.

    >>> groups = WordGroups((np.array([0, 1]),), np.empty((0, 2), dtype=int), 1e9, np.array([3.0, 1.0, 5.0]))
    >>> mapped_counts(np.array([[4.0, 0.0], [0.0, 2.0]]), groups).round(2)
    array([[3. , 1.5],
           [1. , 0.5]])
    """
    rows = mapped_rows(groups)
    counts = np.asarray(counts, dtype=np.float64).copy()
    for group in groups.together:
        at = np.searchsorted(rows, group)
        share = groups.said[group]
        share = share / share.sum() if share.sum() > 0 else np.full(len(group), 1 / len(group))
        together = counts[at].sum(axis=0)
        counts[at] = together * (counts[at] + groups.strength * share[:, None]) / (together + groups.strength)  # Eq. 1
    if len(groups.apart):
        totals = counts.sum(axis=1, keepdims=True)
        profile = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        for a, b in np.searchsorted(rows, groups.apart):
            counts[a] *= 1 - profile[b]  # Eq. 2
            counts[b] *= 1 - profile[a]
    return counts


def profile_overlap(counts: Floats) -> float:
    """Return the mean overlap Σ_k min(p(k|a), p(k|b)) of all pairs of rows.

    >>> profile_overlap(np.array([[1.0, 1.0], [2.0, 0.0]]))
    0.5
    """
    totals = counts.sum(axis=1, keepdims=True)
    profile = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    n = len(profile)
    found = [np.minimum(profile[i], profile[j]).sum() for i in range(n) for j in range(i)]
    return float(np.mean(found)) if found else 1.0
