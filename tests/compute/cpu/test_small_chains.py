from __future__ import annotations

from types import FunctionType

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

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


def test_a_chain_is_packed_if_the_small_loops_can_do_it():
    matrices = np.full((1, 1, 4, 4), 0.25)
    assert markov.packed(matrices, 3, (4,)).shape == (4, 4)
    assert markov.packed(matrices, 2, (4,)) is matrices, "not every transition is possible"
    assert markov.packed(matrices, 3, (4, 4)) is matrices
    for shape in ((1, 1, 5, 5), (9, 1, 4, 4)):
        assert markov.packed(np.ones(shape), 4, shape[-1:]).shape == shape


def test_other_loops_are_not_compiled_for_a_packed_chain():
    """Their functions are taken away; the compiler notices only if it needs them."""
    matrices, sizes = np.full((1, 1, 2, 2), 0.5), np.full(1, 2)
    seen, beliefs = np.ones((3, 2)), np.empty((3, 2))
    ends = {"filter_steps": (beliefs,), "backward_steps": (np.ones(2), np.zeros((1, 2, 2)))}
    for name, last in ends.items():
        loop = getattr(markov, name).py_func
        missing = dict.fromkeys(("_move_all", "move_factor", "_backward_plain", "move_factor_back"))
        alone = numba.njit(FunctionType(loop.__code__, {**loop.__globals__, **missing}))
        first = (seen,) if name == "filter_steps" else (beliefs, seen)
        alone(*first, np.ones(2), False, markov.packed(matrices, 1, sizes), 1, sizes, *last)
        with pytest.raises(TypingError):
            alone(*first, np.ones(2), False, matrices, 1, sizes, *last)
