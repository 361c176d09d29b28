from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.elimination import eliminate, largest_table, log_sum, min_fill_order
from tests.oracles.factor_graphs import enumerated


def random_factors(seed, n=7, n_factors=7, forbid=0.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n).tolist()
    factors = []
    for _ in range(n_factors):
        scope = tuple(int(v) for v in rng.permutation(n)[: rng.integers(1, 4)])
        table = rng.normal(size=[sizes[v] for v in scope])
        table[rng.random(table.shape) < forbid] = -np.inf
        factors.append((scope, table))
    return sizes, factors


@pytest.mark.parametrize("forbid", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(8))
def test_marginals_and_best_states_are_those_of_enumeration(seed, forbid):
    sizes, factors = random_factors(seed, forbid=forbid)
    marginals, _, log_partition, _, best = enumerated([np.zeros(n) for n in sizes], factors)
    if not np.isfinite(log_partition):
        with pytest.raises(InvalidInput, match="no joint state"):
            eliminate(sizes, factors)
        return
    found = eliminate(sizes, factors)
    assert found.log_partition == pytest.approx(log_partition)
    for wanted, got in zip(marginals, found.log_marginals):
        np.testing.assert_allclose(np.exp(got), wanted, atol=1e-12)
    top = eliminate(sizes, factors, maximise=True)
    score = sum(table[tuple(top.states[v] for v in scope)] for scope, table in factors)
    assert score == pytest.approx(best)
    assert top.log_partition == pytest.approx(best)


def test_joints_of_cliques_are_distributions_that_agree_with_the_marginals():
    sizes, factors = random_factors(3)
    found = eliminate(sizes, factors)
    for clique, joint in zip(found.cliques, found.joints):
        for axis, v in enumerate(clique.members):
            others = tuple(a for a in range(joint.ndim) if a != axis)
            np.testing.assert_allclose(log_sum(joint, others), found.log_marginals[v], atol=1e-10)


def test_parts_without_connection_and_variables_without_factors_are_uniform():
    found = eliminate([2, 3, 4], [((1,), np.log([0.5, 0.25, 0.25]))])
    np.testing.assert_allclose(np.exp(found.log_marginals[0]), [0.5, 0.5])
    np.testing.assert_allclose(np.exp(found.log_marginals[1]), [0.5, 0.25, 0.25])
    assert found.log_partition == pytest.approx(np.log(8))
    assert eliminate([], []).log_partition == 0.0


def test_a_ring_needs_cliques_of_three():
    ring = [(i, (i + 1) % 10) for i in range(10)]
    cliques = min_fill_order(10, ring)
    assert largest_table([2] * 10, cliques) == 8
    assert sorted(clique.variable for clique in cliques) == list(range(10))


def test_too_wide_graphs_are_refused():
    everything = [(i, j) for i in range(30) for j in range(i)]
    with pytest.raises(InvalidInput, match="cells"):
        eliminate([3] * 30, [(pair, np.zeros((3, 3))) for pair in everything])


def test_too_many_large_tables_are_refused():
    members = range(20)  # a clique of 20 variables with two states, connected to a hundred others: 2 ** 21 cells each
    pairs = [(i, j) for i in members for j in range(i)] + [(i, j) for j in range(20, 120) for i in members]
    assert largest_table([2] * 120, min_fill_order(120, pairs)) == 2**21
    with pytest.raises(InvalidInput, match="cells together"):
        eliminate([2] * 120, [(pair, np.zeros((2, 2))) for pair in pairs])


@pytest.mark.parametrize("seed", range(5))
def test_the_next_variable_joins_the_fewest_pairs(seed):
    rng = np.random.default_rng(seed)
    links = [tuple(pair) for pair in rng.integers(0, 12, (16, 2)).tolist() if pair[0] != pair[1]]
    near = [{w for pair in links if v in pair for w in pair} - {v} for v in range(12)]
    left = set(range(12))
    for clique in min_fill_order(12, links):
        cost = {
            v: sum(b not in near[a] for a in near[v] & left for b in near[v] & left if a < b) for v in left
        }  # pairs of neighbours that are not joined yet
        v = clique.variable
        assert cost[v] == min(cost.values())
        assert set(clique.members) == (near[v] & left) | {v}
        left.discard(v)
        for a in near[v] & left:
            near[a] |= (near[v] & left) - {a}
