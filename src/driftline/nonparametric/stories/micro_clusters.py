r"""Micro-clusters: weighted sums of the rows of a stream, from which centres and radii are computed.

A micro-cluster of rows :math:`x_i` with weights :math:`f_i` keeps :math:`w = \sum f_i`, :math:`s = \sum f_i x_i` and
:math:`q = \sum f_i |x_i - o|^2` with :math:`s` relative to an origin o, the first row of the stream. Its centre is
:math:`o + s / w`, and its radius :math:`\sqrt{q / w - |s / w|^2}` (1). Sums of two micro-clusters are those of their
union, and all weights decay by the same factor.
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints


def radii(weights: Floats, sums: Floats, squares: Floats) -> Floats:
    """Return (1) of every micro-cluster.

    >>> radii(np.array([2.0]), np.array([[2.0]]), np.array([4.0]))  # of 0 and 2
    array([1.])
    """
    scale = np.where(weights > 0, weights, 1.0)
    spread = squares / scale - ((sums / scale[:, None]) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(spread, 0.0)))


def nearest(centres: Floats, row: Floats) -> tuple[int, float]:
    """Return the number of the nearest centre, the first one if there is a tie, and its distance."""
    distances = ((centres - row) ** 2).sum(axis=1)
    best = int(distances.argmin())
    return best, float(np.sqrt(distances[best]))


def nearest_rows(centres: Floats, rows: Floats) -> Ints:
    """Return the number of the nearest centre of every row."""
    return np.array([nearest(centres, row)[0] for row in rows], dtype=np.int64)
