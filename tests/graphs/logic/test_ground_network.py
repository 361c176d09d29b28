from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.logic import ground_network
from driftline.graphs.logic.ground_network import GroundNetwork


def random_network(seed, n_atoms=6, n_formulas=8, hard=2):
    rng = np.random.default_rng(seed)
    formulas, clauses, literals = [0], [0], []
    for _ in range(n_formulas):
        for _ in range(rng.integers(1, 3)):
            chosen = rng.permutation(n_atoms)[: rng.integers(1, 4)]
            literals += [2 * int(atom) + int(rng.integers(2)) for atom in chosen]
            clauses.append(len(literals))
        formulas.append(len(clauses) - 1)
    weights = rng.exponential(size=n_formulas)
    weights[:hard] = np.inf
    arrays = (np.array(part, dtype=np.int64) for part in (np.zeros(n_formulas), formulas, clauses, literals))
    return GroundNetwork(n_atoms, weights, *arrays, 0.5)


def truth(network, world):
    found = []
    for f in range(len(network.weights)):
        spans = itertools.pairwise(network.clauses[network.formulas[f] : network.formulas[f + 1] + 1])
        found.append(all(any(world[x // 2] != x % 2 for x in network.literals[a:b]) for a, b in spans))
    return np.array(found)


def worlds(n):
    return [np.array(world) for world in itertools.product([0, 1], repeat=n)]


@pytest.mark.parametrize("seed", range(4))
def test_scores_tables_and_the_program_agree_with_every_world(seed):
    network = random_network(seed)
    graph = network.factor_graph()
    best = -np.inf
    for world in worlds(6):
        true = truth(network, world)
        assert network.satisfied(world).tolist() == true.tolist()
        wanted = -np.inf if not true[:2].all() else 0.5 + network.weights[2:][true[2:]].sum()
        assert network.score(world) == pytest.approx(wanted)
        assert graph.score(world) + 0.5 == pytest.approx(wanted)
        best = max(best, wanted)
    found, proven = network.improved(-np.inf, 30.0)
    assert network.score(found) == pytest.approx(best)
    assert proven
    assert network.improved(best, 30.0) == (None, True)


def test_large_programs_are_left_out(monkeypatch):
    monkeypatch.setattr(ground_network, "MOST_COLUMNS", 5)
    assert random_network(0).improved(0.0, 1.0) == (None, False)


def test_formulas_with_many_atoms_are_not_tables():
    literals = np.arange(0, 40, 2)
    network = GroundNetwork(20, np.ones(1), np.zeros(1, np.int64), np.array([0, 1]), np.array([0, 20]), literals, 0.0)
    with pytest.raises(InvalidInput, match="20 unknown atoms"):
        network.factor_graph()
