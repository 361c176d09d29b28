from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.field_sampling import climbed, sampled_marginals
from driftline.inference.message_passing import FactorGraph
from tests.oracles.factor_graphs import enumerated


def problem(seed, n=5):
    rng = np.random.default_rng(seed)
    unary = [rng.normal(size=3) for _ in range(n)]
    factors = [((i, (i + 1) % n), 0.7 * rng.normal(size=(3, 3))) for i in range(n)]
    return unary, factors


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_samples_are_the_marginals(seed):
    unary, factors = problem(seed)
    wanted = enumerated(unary, factors)[0]
    found = sampled_marginals(
        FactorGraph.of(unary, factors), n_sweeps=6000, burn_in=100, rng=np.random.default_rng(seed)
    )
    for got, right in zip(found, wanted):
        np.testing.assert_allclose(got, right, atol=0.04)


@pytest.mark.parametrize("seed", range(4))
def test_climbing_finds_the_best_states_of_small_fields(seed):
    unary, factors = problem(seed)
    best = enumerated(unary, factors)[4]
    graph = FactorGraph.of(unary, factors)
    states, score = climbed(graph, np.zeros(5, dtype=np.int64), np.random.default_rng(0))
    assert score == pytest.approx(best)
    assert graph.score(states) == pytest.approx(score)


def test_the_start_is_kept_if_nothing_is_better():
    graph = FactorGraph.of([np.array([5.0, 0.0])] * 2, [((0, 1), np.eye(2))])
    states, score = climbed(graph, np.array([0, 0]), np.random.default_rng(0))
    assert (states.tolist(), score) == ([0, 0], 11.0)
