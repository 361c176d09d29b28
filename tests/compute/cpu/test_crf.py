"""Losses, gradients, marginals and best tags against the enumeration of all tag sequences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles import crf as oracle

from driftline.compute.cpu.crf import best_tags, learn_sentences, loss_and_gradient, several_best, tag_marginals

N_TAGS, N_ATTRIBUTES = 3, 5
OFFSETS = np.array([0, 3, 3, 4, 8])
POINTERS = np.array([0, 2, 3, 6, 6, 8])
PAIR_TAGS = np.array([0, 2, 1, 0, 1, 2, 1, 2])


def example(seed=0):
    rng = np.random.default_rng(seed)
    attributes = rng.integers(-1, N_ATTRIBUTES, (8, 2)).astype(np.int32)
    tags = rng.integers(0, N_TAGS, 8)
    return attributes, tags, rng.normal(size=len(PAIR_TAGS)), rng.normal(size=(N_TAGS, N_TAGS))


def dense(weights):
    table = np.zeros((N_ATTRIBUTES, N_TAGS))
    for a in range(N_ATTRIBUTES):
        for pair in range(POINTERS[a], POINTERS[a + 1]):
            table[a, PAIR_TAGS[pair]] = weights[pair]
    return table


def loss(attributes, tags, weights, transition, counts=(1.0, 1.0, 2.0, 0.5), allowed=None, starts=None):
    gradient, moves = np.empty(len(weights)), np.empty((N_TAGS, N_TAGS))
    allowed = np.ones((N_TAGS, N_TAGS)) if allowed is None else allowed
    starts = np.ones(N_TAGS) if starts is None else starts
    found = loss_and_gradient(
        *(attributes, OFFSETS, tags, np.array(counts), POINTERS, PAIR_TAGS, weights, transition, allowed, starts),
        *(gradient, moves),
    )
    return found, gradient, moves


def by_enumeration(attributes, tags, weights, transition, counts=(1.0, 1.0, 2.0, 0.5), allowed=None, starts=None):
    total = 0.0
    for count, (begin, end) in zip(counts, itertools.pairwise(OFFSETS)):
        sequences, logs = oracle.distribution(attributes[begin:end], dense(weights), transition, allowed, starts)
        agree = [all(k in (-1, t) for k, t in zip(tags[begin:end], one)) for one in sequences]
        total += count * (np.logaddexp.reduce(logs) - np.logaddexp.reduce(logs[agree]))
    return total


@pytest.mark.parametrize("unknown", [(), (1, 5), (0, 1, 2, 3)])
def test_the_loss_is_that_of_all_sequences_and_the_gradient_its_finite_differences(unknown):
    attributes, tags, weights, transition = example()
    tags[list(unknown)] = -1
    found, gradient, moves = loss(attributes, tags, weights, transition)
    assert found == pytest.approx(by_enumeration(attributes, tags, weights, transition))
    step = 1e-5
    for pair in range(len(weights)):
        change = step * np.eye(len(weights))[pair]
        up, down = (loss(attributes, tags, weights + sign * change, transition)[0] for sign in (1, -1))
        assert gradient[pair] == pytest.approx((up - down) / (2 * step), abs=1e-7)
    for i, j in np.ndindex(N_TAGS, N_TAGS):
        change = np.zeros((N_TAGS, N_TAGS))
        change[i, j] = step
        up, down = (loss(attributes, tags, weights, transition + sign * change)[0] for sign in (1, -1))
        assert moves[i, j] == pytest.approx((up - down) / (2 * step), abs=1e-7)


def test_forbidden_transitions_and_starts_have_no_share():
    attributes, _, weights, transition = example(1)
    tags = np.array([1, 2, 1, 0, 1, 1, 2, 1])
    allowed, starts = np.ones((N_TAGS, N_TAGS)), np.array([1.0, 1.0, 0.0])
    allowed[0, 2] = allowed[2, 0] = 0.0
    found, _, moves = loss(attributes, tags, weights, transition, allowed=allowed, starts=starts)
    assert found == pytest.approx(by_enumeration(attributes, tags, weights, transition, allowed=allowed, starts=starts))
    assert moves[0, 2] == pytest.approx(0, abs=1e-12)


def test_marginals_and_best_tags():
    attributes, tags, weights, transition = example(2)
    tags[[0, 1, 4, 6]] = -1
    matrix, ones = np.exp(transition), np.ones(N_TAGS)
    for known in (np.empty(0, dtype=np.int64), tags):
        marginals, evidence = np.empty((8, N_TAGS)), np.empty(4)
        tag_marginals(attributes, OFFSETS, known, POINTERS, PAIR_TAGS, weights, matrix, ones, marginals, evidence)
        for log_z, (begin, end) in zip(evidence, itertools.pairwise(OFFSETS)):
            sequences, logs = oracle.distribution(attributes[begin:end], dense(weights), transition)
            if len(known):
                agree = [all(k in (-1, t) for k, t in zip(known[begin:end], one)) for one in sequences]
                sequences, logs = [one for one, ok in zip(sequences, agree) if ok], logs[agree]
            assert log_z == pytest.approx(np.logaddexp.reduce(logs))
            shares = np.exp(logs - np.logaddexp.reduce(logs))
            for t in range(end - begin):
                expected = np.bincount([one[t] for one in sequences], weights=shares, minlength=N_TAGS)
                np.testing.assert_allclose(marginals[begin + t], expected, atol=1e-12)
    paths = np.empty(8, dtype=np.int64)
    best_tags(attributes, OFFSETS, POINTERS, PAIR_TAGS, weights, transition, np.zeros(N_TAGS), paths)
    for begin, end in itertools.pairwise(OFFSETS):
        sequences, logs = oracle.distribution(attributes[begin:end], dense(weights), transition)
        assert tuple(paths[begin:end]) == sequences[logs.argmax()]


@pytest.mark.parametrize("n_best", [1, 4, 27])
def test_several_best_are_the_best_of_all(n_best):
    rng = np.random.default_rng(3)
    scores, transition = rng.normal(size=(3, N_TAGS)), rng.normal(size=(N_TAGS, N_TAGS))
    transition[1, 2], starts = -np.inf, np.array([0.0, -np.inf, 0.0])
    paths, totals = np.empty((n_best, 3), dtype=np.int64), np.empty(n_best)
    n = several_best(scores, transition, starts, n_best, paths, totals)
    expected = {}
    for tags in itertools.product(range(N_TAGS), repeat=3):
        total = (
            starts[tags[0]] + scores[np.arange(3), tags].sum() + sum(transition[p] for p in itertools.pairwise(tags))
        )
        if np.isfinite(total):
            expected[tags] = total
    order = sorted(expected, key=expected.get, reverse=True)[:n_best]
    assert n == min(n_best, len(expected))
    assert [tuple(path) for path in paths[:n].tolist()] == order
    np.testing.assert_allclose(totals[:n], [expected[tags] for tags in order])


def test_a_stochastic_step_follows_the_gradient():
    attributes, tags, weights, transition = example(4)
    tags[1] = -1
    l, rate = 0.3, 0.1
    counts = np.array([1.0, 1.0, 2.0, 0.5])
    scale = 0.5
    state, vector, moved = np.array([scale, 0.0, rate, l]), weights / scale, transition.copy()
    trained = np.ones((N_TAGS, N_TAGS), dtype=bool)
    trained[0, 1] = False
    steps = (vector, moved, trained, np.ones((N_TAGS, N_TAGS)), np.ones(N_TAGS), state)
    learn_sentences(np.array([3]), attributes, OFFSETS, tags, counts, POINTERS, PAIR_TAGS, *steps)
    _, gradient, moves = loss(attributes, tags, weights, transition, counts=(0.0, 0.0, 0.0, 0.5))
    np.testing.assert_allclose(state[0] * vector, (1 - rate * l) * weights - rate * gradient)
    expected = (1 - rate * l) * transition - rate * moves
    np.testing.assert_allclose(moved[trained], expected[trained])
    assert moved[0, 1] == transition[0, 1]
    assert state[1] == 1
