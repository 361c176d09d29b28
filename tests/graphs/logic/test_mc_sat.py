from __future__ import annotations

import numpy as np
import pytest
from tests.graphs.logic.test_ground_network import random_network, worlds

from driftline.graphs.logic import mc_sat
from driftline.graphs.logic.mc_sat import sampled_worlds


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_rounds_are_the_probabilities(seed):
    network = random_network(seed)
    possible = [world for world in worlds(6) if network.score(world) > -np.inf]
    weights = np.exp([network.score(world) for world in possible])
    wanted = (weights / weights.sum()) @ np.array(possible)
    found, n_failed = sampled_worlds(network, possible[0], 4000, 50, np.random.default_rng(seed))
    np.testing.assert_allclose(found, wanted, atol=0.04)
    assert n_failed == 0


def test_failed_rounds_are_counted(monkeypatch):
    monkeypatch.setattr(mc_sat, "solve", lambda *arguments: False)
    network = random_network(0)
    start = next(world for world in worlds(6) if network.score(world) > -np.inf)
    found, n_failed = sampled_worlds(network, start, 20, 5, np.random.default_rng(0))
    assert n_failed == 13  # every second round
    assert found.min() >= 0
