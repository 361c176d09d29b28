from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu import markov
from driftline.compute.cpu.small_chains import backward_small, filter_small


def wide(array, axes):
    """Append a fifth state that is impossible, which the general loops then handle."""
    return np.pad(array, [(0, 5 - array.shape[axis]) if axis in axes else (0, 0) for axis in range(array.ndim)])


@pytest.mark.parametrize("n_states", [1, 2, 3, 4])
@pytest.mark.parametrize("moves_first", [False, True])
def test_the_small_loops_give_what_the_general_loops_give(n_states, moves_first):
    rng = np.random.default_rng(n_states)
    likelihood = rng.random((50, n_states)) ** 4 + 1e-6
    entering, matrix = rng.dirichlet(np.ones(n_states)), rng.dirichlet(np.ones(n_states), n_states)
    found, expected = np.empty((50, n_states)), np.empty((50, 5))
    evidence = filter_small(likelihood, entering, moves_first, matrix, found)
    padded = wide(matrix, (0, 1)).reshape(1, 1, 5, 5)
    general = (wide(entering, (0,)), moves_first, padded, 4, np.full(1, 5))
    assert evidence == pytest.approx(markov.filter_steps(wide(likelihood, (1,)), *general, expected))
    np.testing.assert_allclose(found, expected[:, :n_states], atol=1e-12)
    moves, all_moves = np.zeros((1, n_states, n_states)), np.zeros((1, 5, 5))
    message, wide_message = np.ones(n_states), np.ones(5)
    backward_small(found, likelihood, entering, moves_first, matrix, message, moves)
    markov.backward_steps(expected, wide(likelihood, (1,)), *general, wide_message, all_moves)
    np.testing.assert_allclose(found, expected[:, :n_states], atol=1e-12)
    np.testing.assert_allclose(moves[0], all_moves[0, :n_states, :n_states], atol=1e-10)
    assert moves.sum() == pytest.approx(49 + moves_first)
    shares = wide_message[:n_states] / wide_message[:n_states].sum()
    np.testing.assert_allclose(message / message.sum(), shares, atol=1e-12)


def test_contradictory_data_do_not_stop_it():
    likelihood = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found, moves = np.empty((3, 2)), np.zeros((1, 2, 2))
    filter_small(likelihood, np.array([0.5, 0.5]), False, np.eye(2), found)
    backward_small(found, likelihood, np.array([0.5, 0.5]), False, np.eye(2), np.ones(2), moves)
    np.testing.assert_array_equal(found, likelihood)
    assert np.isfinite(moves).all()
