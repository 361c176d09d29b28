r"""Distances between topics, their positions on a map, and the tree of their mergers.

Topics are distributions of words; the distance is the square root of the Jensen–Shannon divergence in bits, a metric
between 0 (the same words) and 1 (no word in common):

.. math:: d(p, q)^2 = H(\tfrac{p + q}{2}) - \tfrac{1}{2} H(p) - \tfrac{1}{2} H(q). \tag{1}

The map is classical scaling: with :math:`J = I - 11^\top / K`, the two leading eigenvectors of

.. math:: B = -\tfrac{1}{2} J D^{(2)} J \tag{2}

times the square roots of their eigenvalues. The tree merges the groups whose union loses the least information about
the words:

.. math:: \delta(i, j) = \pi_i \mathrm{KL}(\phi_i \| \phi_{ij}) + \pi_j \mathrm{KL}(\phi_j \| \phi_{ij}), \qquad
          \phi_{ij} = \frac{\pi_i \phi_i + \pi_j \phi_j}{\pi_i + \pi_j}. \tag{3}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from driftline.core.arrays import Floats, Ints, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Bars, Picture
from driftline.core.results import Columns, Result, counted

_NEGLIGIBLE = 1e-12
"""Multiple of the largest eigenvalue below which eigenvalues are rounding errors."""


class _TopicPlacesFields(NamedTuple):
    """The fields of `TopicPlaces`."""

    xy: Floats
    shown: float


class TopicPlaces(Result, _TopicPlacesFields):
    """Positions of topics on a map, topics × 2, and the share of all squared distances that the map shows (0 to 1)."""

    __slots__ = ()

    def _columns(self) -> Columns:
        return {"topic": np.arange(len(self.xy)), "x": self.xy[:, 0], "y": self.xy[:, 1]}

    def _summary(self) -> str:
        return f"{counted(len(self.xy), 'topic')}; the map shows {self.shown:.0%} of the squared distances"


class _TopicTreeFields(NamedTuple):
    """The fields of `TopicTree`."""

    merges: Ints
    lost: Floats


class TopicTree(Result, _TopicTreeFields):
    """A binary tree of topics. Nodes 0 … K−1 are topics; row m of `merges` has the two nodes that node K+m unites.

    `lost` is the information in bits per word that was lost with this merger and all before it.
    """

    __slots__ = ()

    def cut(self, n_groups: int) -> Ints:
        """Return the group of every topic (0, 1, … in the order of topics) if mergers stop at `n_groups` groups.

        >>> TopicTree(np.array([[0, 2], [1, 3]]), np.array([0.1, 0.5])).cut(2)
        array([0, 1, 0])
        """
        n_topics = len(self.merges) + 1
        if not 1 <= n_groups <= n_topics:
            raise InvalidInput(f"{n_topics} topics can be cut into 1 to {n_topics} groups, not {n_groups}")
        group = np.arange(n_topics)
        for merger in range(n_topics - n_groups):
            group[np.isin(group, self.merges[merger])] = n_topics + merger
        _, first, numbers = np.unique(group, return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        found: Ints = order[numbers]
        return found

    def _columns(self) -> Columns:
        nodes = len(self.merges) + 1 + np.arange(len(self.merges))
        return {"node": nodes, "first": self.merges[:, 0], "second": self.merges[:, 1], "lost": self.lost}

    def _summary(self) -> str:
        return f"{counted(len(self.merges) + 1, 'topic')}, {counted(len(self.merges), 'merger')}"

    def _picture(self) -> Picture:
        nodes = len(self.merges) + 1 + np.arange(len(self.merges))
        names = [f"{node}: {first} and {second}" for node, (first, second) in zip(nodes, self.merges)]
        return Bars(names, self.lost, "information lost (bits per word)")


def topic_distances(components: Matrix) -> Floats:
    """Return the distances between all topics (Eq. 1), topics × topics.

    >>> topic_distances([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]).round(3)
    array([[0., 1., 1.], [1., 0., 0.], [1., 0., 0.]])
    """
    topics = _distributions(components)
    entropy = _entropy(topics)
    squares = np.array([_entropy((row + topics) / 2) - (entropy[i] + entropy) / 2 for i, row in enumerate(topics)])
    squares = np.clip((squares + squares.T) / 2, 0.0, 1.0)
    np.fill_diagonal(squares, 0.0)
    found: Floats = np.sqrt(squares)
    return found


def topic_places(distances: Matrix) -> TopicPlaces:
    """Return positions in the plane whose distances approximate the given ones, by classical scaling (Eq. 2).

    The signs of the axes are fixed by the data: the topic furthest from the middle of an axis is on its positive side.

    >>> places = topic_places([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> places.xy.round(3), round(places.shown, 3)
    (array([[ 1.,  0.], [ 0.,  0.], [-1.,  0.]]), 1.0)
    """
    known = np.asarray(distances, dtype=np.float64)
    if known.ndim != 2 or known.shape[0] != known.shape[1] or not len(known):
        raise InvalidInput(f"distances must be a square matrix of at least one topic, not of shape {known.shape}")
    if not np.isfinite(known).all() or (known < 0).any() or not np.allclose(known, known.T):
        raise InvalidInput("distances must be finite, at least 0, and the same in both directions")
    squares = known**2
    middle = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-(squares - middle - middle[:, None] + squares.mean()) / 2)  # B
    values = np.where(values > _NEGLIGIBLE * max(np.abs(values).max(), _NEGLIGIBLE), values, 0.0)
    xy = np.zeros((len(known), 2))
    for axis in range(min(2, len(known))):
        places = np.sqrt(values[-1 - axis]) * vectors[:, -1 - axis]
        furthest = places[np.argmax(np.abs(places).round(9))]
        xy[:, axis] = -places if furthest < 0 else places
    total = values.sum()
    return TopicPlaces(xy + 0.0, float(values[-2:].sum() / total) if total > 0 else 1.0)


def topic_tree(components: Matrix, shares: Matrix) -> TopicTree:
    """Return the mergers of topics with the given shares, those that lose the least information first (Eq. 3).

    >>> tree = topic_tree([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9], [0.8, 0.2, 0.0]], [0.4, 0.3, 0.3])
    >>> tree.merges.tolist(), tree.lost.round(3).tolist()
    ([[0, 2], [1, 3]], [0.01, 0.79])
    """
    topics = _distributions(components)
    weights = np.asarray(shares, dtype=np.float64)
    if weights.shape != (len(topics),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InvalidInput(f"shares must be {len(topics)} numbers of at least 0, one per topic, and not all 0")
    weights = weights / weights.sum()
    n_topics = len(topics)
    masses = np.vstack([weights[:, None] * topics, np.zeros((n_topics - 1, topics.shape[1]))])
    entropies = np.full(2 * n_topics - 1, 0.0)
    entropies[:n_topics] = _mass_entropy(masses[:n_topics])
    costs = np.full((2 * n_topics - 1, 2 * n_topics - 1), np.inf)
    for i in range(n_topics):
        costs[i, i + 1 : n_topics] = _mass_entropy(masses[i] + masses[i + 1 : n_topics]) - (
            entropies[i] + entropies[i + 1 : n_topics]
        )
    merges = np.empty((n_topics - 1, 2), dtype=np.int64)
    lost = np.empty(n_topics - 1)
    alive = np.zeros(2 * n_topics - 1, dtype=bool)
    alive[:n_topics] = True
    for merger in range(n_topics - 1):
        i, j = divmod(int(np.argmin(costs.round(12))), len(costs))  # δ, Eq. 3; ties go to the first topics
        new = n_topics + merger
        merges[merger], lost[merger] = (i, j), max(costs[i, j], 0.0)
        alive[[i, j]] = False
        costs[[i, j]] = costs[:, [i, j]] = np.inf
        masses[new] = masses[i] + masses[j]
        entropies[new] = _mass_entropy(masses[new : new + 1])[0]
        rest = np.flatnonzero(alive)
        costs[rest, new] = _mass_entropy(masses[rest] + masses[new]) - (entropies[rest] + entropies[new])
        alive[new] = True
    return TopicTree(merges, np.cumsum(lost))


def _distributions(components: Matrix) -> Floats:
    topics = np.asarray(components, dtype=np.float64)
    if topics.ndim != 2 or not topics.size or not np.isfinite(topics).all() or (topics < 0).any():
        raise InvalidInput("components must be topics × words: at least one topic, finite values of at least 0")
    totals = topics.sum(axis=1, keepdims=True)
    if not totals.all():
        raise InvalidInput(f"topic {int(np.argmin(totals))} has no words")
    found: Floats = topics / totals
    return found


def _entropy(rows: Floats) -> Floats:
    found: Floats = -xlogy(rows, rows).sum(axis=1) / np.log(2)
    return found


def _mass_entropy(masses: Floats) -> Floats:
    """Return the entropy in bits of each row, normalised, times its sum: δ is its increase when two rows are added."""
    totals = masses.sum(axis=1)
    found: Floats = (xlogy(totals, totals) - xlogy(masses, masses).sum(axis=1)) / np.log(2)
    return found
