from __future__ import annotations

import numpy as np
import pytest
from tests.graphs.logic.test_ground_network import random_network, truth, worlds

from driftline.compute.cpu import clauses


@pytest.mark.parametrize("seed", range(5))
def test_the_walk_reports_the_cost_of_its_world_and_finds_the_lowest(seed):
    network = random_network(seed, hard=0)
    costs = network.weights
    lowest = min(costs[~truth(network, world)].sum() for world in worlds(6))
    world = np.zeros(6, dtype=np.int64)
    found = clauses.walk(np.random.default_rng(seed), world, costs, 2000, 0.2, *network.arrays)
    assert found == pytest.approx(costs[~truth(network, world)].sum(), abs=1e-9)
    assert found == pytest.approx(lowest, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_samples_satisfy_what_is_required_and_are_nearly_uniform(seed):
    network = random_network(seed, n_formulas=3, hard=0)
    required = np.array([1.0, 1.0, 0.0])
    solutions = [tuple(world) for world in worlds(6) if truth(network, world)[:2].all()]
    rng, counts = np.random.default_rng(seed), dict.fromkeys(solutions, 0)
    for _ in range(2000):
        world = rng.integers(0, 2, 6)
        assert clauses.sample_sat(rng, world, required, 1000, 60, 0.5, 0.1, *network.arrays)
        counts[tuple(world.tolist())] += 1
    shares = np.array(list(counts.values())) / 2000
    assert np.abs(shares - 1 / len(solutions)).max() < 0.02 + 0.5 / len(solutions)


def test_what_cannot_be_satisfied_is_reported():
    network = random_network(0, n_atoms=1, n_formulas=2, hard=0)
    arrays = (np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1]))
    network = network._replace(formulas=arrays[0], clauses=arrays[1], literals=arrays[2])
    world = np.array([0])
    assert not clauses.sample_sat(np.random.default_rng(0), world, np.ones(2), 100, 10, 0.5, 0.1, *network.arrays)
    assert clauses.true_formulas(np.array([1]), *arrays).tolist() == [True, False]
