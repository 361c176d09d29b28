r"""DP-means: k-means in which a point that is too far from all centres starts a cluster (Kulis and Jordan, 2012).

It minimises :math:`\sum_i \|x_i - \mu_{z_i}\|^2 + \lambda K` (1), the limit of the mixture of Gaussians as their
variance vanishes. Every step assigns each point to the nearest centre, or to a new one if the squared distance exceeds
λ (2), and then moves the centres to their means; (1) never increases.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.crp import expected_clusters
from driftline.nonparametric.cluster_items import Items

ROUNDING = 1e-9
"""Relative excess over λ above which a distance counts as larger."""


class Centres(NamedTuple):
    """The centres, every point's cluster, and (1)."""

    centres: Floats
    labels: Ints
    cost: float


def chosen_penalty(problem: Items, concentration: float) -> float:
    """Return λ by Kulis and Jordan's rule: the largest squared distance after farthest-first traversal.

    The traversal chooses as many centres as the process expects clusters, starting at the mean of all points.
    """
    points = problem.points()
    n = max(2, round(expected_clusters(problem.n_items, concentration)))
    nearest = _distances(points, np.asarray(points.mean(axis=0)).reshape(1, -1))[:, 0]
    for _ in range(min(n, problem.n_items) - 1):
        nearest = np.minimum(nearest, _distances(points, _row(points, int(nearest.argmax())))[:, 0])
    return float(nearest.max())


def begin_centres(problem: Items, rng: np.random.Generator) -> Centres:
    """Start with the mean of all points."""
    points = problem.points()
    centre = np.asarray(points.mean(axis=0)).reshape(1, -1)
    return Centres(centre, np.zeros(problem.n_items, dtype=np.int64), np.inf)


def assign(penalty: float, state: Centres, problem: Items) -> Update[Centres]:
    """Assign points to centres; the farthest points start clusters as long as (2) holds. Then take the means."""
    points, centres = problem.points(), [*state.centres]
    distances = _distances(points, state.centres)
    labels, nearest = distances.argmin(axis=1), distances.min(axis=1)
    while nearest.max() > penalty * (1 + ROUNDING):
        farthest = int(nearest.argmax())
        centre = _row(points, farthest)
        other = _distances(points, centre)[:, 0]
        other[farthest] = 0.0  # otherwise the rounding error of its own distance may exceed a small λ forever
        labels, nearest = np.where(other < nearest, len(centres), labels), np.minimum(other, nearest)
        centres.append(centre[0])
    labels = np.unique(labels, return_inverse=True)[1].ravel()
    n = int(labels.max()) + 1
    ones = sp.csr_matrix((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), n))
    sums = ones.T @ points
    means = np.asarray((sums.toarray() if sp.issparse(sums) else sums) / np.bincount(labels)[:, None])
    cost = float(_distances(points, means)[np.arange(len(labels)), labels].sum()) + penalty * n
    moved = float((labels != state.labels).mean())
    return Update(Centres(means, labels, cost), -cost, moved)


def dp_means(penalty: float) -> CoordinateAscent[Items, Centres]:
    """Return the method with this λ."""
    return CoordinateAscent(begin_centres, (partial(assign, penalty),), lambda state: -state.cost)


def _distances(points: Any, centres: Floats) -> Floats:
    squares = points.multiply(points).sum(axis=1) if sp.issparse(points) else (points**2).sum(axis=1)
    found = np.asarray(squares).reshape(-1, 1) - 2 * np.asarray(points @ centres.T) + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(found, 0.0))


def _row(points: Any, number: int) -> Floats:
    row = points[[number]]
    return np.asarray(row.toarray() if sp.issparse(row) else row)
