"""Forward-backward and Viterbi against the enumeration of all paths; long chains; bounded memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, best_path, digits, sample_paths, smooth
from tests.oracles import markov as oracle


def tridiagonal(rng, n):
    matrix = np.triu(np.tril(rng.uniform(0.1, 1, (n, n)), 1), -1)
    return matrix / matrix.sum(axis=1, keepdims=True)


def digit_moves(joint, sizes):
    """Sum expected moves of joint states into moves of each factor."""
    level = digits(np.arange(len(joint)), sizes)
    moves = np.zeros((len(sizes), max(sizes), max(sizes)))
    for i, j in np.ndindex(*joint.shape):
        for f in range(len(sizes)):
            moves[f, level[i, f], level[j, f]] += joint[i, j]
    return moves


def padded(matrix, size):
    found = np.zeros((size, size))
    found[: len(matrix), : len(matrix)] = matrix
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(6, 2), (5, 3), (4, 2, 2), (3, 3, 3), (3, 2, 2, 2), (3, 1, 1), (4, 2, 3), (3, 3, 1, 2)]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.floats(0.1, 300),
)
@example(680701, (5, 3), False, False, False, 284.0)
def test_equal_to_enumeration(seed, shape, changing, same_for_all, potentials, spread):
    n, *sizes = shape
    same_for_all = same_for_all and len(set(sizes)) == 1
    rng = np.random.default_rng(seed)
    size = int(np.prod(sizes))
    initial = rng.dirichlet(np.ones(size))
    each = [[tridiagonal(rng, levels) for levels in sizes] for _ in range(n)]
    each = [[each[t if changing else 0][0 if same_for_all else f] for f in range(len(sizes))] for t in range(n)]
    if potentials:  # any non-negative numbers
        initial = initial * np.exp(rng.normal(0, 20))
        scales = np.exp(rng.normal(0, 20, (n if changing else 1, 1 if same_for_all else len(sizes))))
        each = [
            [m * scales[t if changing else 0, 0 if same_for_all else f] for f, m in enumerate(each[t])]
            for t in range(n)
        ]
    transition = np.array(
        [[padded(m, max(sizes)) for m in each[t][: 1 if same_for_all else None]] for t in range(n if changing else 1)]
    )
    logs = rng.normal(0, spread, (n, size))
    joint = [oracle.joint_matrix(matrices) for matrices in each]
    evidence, probabilities, moves, best = oracle.smoothed_by_enumeration(initial, joint, logs)
    # Beliefs below 1e-300 are not represented: the data then contradict the transitions
    assume(oracle.smallest_message(initial, joint, logs, probabilities) > np.log(1e-290))
    chain = MarkovChain(initial, transition, tuple(sizes))
    if potentials:
        with np.errstate(divide="ignore"):
            chain = MarkovChain(np.log(initial), np.log(transition), tuple(sizes), logs=True)
    found = smooth(chain, logs, n, count_moves=True)
    assert found.log_evidence == pytest.approx(evidence, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found.probabilities, probabilities, atol=1e-9)
    np.testing.assert_allclose(found.first, probabilities[0], atol=1e-9)
    np.testing.assert_allclose(found.last, probabilities[-1], atol=1e-9)
    np.testing.assert_allclose(found.moves, digit_moves(moves, sizes), atol=1e-8)
    path = best_path(chain, logs, n)
    assert path.log_probability == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert oracle.log_likelihood_of_path(initial, joint, logs, path.states) == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sizes", [(3,), (2, 3)])
@pytest.mark.parametrize("potentials", [False, True])
def test_paths_are_drawn_from_their_posterior(sizes, potentials, monkeypatch):
    monkeypatch.setattr("driftline.inference.forward_backward.SEGMENT_BYTES", 16 * 2 * int(np.prod(sizes)))
    rng = np.random.default_rng(4)
    size, n, n_paths = int(np.prod(sizes)), 3 if len(sizes) == 2 else 5, 40_000
    initial, matrices = rng.dirichlet(np.ones(size)), [rng.dirichlet(np.ones(levels), levels) for levels in sizes]
    logs = rng.normal(0, 1, (n, size))
    chain = MarkovChain(initial, matrices, sizes)
    if potentials:
        chain = MarkovChain(np.log(initial) + 7, [np.log(matrix) - 900 for matrix in matrices], sizes, logs=True)
    paths, weights = oracle.enumerate_paths(initial, [oracle.joint_matrix(matrices)] * n, logs)
    expected = np.exp(weights - np.logaddexp.reduce(weights))
    drawn = sample_paths(chain, logs, n, rng, n_paths)
    places = (drawn.T @ size ** np.arange(n - 1, -1, -1)).astype(int)
    counted = np.bincount(places, minlength=len(paths)) / n_paths
    error = np.sqrt(expected * (1 - expected) / n_paths)
    assert np.abs((counted - expected) / np.maximum(error, 1e-4)).max() < 5
    assert ((counted - expected) ** 2 / np.maximum(expected, 1e-12)).sum() * n_paths < 2 * len(paths)


def test_a_list_of_matrices_is_one_per_factor():
    rng = np.random.default_rng(0)
    matrices = [rng.dirichlet(np.ones(2), 2), rng.dirichlet(np.ones(3), 3)]
    initial, logs = rng.dirichlet(np.ones(6)), rng.normal(size=(4, 6))
    plain = MarkovChain(initial, oracle.joint_matrix(matrices))
    np.testing.assert_allclose(
        smooth(MarkovChain(initial, matrices, (2, 3)), logs, 4).probabilities, smooth(plain, logs, 4).probabilities
    )


def test_potentials_beyond_the_range_of_numbers():
    rng = np.random.default_rng(0)
    n, logs = 2000, rng.normal(size=(2000, 2))
    initial, matrix = np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]])
    plain = smooth(MarkovChain(initial, matrix), logs, n)
    shifted = MarkovChain(np.log(initial) + 5000.0, np.log(matrix) - 3000.0, logs=True)
    found = smooth(shifted, logs, n)
    assert found.log_evidence == pytest.approx(plain.log_evidence + 5000.0 - 3000.0 * (n - 1), rel=1e-12)
    np.testing.assert_allclose(found.probabilities, plain.probabilities, atol=1e-9)


def test_stretches_make_the_whole():
    """A long chain is processed in many blocks; a consumer sees all of them, and a function gives the likelihoods."""
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
    with pytest.raises(InvalidInput, match="2 factors of 3 × 3 levels"):
        smooth(MarkovChain(np.ones(4) / 4, np.eye(3), 2), np.zeros((2, 4)), 2)


def test_digits_are_the_levels_of_the_factors():
    assert digits(np.arange(8), (2, 2, 2)).tolist() == [[i >> 2, i >> 1 & 1, i & 1] for i in range(8)]


def test_stretches_of_one_step_make_the_whole(monkeypatch):
    rng = np.random.default_rng(5)
    n, chain = 7, MarkovChain(rng.dirichlet(np.ones(9)), tridiagonal(rng, 3), 2)
    logs = rng.normal(0, 2, (n, 9))
    whole, path = smooth(chain, logs, n, count_moves=True), best_path(chain, logs, n)
    monkeypatch.setattr("driftline.inference.forward_backward.SEGMENT_BYTES", 1)
    parts = smooth(chain, logs, n, count_moves=True)
    assert parts.log_evidence == pytest.approx(whole.log_evidence)
    np.testing.assert_allclose(parts.probabilities, whole.probabilities, atol=1e-12)
    np.testing.assert_allclose(parts.moves, whole.moves, atol=1e-12)
    assert best_path(chain, logs, n).states.tolist() == path.states.tolist()


def test_a_function_is_only_called_for_steps_of_the_chain():
    calls = []

    def given(begin, end):
        calls.append((begin, end))
        return np.tile(np.array([[0.9, 0.1], [0.2, 0.8]]), (end - begin, 1, 1, 1))

    smooth(MarkovChain(np.ones(4) / 4, given, 2), np.zeros((1, 4)), 1)
    assert set(calls) == {(0, 1)}


@pytest.mark.parametrize("n_paths", [1, 3])
def test_paths_have_a_column_each_and_follow_what_is_certain(n_paths):
    chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    certain = np.log([[1.0, 1e-300], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    paths = sample_paths(chain, certain, 4, np.random.default_rng(0), n_paths)
    assert paths.tolist() == [[0] * n_paths, [1] * n_paths, [0] * n_paths, [1] * n_paths]


def test_sizes_of_factors_are_those_of_their_matrices():
    even, uneven = np.full((3, 3), 1 / 3), (np.full((2, 2), 0.5), np.full((4, 4), 0.25))
    assert MarkovChain(np.ones(3) / 3, even).sizes == (3,)
    assert MarkovChain(np.ones(9) / 9, even, 2).sizes == (3, 3)
    assert MarkovChain(np.ones(8) / 8, list(uneven), (2, 4)).sizes == (2, 4)
    asked = []

    def transition(begin, end):
        asked.append((begin, end))
        return np.broadcast_to(even, (end - begin, 1, 3, 3))

    assert MarkovChain(np.ones(3) / 3, transition).sizes == (3,)
    assert asked == [(0, 1)]


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("size_of_segments", [16 * 2**20, 16 * 3 * 2])
def test_a_plain_chain_is_equal_to_enumeration(changing, size_of_segments, monkeypatch):
    """Chains of one factor in which every transition is possible have loops of their own."""
    monkeypatch.setattr("driftline.inference.forward_backward.SEGMENT_BYTES", size_of_segments)
    rng = np.random.default_rng(5)
    n, size = 6, 3
    each = [rng.dirichlet(np.ones(size), size) for _ in range(n if changing else 1)]
    initial, logs = rng.dirichlet(np.ones(size)), rng.normal(0, 3, (n, size))
    matrices = each if changing else each * n
    evidence, probabilities, moves, _ = oracle.smoothed_by_enumeration(initial, matrices, logs)
    found = smooth(MarkovChain(initial, np.array(each)[:, None]), logs, n, count_moves=True)
    assert found.log_evidence == pytest.approx(evidence, rel=1e-12)
    np.testing.assert_allclose(found.probabilities, probabilities, atol=1e-12)
    np.testing.assert_allclose(found.moves[0], moves, atol=1e-12)


def test_data_that_contradict_the_transitions_give_finite_counts():
    chain = MarkovChain(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 1.0]]) + 0.0)
    logs = np.array([[0.0, -np.inf], [-np.inf, 0.0], [-np.inf, 0.0]])
    full = MarkovChain(chain.initial, np.array([[1.0, 0.0], [1e-320, 1.0]]))
    for one in (chain, full):
        found = smooth(one, logs, 3)
        assert np.isfinite(found.log_evidence)
    np.testing.assert_allclose(smooth(full, logs, 3, count_moves=True).probabilities, [[1, 0], [0, 1], [0, 1]])


@pytest.mark.parametrize("bad, message", [(-np.inf, "zero or infinite"), (np.nan, "not a number"), (np.inf, "zero or")])
def test_a_step_that_no_state_explains_is_refused(bad, message):
    logs = np.zeros((200, 2))
    logs[117] = bad
    chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    for method in (smooth, best_path):
        with pytest.raises(InvalidInput, match=f"step 117 .*{message}"):
            method(chain, logs, 200)
