r"""Words of the same story: they are in the same documents at the same times.

The similarity of two words is the correlation of the square roots of their curves times a measure of shared documents,

.. math:: s = \operatorname{corr}\bigl(\sqrt{f_a}, \sqrt{f_b}\bigr) \cdot
   \operatorname{clip}\bigl(0.4 + 2\,\mathrm{NPMI}(a, b), 0, 1\bigr)                                       \quad (1)

and groups are formed by average linkage: the two groups with the highest average similarity are merged, as long as that
average is above `LEAST_SIMILARITY`.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from driftline.core.arrays import Floats, Ints

LEAST_SIMILARITY = 0.4
"""Average similarity below which groups of words are not merged (a distance of 0.6)."""


def stories_of(curves: Floats, presence: sp.csr_array, least_similarity: float = LEAST_SIMILARITY) -> list[Ints]:
    """Return groups of words as indices in the given order, the group with the first word first.

    `curves` has one row per word, `presence` one column per word and one row per document.

    >>> curves = np.array([[1.0, 9, 1], [5, 5, 5.1], [1, 8, 1]])
    >>> presence = sp.csr_array(np.array([[1, 0, 1], [1, 0, 1], [0, 1, 0], [0, 1, 0]]))
    >>> [group.tolist() for group in stories_of(curves, presence)]
    [[0, 2], [1]]
    """
    n = len(curves)
    if n < 2:
        return [np.arange(n)] * n
    distance = 1.0 - similarities(curves, presence)
    np.fill_diagonal(distance, 0.0)
    joined = linkage(squareform(distance, checks=False), method="average")
    cluster = fcluster(joined, 1.0 - least_similarity, criterion="distance")
    first = {c: int(np.flatnonzero(cluster == c)[0]) for c in np.unique(cluster)}
    return [np.flatnonzero(cluster == c) for c in sorted(first, key=lambda c: first[c])]


def similarities(curves: Floats, presence: sp.csr_array) -> Floats:
    """Return the similarity of every two words (Eq. 1), symmetric."""
    roots = np.sqrt(np.maximum(curves, 0.0))
    centred = roots - roots.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 1e-12)
    found: Floats = np.clip(unit @ unit.T, -1.0, 1.0) * np.clip(0.4 + 2.0 * npmi(presence), 0.0, 1.0)
    return found


def npmi(presence: sp.csr_array) -> Floats:
    """Return normalised pointwise mutual information of every two words in documents; -1 if they never occur together.

    NPMI = log(p_ab / (p_a p_b)) / -log p_ab
    """
    n = presence.shape[0]
    have = sp.csr_array(presence, dtype=np.float64)
    together = (have.T @ have).toarray() / max(n, 1)
    alone = np.diag(together)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(together / np.outer(alone, alone)) / -np.log(together)
    value = np.where(together >= 1.0, 1.0, value)
    return np.where(together > 0, np.clip(value, -1.0, 1.0), -1.0)
