from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.bounded_chains import all_sequences, nearest, step_probabilities

from driftline.inference.bounded_counts import CountBound
from driftline.sequences.bounded_states import ChainSteps, bounded_expectations

NOTHING = np.empty(0, dtype=np.int64)


def chains(rng, lengths, n_states=3):
    logs = rng.normal(size=(sum(lengths), n_states))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    initial, transition = rng.dirichlet(np.ones(n_states)), rng.dirichlet(np.ones(n_states), n_states)
    return ChainSteps(logs, offsets, NOTHING, initial, transition)


@pytest.mark.parametrize("low, high", [(2.5, 4.0), (0.0, 0.3), (1.4, 1.5)])
def test_bounds_by_sequence_give_the_nearest_distribution(low, high):
    steps = chains(np.random.default_rng(0), [4, 3])
    states = np.array([True, False, False])
    bound = CountBound(states, np.arange(2), np.full(2, low), np.full(2, high))
    found = bounded_expectations(steps, [bound])
    total = 0.0
    for begin, end in ((0, 4), (4, 7)):
        sequences, scores = all_sequences(steps.logs[begin:end], steps.initial, steps.transition)
        q, value = nearest(sequences, scores, [(states, low, high)])
        np.testing.assert_allclose(found.beliefs[begin:end], step_probabilities(sequences, q, 3), atol=2e-3)
        total += value
    assert found.value == pytest.approx(total, abs=1e-3)


def test_several_bounds_hold_together():
    steps = chains(np.random.default_rng(1), [4])
    first, second = np.array([True, False, False]), np.array([False, True, True])
    each = np.zeros(1, dtype=np.int64)
    bounds = [
        CountBound(first, each, np.array([2.0]), np.array([9.0])),
        CountBound(np.array([False, True, False]), each, np.array([1.5]), np.array([1.5])),
        CountBound(second, each, np.array([0.0]), np.array([2.5])),
    ]
    found = bounded_expectations(steps, bounds)
    sequences, scores = all_sequences(steps.logs, steps.initial, steps.transition)
    wanted = [(b.states, b.low[0], b.high[0]) for b in bounds]
    q, value = nearest(sequences, scores, wanted)
    np.testing.assert_allclose(found.beliefs, step_probabilities(sequences, q, 3), atol=5e-3)
    assert found.value == pytest.approx(value, abs=5e-3)


def test_a_bound_on_all_sequences_has_one_multiplier():
    steps = chains(np.random.default_rng(2), [30, 20, 50])
    bound = CountBound(np.array([False, False, True]), np.zeros(3, dtype=np.int64), np.array([60.0]), np.array([100.0]))
    found = bounded_expectations(steps, [bound])
    assert found.beliefs[:, 2].sum() == pytest.approx(60.0, abs=0.02)
    shifted = steps.expect(steps.logs - found.multipliers[0][0] * bound.states)[0]
    np.testing.assert_allclose(found.beliefs, shifted)
    assert found.moves.sum() == pytest.approx(97.0)
    assert found.starts.sum() == pytest.approx(3.0)


def test_a_cost_limits_the_multiplier_and_what_holds_has_none():
    steps = chains(np.random.default_rng(3), [4, 4])
    states = np.array([True, False, False])
    dear = bounded_expectations(steps, [CountBound(states, np.arange(2), np.full(2, 3.9), np.full(2, 4.0), 0.5)])
    np.testing.assert_allclose(dear.multipliers[0], -0.5)
    free = bounded_expectations(steps, [CountBound(states, np.arange(2), np.zeros(2), np.full(2, 4.0))])
    np.testing.assert_array_equal(free.multipliers[0], 0.0)
    plain, _, _, evidence = steps.expect(steps.logs.copy())
    np.testing.assert_allclose(free.beliefs, plain)
    assert free.value == pytest.approx(evidence.sum())
