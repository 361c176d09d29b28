"""Forward-backward and Viterbi against the enumeration of all paths; long chains; bounded memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, best_path, digits, smooth
from tests.oracles import markov as oracle


def tridiagonal(rng, n):
    matrix = np.triu(np.tril(rng.uniform(0.1, 1, (n, n)), 1), -1)
    return matrix / matrix.sum(axis=1, keepdims=True)


def digit_moves(joint, n_levels, n_factors):
    """Sum expected moves of joint states into moves of each factor."""
    level = digits(np.arange(len(joint)), n_levels, n_factors)
    moves = np.zeros((n_factors, n_levels, n_levels))
    for i, j in np.ndindex(*joint.shape):
        for f in range(n_factors):
            moves[f, level[i, f], level[j, f]] += joint[i, j]
    return moves


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(1, 2, 6), (1, 3, 5), (2, 2, 4), (2, 3, 3), (3, 2, 3), (2, 1, 3)]),
    st.booleans(),
    st.booleans(),
    st.floats(0.1, 300),
)
def test_equal_to_enumeration(seed, shape, changing, same_for_all, spread):
    n_factors, n_levels, n = shape
    rng = np.random.default_rng(seed)
    size = n_levels**n_factors
    initial = rng.dirichlet(np.ones(size))
    transition = np.array(
        [
            [tridiagonal(rng, n_levels) for _ in range(1 if same_for_all else n_factors)]
            for _ in range(n if changing else 1)
        ]
    )
    logs = rng.normal(0, spread, (n, size))
    each = [[transition[t if changing else 0, 0 if same_for_all else f] for f in range(n_factors)] for t in range(n)]
    joint = [oracle.joint_matrix(matrices) for matrices in each]
    evidence, probabilities, moves, best = oracle.smoothed_by_enumeration(initial, joint, logs)
    chain = MarkovChain(initial, transition, n_factors)
    found = smooth(chain, logs, n, count_moves=True)
    assert found.log_evidence == pytest.approx(evidence, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found.probabilities, probabilities, atol=1e-9)
    np.testing.assert_allclose(found.first, probabilities[0], atol=1e-9)
    np.testing.assert_allclose(found.last, probabilities[-1], atol=1e-9)
    np.testing.assert_allclose(found.moves, digit_moves(moves, n_levels, n_factors), atol=1e-8)
    path = best_path(chain, logs, n)
    assert path.log_probability == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert oracle.log_likelihood_of_path(initial, joint, logs, path.states) == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_stretches_make_the_whole():
    """A long chain is worked in many stretches; a consumer sees all of them, and a function gives the likelihoods."""
    rng = np.random.default_rng(1)
    n, chain = 3000, MarkovChain(rng.dirichlet(np.ones(9)), tridiagonal(rng, 3), 2)
    logs = rng.normal(0, 2, (n, 9))
    whole = smooth(chain, logs, n, count_moves=True)
    assert whole.moves.sum(axis=(1, 2)) == pytest.approx([n - 1, n - 1])
    np.testing.assert_allclose(whole.probabilities.sum(axis=1), 1)
    taken, asked = np.zeros((n, 9)), []

    def given(begin, end):
        asked.append(end - begin)
        return logs[begin:end]

    def consume(begin, probabilities):
        taken[begin : begin + len(probabilities)] = probabilities

    parts = smooth(chain, given, n, consume=consume)
    assert parts.probabilities.size == 0
    assert max(asked) < 100
    np.testing.assert_array_equal(taken, whole.probabilities)
    assert best_path(chain, given, n).log_probability == best_path(chain, logs, n).log_probability


def test_a_function_may_give_the_matrices():
    rng = np.random.default_rng(2)
    n = 50
    each = np.array([[tridiagonal(rng, 3)] for _ in range(n)])
    initial, logs = rng.dirichlet(np.ones(9)), rng.normal(0, 1, (n, 9))
    held = smooth(MarkovChain(initial, each, 2), logs, n)
    given = smooth(MarkovChain(initial, lambda begin, end: each[begin:end], 2), logs, n)
    np.testing.assert_allclose(given.probabilities, held.probabilities, atol=1e-12)


def test_a_million_steps_do_not_underflow():
    rng = np.random.default_rng(3)
    n = 1_000_000
    logs = np.where(rng.random((n, 2)) < 0.5, -800.0, 0.0) - 1e5
    chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.99, 0.01], [0.02, 0.98]]))
    found = smooth(chain, logs, n)
    assert np.isfinite(found.log_evidence)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert np.isfinite(best_path(chain, logs, n).log_probability)


def test_what_the_text_forbids_stays_forbidden():
    chain = MarkovChain(np.array([0.5, 0.5]), np.eye(2) * 0.8 + 0.1)
    logs = np.array([[0.0, 0.0], [-np.inf, 0.0], [0.0, 0.0]])
    assert smooth(chain, logs, 3).probabilities[1].tolist() == [0.0, 1.0]
    assert best_path(chain, logs, 3).states.tolist() == [1, 1, 1]


def test_one_step_and_none():
    chain = MarkovChain(np.array([0.3, 0.7]), np.eye(2))
    one = smooth(chain, np.log([[0.5, 0.5]]), 1)
    np.testing.assert_allclose(one.probabilities, [[0.3, 0.7]])
    assert one.log_evidence == pytest.approx(np.log(0.5))
    none = smooth(chain, np.zeros((0, 2)), 0)
    assert none.log_evidence == 0
    assert best_path(chain, np.zeros((0, 2)), 0).states.tolist() == []


def test_sizes_must_fit():
    with pytest.raises(InvalidInput, match="2 factors of 3 levels"):
        smooth(MarkovChain(np.ones(4) / 4, np.eye(3), 2), np.zeros((2, 4)), 2)


def test_digits_are_the_levels_of_the_factors():
    assert digits(np.arange(8), 2, 3).tolist() == [[i >> 2, i >> 1 & 1, i & 1] for i in range(8)]
