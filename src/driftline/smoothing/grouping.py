"""Sums by group."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.core.arrays import Floats


def group_sums(group: Any, values: Any, n_groups: int) -> Floats:
    """Return the sum of the values of each group, groups being numbered from zero.

    >>> group_sums([0, 2, 2], [1.0, 2.0, 3.0], 4)
    array([1., 0., 5., 0.])
    """
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64, copy=False)
