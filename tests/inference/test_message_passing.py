"""Message passing against the enumeration of all joint states: exact on trees, close on grids."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, best_path, smooth
from driftline.inference.message_passing import FactorGraph, MessagePassing, propagate
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from tests.oracles.factor_graphs import enumerated


def random_tree(seed, forbid=0.0, strength=2.0):
    """Return a forest of factors of one to three variables with two to four states; some potentials are −∞."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    sizes = rng.integers(2, 5, n)
    factors, joined = [], [0]
    while len(joined) < n:
        free = [v for v in range(n) if v not in joined]
        more = [int(v) for v in rng.permutation(free)[: rng.integers(1, 3)]]
        own = [] if rng.random() < 0.2 else [int(rng.choice(joined))]
        members = [int(v) for v in rng.permutation([*own, *more])]
        factors.append((members, strength * rng.normal(size=tuple(sizes[members]))))
        joined += more
    factors.append(([int(rng.integers(n))], None))
    factors[-1] = (factors[-1][0], rng.normal(size=sizes[factors[-1][0][0]]))
    unary = [rng.normal(size=size) for size in sizes]
    for table in (*unary, *(table for _, table in factors)):
        hidden = rng.random(table.shape) < forbid
        hidden.flat[int(rng.integers(table.size))] = False
        table[hidden] = -np.inf
    order = rng.permutation(len(factors))
    return unary, [factors[f] for f in order]


@pytest.mark.parametrize("seed", range(40))
def test_exact_on_trees(seed):
    unary, factors = random_tree(seed)
    graph = FactorGraph.of(unary, factors)
    assert graph.is_tree
    marginals, highest, log_total, best, best_score = enumerated(unary, factors)
    found = propagate(graph)
    assert (found.n_steps, found.converged) == (1, True)
    assert found.log_partition == pytest.approx(log_total)
    most = propagate(graph, maximise=True)
    assert most.log_partition == pytest.approx(best_score)
    assert most.states.tolist() == list(best)
    assert graph.score(best) == pytest.approx(best_score)
    for v, size in enumerate(graph.sizes):
        np.testing.assert_allclose(np.exp(found.log_probabilities[v, :size]), marginals[v], atol=1e-10)
        assert np.isneginf(found.log_probabilities[v, size:]).all()
        np.testing.assert_allclose(most.log_probabilities[v, :size], highest[v] - best_score, atol=1e-10)


def test_states_that_are_impossible():
    possible = 0
    for seed in range(40):
        unary, factors = random_tree(seed, forbid=0.3)
        with np.errstate(divide="ignore", invalid="ignore"):
            marginals, _, log_total, _, best_score = enumerated(unary, factors)
        graph = FactorGraph.of(unary, factors)
        if np.isneginf(log_total):
            with pytest.raises(InvalidInput, match="no joint state is possible"):
                propagate(graph)
            continue
        possible += 1
        found = propagate(graph)
        assert found.log_partition == pytest.approx(log_total)
        assert propagate(graph, maximise=True).log_partition == pytest.approx(best_score)
        for v, size in enumerate(graph.sizes):
            np.testing.assert_allclose(np.exp(found.log_probabilities[v, :size]), marginals[v], atol=1e-10)
    assert 10 < possible < 40


def grid(seed, strength, n_states=2, rows=3, columns=3):
    rng = np.random.default_rng(seed)
    cells = np.arange(rows * columns).reshape(rows, columns)
    links = [*zip(cells[:, :-1].ravel(), cells[:, 1:].ravel()), *zip(cells[:-1].ravel(), cells[1:].ravel())]
    return rng.normal(size=(rows * columns, n_states)), links, strength * np.eye(n_states)


@pytest.mark.parametrize("seed", range(5))
def test_close_on_grids(seed):
    unary, links, table = grid(seed, 0.5, n_states=3)
    graph = FactorGraph.pairwise(unary, links, table)
    assert not graph.is_tree
    marginals, _, log_total, _, best_score = enumerated(unary, [(link, table) for link in links])
    found = propagate(graph, tolerance=1e-8)
    assert found.converged
    assert 1 < found.n_steps < 40
    assert found.moved <= 1e-8
    np.testing.assert_allclose(np.exp(found.log_probabilities), marginals, atol=0.01)
    assert found.log_partition == pytest.approx(log_total, abs=0.02)
    damped = propagate(graph, damping=0.4, tolerance=1e-8)
    np.testing.assert_allclose(damped.log_probabilities, found.log_probabilities, atol=1e-6, err_msg="one fixed point")
    assert damped.n_steps > found.n_steps
    most = propagate(graph, maximise=True, damping=0.3)
    assert graph.score(most.states) == pytest.approx(best_score)


def test_messages_that_do_not_converge_are_reported():
    """Strong repulsion in an odd cycle has no quiet solution for max-product."""
    unary = np.random.default_rng(0).normal(size=(5, 2)) * 0.1
    links = [*itertools.pairwise(range(5)), (4, 0), (0, 2), (1, 3)]
    graph = FactorGraph.pairwise(unary, links, -6.0 * np.eye(2))
    found = propagate(graph, maximise=True, max_steps=30)
    assert (found.converged, found.n_steps) == (False, 30)
    assert found.moved > 1e-6


def test_the_bethe_free_energy_is_that_of_its_definition():
    """Average energy minus the entropies of factors, each variable counted once, at the fixed point."""
    unary, links, table = grid(1, 0.8)
    graph = FactorGraph.pairwise(unary, links, table)
    found = propagate(graph, tolerance=1e-12, max_steps=1000)
    chance = np.exp(found.log_probabilities)
    degree = np.bincount(np.ravel(links), minlength=9)
    total = float((chance * unary).sum() + ((degree - 1) * (chance * np.log(chance)).sum(axis=1)).sum())
    messages = run(MessagePassing(), graph, stop=Stop(500)).result
    for f, (u, v) in enumerate(links):
        to_u, to_v = (messages.sums[w] - messages.messages[2 * f + i] for i, w in enumerate((u, v)))
        joint = np.exp(table + to_u[:, None] + to_v[None, :])
        joint /= joint.sum()
        total += float((joint * table).sum() - (joint * np.log(joint)).sum())
    assert found.log_partition == pytest.approx(total, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_is_forward_backward(seed):
    rng = np.random.default_rng(seed)
    chain = MarkovChain(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3))
    logs = rng.normal(size=(50, 3)) * 3
    unary = logs.copy()
    unary[0] += np.log(chain.initial)
    graph = FactorGraph.pairwise(unary, [*itertools.pairwise(range(50))], np.log(chain.transition))
    smoothed, found = smooth(chain, logs, 50), propagate(graph)
    np.testing.assert_allclose(np.exp(found.log_probabilities), smoothed.probabilities, atol=1e-10)
    assert found.log_partition == pytest.approx(smoothed.log_evidence)
    path, most = best_path(chain, logs, 50), propagate(graph, maximise=True)
    assert most.states.tolist() == path.states.tolist()
    assert most.log_partition == pytest.approx(path.log_probability)


def test_potentials_beyond_the_range_of_numbers():
    graph = FactorGraph.pairwise([[-5000.0, -5001.0], [3000.0, 0.0]], [(0, 1)], [[0.0, 4000.0], [4000.0, 0.0]])
    found = propagate(graph)
    expected = np.logaddexp.reduce([-5000 + 3000, -5000 + 4000, -5001 + 3000 + 4000, -5001.0])
    assert found.log_partition == pytest.approx(expected)
    np.testing.assert_allclose(np.exp(found.log_probabilities), [[0.0, 1.0], [1.0, 0.0]], atol=1e-12)


def test_variables_without_factors_and_empty_graphs():
    found = propagate(FactorGraph.of([[0.0, np.log(3.0)], [1.0]], []))
    np.testing.assert_allclose(np.exp(found.log_probabilities), [[0.25, 0.75], [1.0, 0.0]])
    assert found.log_partition == pytest.approx(np.log(4.0) + 1.0)
    assert propagate(FactorGraph.of([], [])).log_partition == 0.0


def test_wrong_graphs_are_named():
    with pytest.raises(InvalidInput, match="factor 1 has log-potentials of shape"):
        FactorGraph.of([[0, 0], [0, 0]], [((0, 1), np.zeros((2, 2))), ((0,), np.zeros(3))])
    with pytest.raises(InvalidInput, match="name different variables"):
        FactorGraph.of([[0, 0]], [((0, 0), np.zeros((2, 2)))])
    with pytest.raises(InvalidInput, match="2 × 2, not"):
        FactorGraph.pairwise(np.zeros((2, 2)), [(0, 1)], np.zeros(4))
    with pytest.raises(InvalidInput, match="not among the 2"):
        FactorGraph.pairwise(np.zeros((2, 2)), [(0, 2)], np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="link 1 joins variable 0 to itself"):
        FactorGraph.pairwise(np.zeros((2, 2)), [(0, 1), (0, 0)], np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="below infinity"):
        FactorGraph.pairwise(np.full((2, 2), np.nan), [(0, 1)], np.zeros((2, 2)))
