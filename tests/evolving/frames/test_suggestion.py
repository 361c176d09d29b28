import numpy as np
import scipy.sparse as sp

from driftline.evolving.frames.neighbour_graph import neighbour_graph
from driftline.evolving.frames.suggestion import doubt, most_worth_labelling
from driftline.evolving.pool.propagation import Propagation


def spread(n=30, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.csr_matrix(np.where(rng.random((n, 12)) < 0.4, rng.poisson(1.0, (n, 12)) + 1.0, 0.0))
    return Propagation(neighbour_graph(X, 4, weights="cosine_squared"), 0.7)


def test_is_the_greedy_choice_by_the_whole_matrix():
    propagation, rng = spread(), np.random.default_rng(1)
    doubts, free = rng.random(30), rng.random(30) < 0.8
    P = propagation.smooth(np.eye(30))
    left, expected, open_ = doubts.copy(), [], free.copy()
    for _ in range(6):
        best = max(np.flatnonzero(open_), key=lambda i: P[i] @ left)
        expected.append(best)
        open_[best] = False
        left = left * (1 - P[:, best] / P[best, best])
    assert most_worth_labelling(propagation, doubts, free, 6).tolist() == expected


def test_picks_are_spread_over_groups():
    group = np.ones((5, 5)) - np.eye(5)
    graph = sp.csr_matrix(np.kron(np.eye(3), group))
    picks = most_worth_labelling(Propagation(graph, 0.7), np.ones(15), np.ones(15, dtype=bool), 3)
    assert {pick // 5 for pick in picks} == {0, 1, 2}


def test_no_more_than_there_are():
    propagation = spread()
    free = np.zeros(30, dtype=bool)
    assert most_worth_labelling(propagation, np.ones(30), free, 5).tolist() == []
    free[[4, 9]] = True
    assert sorted(most_worth_labelling(propagation, np.ones(30), free, 5)) == [4, 9]


def test_nothing_is_known_of_one_class():
    np.testing.assert_array_equal(doubt(np.ones((3, 1))), 1.0)
    np.testing.assert_array_equal(doubt(np.zeros((2, 0))), 1.0)
    np.testing.assert_allclose(doubt(np.full((1, 4), 0.25)), 1.0)
