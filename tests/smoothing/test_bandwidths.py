"""The bandwidths tried reach from the finest time to the whole stream."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.smoothing.bandwidths import FINEST, bandwidth_grid


def test_from_the_gap_to_infinity():
    grid = bandwidth_grid(np.repeat(np.arange(100.0), 3))
    assert len(grid) == 30
    assert grid[0] == 1.0
    assert np.isclose(grid[-2], 2 * 99)
    assert np.isinf(grid[-1])
    assert (np.diff(grid) > 0).all()


def test_no_finer_than_makes_sense():
    assert np.isclose(bandwidth_grid(np.linspace(0, 1, 100_000))[0], 1 / FINEST)


def test_one_time_leaves_only_the_global_model():
    assert bandwidth_grid(np.full(5, 3.0)).tolist() == [np.inf]


def test_no_finite_one_is_wider_than_allowed():
    grid = bandwidth_grid(np.arange(100.0), 10, widest=7.0)
    assert grid[0] == 1.0
    assert grid[-2] == pytest.approx(7.0)
    assert np.isinf(grid[-1])
    assert bandwidth_grid(np.arange(100.0), 10, widest=0.5)[:-1].max() <= 0.5 * (1 + 1e-12)
