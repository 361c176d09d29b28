"""Links between documents as weights: every row with a link sums to one."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Matrix
from driftline.core.errors import InvalidInput


def checked_links(links: Matrix | None, n: int) -> Counts:
    """Return documents × documents as a CSR matrix without self-links; None means that there are no links.

    >>> checked_links([[1, 2], [0, 0]], 2).toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    if links is None:
        return sp.csr_array((n, n))
    matrix = sp.csr_array(links, dtype=np.float64)
    if matrix.shape != (n, n):
        raise InvalidInput(
            f"links is {matrix.shape[0]} × {matrix.shape[1]}, but there are {n} documents; pass a {n} × {n} matrix"
        )
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise InvalidInput("links must be non-negative numbers, 0 for no link")
    matrix = sp.csr_array(matrix - sp.diags_array(matrix.diagonal()))
    matrix.eliminate_zeros()
    matrix.sum_duplicates()
    matrix.sort_indices()
    return matrix


def row_weights(links: Counts) -> Counts:
    """Return the links divided by the sum of their row; rows without links stay empty.

    >>> row_weights(sp.csr_array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).toarray()
    array([[0.  , 0.75, 0.25],
           [0.  , 0.  , 0.  ],
           [1.  , 0.  , 0.  ]])
    """
    total = np.asarray(links.sum(axis=1)).ravel()
    inverse: Floats = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sp.csr_array(sp.diags_array(inverse) @ links)


def number_of_self_links(links: Matrix | None) -> int:
    """Return the number of documents that are linked to themselves; such links are left out."""
    return 0 if links is None else int((sp.csr_array(links).diagonal() != 0).sum())
