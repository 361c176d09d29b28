from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles.factor_graphs import enumerated

from driftline.core.errors import InvalidInput
from driftline.graphs.fields.pseudo_likelihood import conditional_features, learned_weights
from driftline.inference.message_passing import FactorGraph

EQUAL = np.eye(2)


def graph_of(n=4):
    return FactorGraph.of([np.zeros(2)] * n, [((i, (i + 1) % n), EQUAL) for i in range(n)])


def drawn(weights, n_rows, seed=0):
    """Return joint states from the field with these weights."""
    graph = graph_of()
    states = np.array(list(itertools.product(range(2), repeat=4)))
    scores = [sum(w * (s[i] == s[(i + 1) % 4]) for i, w in enumerate(weights)) for s in states]
    shares = np.exp(scores) / np.exp(scores).sum()
    return graph, states[np.random.default_rng(seed).choice(16, n_rows, p=shares)]


def test_features_are_the_potentials_of_every_state():
    graph, rows = drawn([1.0] * 4, 5)
    for v, (own, sums) in enumerate(conditional_features(graph, rows, np.arange(4))):
        for r, s in itertools.product(range(5), range(2)):
            other = rows[r].copy()
            other[v] = s
            wanted = [EQUAL[other[i], other[(i + 1) % 4]] * (v in (i, (i + 1) % 4)) for i in range(4)]
            np.testing.assert_allclose(sums[r, s], wanted)
        assert own.tolist() == [[0.0, 0.0]]


def test_the_objective_is_the_product_of_conditional_probabilities():
    graph, rows = drawn([1.0] * 4, 3)
    weights, mean = learned_weights(graph, rows, np.zeros(4, dtype=np.int64), 0.1)
    total = 0.0
    factors = [((i, (i + 1) % 4), weights[0] * EQUAL) for i in range(4)]
    for row, v in itertools.product(rows, range(4)):
        unary = [np.where(np.arange(2) == s, 0.0, -np.inf) for s in row]
        unary[v] = np.zeros(2)
        total += np.log(enumerated(unary, factors)[0][v][row[v]])
    assert mean == pytest.approx(total / rows.size)


def test_true_weights_are_recovered():
    graph, rows = drawn([1.5, 1.5, -0.5, -0.5], 4000)
    weights, _ = learned_weights(graph, rows, np.array([0, 0, 1, 1]), 0.0)
    np.testing.assert_allclose(weights, [1.5, -0.5], atol=0.15)


def test_impossible_observations_are_refused():
    table = np.array([[0.0, -np.inf], [0.0, 0.0]])
    graph = FactorGraph.of([np.zeros(2)] * 2, [((0, 1), table)])
    with pytest.raises(InvalidInput, match="impossible"), np.errstate(invalid="ignore"):
        learned_weights(graph, np.array([[0, 1]]), np.zeros(1, dtype=np.int64), 1.0)
