from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import evolving as oracle

from driftline.evolving.paper.joint_problem import JointFrame, solve_jointly

GAMMA_A, GAMMA_I = 0.2, 30.0


def frames(T=4, n=20, v=6, seed=0):
    generator = np.random.default_rng(seed)
    made = []
    for t in range(T):
        X = generator.poisson(0.7, (n if t != 1 else 0, v)).astype(float)
        L = oracle.laplacian(oracle.graph(X, 4, "cosine_squared")) if len(X) else np.zeros((0, 0))
        labelled = generator.random(len(X)) < 0.3
        y = np.where(labelled, generator.choice([-1.0, 1.0], len(X)), 0.0)
        made.append((X, L, labelled, y))
    return made


def as_joint(given):
    return [
        JointFrame(sp.csr_matrix(X), sp.csr_matrix(L), np.flatnonzero(labelled), y[labelled][:, None])
        for X, L, labelled, y in given
    ]


def test_is_the_dense_solution():
    given = frames()
    found = solve_jointly(as_joint(given), GAMMA_A, GAMMA_I, "squared")
    np.testing.assert_allclose(found[:, :, 0], oracle.joint_weights(given, GAMMA_A, GAMMA_I), atol=1e-9)


def test_one_frame_is_manifold_regularisation():
    given = frames(T=1)
    X, L, labelled, y = given[0]
    found = solve_jointly(as_joint(given), GAMMA_A, GAMMA_I, "squared")
    expected = oracle.weights(X, L, labelled, y, GAMMA_A, GAMMA_I, np.zeros(6))
    np.testing.assert_allclose(found[0, :, 0], expected, atol=1e-9)


def joint_objective(w, given, loss):
    total = GAMMA_A * (w[0] @ w[0]) + GAMMA_A * sum((b - a) @ (b - a) for a, b in pairwise(w))
    for weights, (X, L, labelled, y) in zip(w, given):
        if len(X):
            rows = np.flatnonzero(labelled)
            total += oracle.objective(weights, X, L, rows, y[rows], 0.0, GAMMA_I, weights, loss)
    return total


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
def test_no_direction_lowers_the_joint_objective(loss):
    given = frames(seed=1)
    found = solve_jointly(as_joint(given), GAMMA_A, GAMMA_I, loss)[:, :, 0]
    least = joint_objective(found, given, loss)
    generator = np.random.default_rng(2)
    for size in (1e-1, 1e-3):
        for _ in range(40):
            step = generator.normal(size=found.shape)
            assert joint_objective(found + size * step, given, loss) > least - 1e-10
