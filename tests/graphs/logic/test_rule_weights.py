from __future__ import annotations

import numpy as np
import pytest
from tests.graphs.logic.test_ground_network import random_network, truth

from driftline.graphs.logic.rule_weights import learned_weights, truth_changes


@pytest.mark.parametrize("seed", range(4))
def test_changes_are_those_of_changing_every_atom(seed):
    network = random_network(seed, hard=0)._replace(rule_of=np.arange(8) % 3)
    world = np.random.default_rng(seed).integers(0, 2, 6)
    found = truth_changes(network, world, 3).toarray()
    for atom in range(6):
        other = world.copy()
        other[atom] = 1 - other[atom]
        change = truth(network, world).astype(int) - truth(network, other)
        assert found[atom].tolist() == [change[np.arange(8) % 3 == rule].sum() for rule in range(3)]


def test_weights_maximise_the_pseudo_likelihood():
    import scipy.sparse as sp

    changes = sp.csr_matrix(np.random.default_rng(0).integers(-2, 3, (40, 3)).astype(float))

    def loss(w):
        return np.logaddexp(0, -(changes @ w)).sum() + 0.1 * (w**2).sum()

    found = learned_weights(changes, 0.2)
    for direction in np.eye(3):
        assert loss(found) <= loss(found + 0.01 * direction) + 1e-9
        assert loss(found) <= loss(found - 0.01 * direction) + 1e-9
