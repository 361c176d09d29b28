"""Sums by group."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats


def group_sums(group: Any, values: Any, n_groups: int) -> Floats:
    """Return the sum of the values of each group, groups being numbered from zero.

    >>> group_sums([0, 2, 2], [1.0, 2.0, 3.0], 4)
    array([1., 0., 5., 0.])
    """
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64, copy=False)


def gathering(group: Any, n_groups: int) -> sp.csr_array:
    """Return the matrix that sums rows by group: its product with documents × words is groups × words.

    >>> gathering([0, 2, 2], 3) @ np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    array([[ 1.,  5.],
           [ 0.,  0.],
           [ 5., 13.]])
    """
    n = len(group)
    return sp.csr_array((np.ones(n), (group, np.arange(n))), shape=(n_groups, n))
