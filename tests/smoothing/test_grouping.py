"""Sums by group."""

from __future__ import annotations

import numpy as np

from driftline.smoothing.grouping import group_sums


def test_sums_and_empty_groups():
    assert group_sums(np.array([2, 0, 2]), np.array([1.0, 5.0, 2.5]), 4).tolist() == [5.0, 0.0, 3.5, 0.0]
    assert group_sums(np.empty(0, dtype=int), np.empty(0), 2).dtype == np.float64
