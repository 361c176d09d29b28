r"""Which documents are most worth labelling next: those that speak for many others whose class is in doubt.

The doubt about a document is :math:`1 - \max_c p_c`, scaled to one at its greatest. A document is worth the doubt in
its neighbourhood, :math:`\sum_j P_{ij} u_j`. They are picked one by one, and each pick removes the doubt it speaks for,
so that the picks are spread out. When nothing is known yet, all is in doubt, and the picks are the most typical ones.
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.evolving.pool.propagation import Propagation


def most_worth_labelling(spread: Propagation, doubts: Floats, may_be_picked: Bools, n: int) -> Ints:
    """Return up to `n` documents, the most useful first."""
    doubts, picked = doubts.copy(), []
    free = may_be_picked.copy()
    for _ in range(min(n, int(free.sum()))):
        worth = np.where(free, spread.smooth(doubts), -np.inf)
        best = int(np.argmax(worth))
        picked.append(best)
        free[best] = False
        reach = np.zeros(len(doubts))
        reach[best] = 1.0
        reach = spread.smooth(reach)
        doubts = doubts * (1 - reach / reach[best])
    return np.array(picked, dtype=np.int64)


def doubt(probabilities: Floats) -> Floats:
    """Return how much in doubt each document's class is: 0 = certain, 1 = all classes alike.

    >>> doubt(np.array([[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]])).round(2)
    array([1. , 0.2, 0. ])
    """
    n_classes = probabilities.shape[1]
    if n_classes < 2:
        return np.ones(len(probabilities))
    found: Floats = (1 - probabilities.max(axis=1)) * n_classes / (n_classes - 1)
    return found
