r"""Selection of documents to label next: those that represent many others with uncertain classes.

The uncertainty of a document is :math:`1 - \max_c p_c`, scaled to a maximum of one. The value of a document is the
uncertainty in its neighbourhood, :math:`\sum_j P_{ij} u_j`. Documents are selected one by one, and each selection
removes the uncertainty it represents, so that the selected documents are spread out. Before any label is known, all
documents are uncertain, and the selected ones are the most typical.
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
    """Return the uncertainty of each document's class: 0 = certain, 1 = all classes equally probable.

    >>> doubt(np.array([[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]])).round(2)
    array([1. , 0.2, 0. ])
    """
    n_classes = probabilities.shape[1]
    if n_classes < 2:
        return np.ones(len(probabilities))
    found: Floats = (1 - probabilities.max(axis=1)) * n_classes / (n_classes - 1)
    return found
