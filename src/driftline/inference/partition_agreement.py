r"""Agreement of a partition with a known one, by B³ (Bagga and Baldwin, 1998).

For every item, precision is the share of its cluster that belongs to its true group, and recall the share of its group
that is in its cluster; F is the harmonic mean of their means (1). Unlike mutual information it does not favour many
clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats


class BCubed(NamedTuple):
    """F, precision and recall."""

    f: float
    precision: float
    recall: float


def bcubed_items(truth: npt.ArrayLike, found: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the precision and the recall of every item."""
    groups = np.unique(np.asarray(truth), return_inverse=True)[1].ravel()
    clusters = np.unique(np.asarray(found), return_inverse=True)[1].ravel()
    pairs = groups.astype(np.int64) * (int(clusters.max(initial=0)) + 1) + clusters
    _, place, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    together = counts[place.ravel()]
    return together / np.bincount(clusters)[clusters], together / np.bincount(groups)[groups]


def bcubed(truth: npt.ArrayLike, found: npt.ArrayLike) -> BCubed:
    """Return (1) with its parts.

    >>> bcubed([0, 0, 1, 1], [5, 5, 5, 7])
    BCubed(f=0.7058..., precision=0.6666..., recall=0.75)
    """
    precision, recall = (float(part.mean()) for part in bcubed_items(truth, found))
    return BCubed(2 * precision * recall / (precision + recall), precision, recall)
