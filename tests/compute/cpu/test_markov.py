"""The parts of the forward and backward recursions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.markov import joint_matrix

from driftline.compute.cpu.markov import draw_state, move_factor, move_factor_back, trace_back


@pytest.mark.parametrize("factor", [0, 1, 2])
def test_moving_one_factor_is_a_product_with_its_matrix(factor):
    rng = np.random.default_rng(factor)
    matrix = rng.dirichlet(np.ones(3), 3)
    message = rng.random(27)
    matrices = [np.eye(3)] * 3
    matrices[factor] = matrix
    joint, moved = joint_matrix(matrices), np.empty(27)
    stride = 3 ** (2 - factor)
    move_factor(message, matrix, 3, stride, 2, moved)
    np.testing.assert_allclose(moved, message @ joint)
    move_factor_back(message, matrix, 3, stride, 2, moved)
    np.testing.assert_allclose(moved, joint @ message)


def test_the_band_leaves_out_what_is_beyond_it():
    matrix, moved = np.ones((4, 4)), np.empty(4)
    move_factor(np.ones(4), matrix, 4, 1, 1, moved)
    assert moved.tolist() == [2, 3, 3, 2]


def test_the_way_back():
    origin = np.array([[0, 0], [1, 0], [1, 1]], dtype=np.int32)
    path = np.empty(3, dtype=np.int64)
    assert trace_back(origin, 0, path) == 0
    assert path.tolist() == [0, 1, 0]


def test_a_state_is_drawn_in_proportion():
    chance = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    drawn = [draw_state(chance, uniform) for uniform in np.linspace(0, 1, 400, endpoint=False)]
    assert np.bincount(drawn, minlength=5).tolist() == [0, 100, 0, 300, 0]
    assert draw_state(chance, 1.0) == 3, "rounding past the end stays among the possible"
