r"""Scores smoothed over the neighbour graph: manifold regularisation of the function instead of the weights.

With :math:`S = D^{-1/2} W D^{-1/2}`,

.. math:: P = (1 - \alpha)(I - \alpha S)^{-1} = (1 - \alpha) \sum_k \alpha^k S^k

and :math:`P g` minimises :math:`\|f - g\|^2 + \frac{\alpha}{1 - \alpha} f^\top (I - S) f`: a function that stays close
to the linear one, :math:`g = X w`, and changes little along edges. Unlike the paper's, it may leave the span of the
documents. The series is truncated after a few terms and rescaled to sum to one; a document without an edge keeps its
own score.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.evolving.frames.neighbour_graph import inverse_root

N_TERMS = 10
DROP = 1e-3
"""Smallest share of a document in another document's smoothed row; smaller ones are dropped, to keep rows sparse."""


class Propagation:
    """The matrix P of one graph and one strength, never formed.

    >>> pair = sp.csr_matrix(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> Propagation(pair, 0.5).smooth(np.array([1.0, 0.0, 1.0])).round(2)
    array([0.67, 0.33, 1.  ])
    """

    def __init__(self, graph: sp.csr_matrix, strength: float) -> None:
        degrees = np.asarray(graph.sum(axis=1)).ravel()
        root = sp.diags_array(inverse_root(degrees))
        # A self-loop makes a document without neighbours keep its own score.
        self._steps = strength * sp.csr_matrix(root @ graph @ root + sp.diags_array((degrees <= 0).astype(np.float64)))
        self._strength = strength
        self._scale = (1 - strength) / (1 - strength ** (N_TERMS + 1))

    def smooth(self, values: Floats) -> Floats:
        """Return P times one value, or one row of values, per document."""
        if self._strength == 0:
            return values
        total = term = values
        for _ in range(N_TERMS):
            term = self._steps @ term
            total = total + term
        return self._scale * total

    def rows(self, documents: Ints) -> sp.csr_matrix:
        """Return some rows of P, without their smallest entries: requested documents × all documents."""
        n = self._steps.shape[0]
        picked = (np.ones(len(documents)), documents, np.arange(len(documents) + 1))
        total = term = sp.csr_matrix(picked, shape=(len(documents), n))
        if self._strength == 0:
            return total
        for _ in range(N_TERMS):
            term = _without_small(term @ self._steps)
            total = total + term
        return self._scale * sp.csr_matrix(total)


def _without_small(rows: sp.csr_matrix) -> sp.csr_matrix:
    rows.data[rows.data < DROP] = 0.0
    rows.eliminate_zeros()
    return rows
