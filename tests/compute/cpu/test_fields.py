from __future__ import annotations

import numpy as np

from driftline.compute.cpu import fields
from driftline.inference.field_sampling import Field
from driftline.inference.message_passing import FactorGraph


def field(seed=0):
    rng = np.random.default_rng(seed)
    unary = [rng.normal(size=n) for n in (2, 3, 2)]
    factors = [((0, 1), rng.normal(size=(2, 3))), ((2, 1, 0), rng.normal(size=(2, 3, 2)))]
    return Field.of(FactorGraph.of(unary, factors))


def test_the_change_of_a_sweep_is_that_of_the_score():
    given, rng = field(), np.random.default_rng(1)
    states = np.zeros(3, dtype=np.int64)
    for _ in range(30):
        before = given.graph.score(states)
        change = fields.sweep(rng.permutation(3), states, rng.random(3), 1.0, *given.arrays)
        assert abs(given.graph.score(states) - before - change) < 1e-9


def test_a_variable_is_drawn_from_its_conditional_distribution():
    given, rng = field(2), np.random.default_rng(3)
    scores = np.array([given.graph.score([1, s, 0]) for s in range(3)])
    wanted = np.exp(scores - scores.max())
    drawn = np.zeros(3)
    for _ in range(20_000):
        states = np.array([1, 0, 0])
        fields.sweep(np.array([1]), states, rng.random(1), 1.0, *given.arrays)
        drawn[states[1]] += 1
    assert np.abs(drawn / drawn.sum() - wanted / wanted.sum()).max() < 0.015


def test_climbing_never_lowers_the_score_and_ends_where_no_single_change_helps():
    given, rng = field(4), np.random.default_rng(5)
    states = np.array([0, 0, 0])
    while fields.climb(rng.permutation(3), states, *given.arrays):
        pass
    for v, size in enumerate(given.graph.sizes):
        for s in range(size):
            other = states.copy()
            other[v] = s
            assert given.graph.score(other) <= given.graph.score(states) + 1e-12


def test_forbidden_states_are_never_drawn():
    graph = FactorGraph.of([np.zeros(2), np.zeros(2)], [((0, 1), np.array([[0.0, -np.inf], [-np.inf, -np.inf]]))])
    given, rng = Field.of(graph), np.random.default_rng(0)
    states = np.array([0, 0])
    for _ in range(50):
        fields.sweep(rng.permutation(2), states, rng.random(2), 1.0, *given.arrays)
        assert states.tolist() == [0, 0]
