import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import evolving as oracle

from driftline.evolving.paper import frame_problem
from driftline.evolving.paper.document_kernels import factor
from driftline.evolving.paper.frame_problem import FrameProblem, solve

GAMMA_A, GAMMA_I = 0.3, 40.0


def frame(n=35, v=12, n_labelled=8, n_classes=2, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.poisson(0.6, (n, v)).astype(float)
    L = oracle.laplacian(oracle.graph(X, 5, "cosine_squared"))
    rows = np.sort(generator.choice(n, n_labelled, replace=False))
    targets = generator.choice([-1.0, 1.0], (n_labelled, n_classes))
    previous = generator.normal(size=(v, n_classes))
    return X, L, rows, targets, previous


def problem(X, L, rows, targets, previous):
    return FrameProblem(X, sp.csr_matrix(L), rows, targets, previous, GAMMA_A, GAMMA_I)


def spread(rows, column, n):
    labelled, y = np.zeros(n, dtype=bool), np.zeros(n)
    labelled[rows], y[rows] = True, column
    return labelled, y


@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
def test_squared_loss_is_the_closed_form(kind):
    X, L, rows, targets, previous = frame()
    found = solve(problem(kind(X), L, rows, targets, previous), "squared")
    for c in range(2):
        labelled, y = spread(rows, targets[:, c], len(X))
        expected = oracle.weights(X, L, labelled, y, GAMMA_A, GAMMA_I, previous[:, c])
        np.testing.assert_allclose(found[:, c], expected, atol=1e-9)


def test_the_kernel_expansion_is_equation_18():
    X, L, rows, targets, _ = frame()
    past, _, _, _, _ = frame(seed=5)
    generator = np.random.default_rng(6)
    before = generator.normal(size=(len(past), 1))
    K, cross = X @ X.T, X @ past.T
    found = factor(K)
    theta = solve(problem(found.features, L, rows, targets[:, :1], found.coordinates(cross @ before)), "squared")
    labelled, y = spread(rows, targets[:, 0], len(X))
    alpha = oracle.expansion(K, L, labelled, y, GAMMA_A, GAMMA_I, cross, before[:, 0])
    np.testing.assert_allclose(found.features @ theta[:, 0], K @ alpha, atol=1e-8)
    np.testing.assert_allclose(K[:, found.pivots] @ found.expansion(theta)[:, 0], K @ alpha, atol=1e-8)


@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
def test_no_direction_lowers_the_objective(kind, loss):
    X, L, rows, targets, previous = frame(seed=2)
    found = solve(problem(kind(X), L, rows, targets, previous), loss)
    generator = np.random.default_rng(3)
    for c in range(2):
        given = (X, L, rows, targets[:, c], GAMMA_A, GAMMA_I, previous[:, c], loss)
        least = oracle.objective(found[:, c], *given)
        for size in (1e-1, 1e-3, 1e-5):
            for _ in range(30):
                direction = generator.normal(size=X.shape[1])
                step = size * direction / np.linalg.norm(direction)
                # Strong convexity: moving by `size` must cost at least γ_A size².
                assert oracle.objective(found[:, c] + step, *given) >= least + 0.99 * GAMMA_A * size**2 - 1e-12


def test_hinge_is_the_quadratic_program():
    X, L, rows, targets, previous = frame(n_labelled=20, seed=4)
    found = solve(problem(sp.csr_matrix(X), L, rows, targets, previous), "hinge")
    for c in range(2):
        expected = oracle.hinge_weights(X, L, rows, targets[:, c], GAMMA_A, GAMMA_I, previous[:, c])
        np.testing.assert_allclose(found[:, c], expected, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_hinge_in_documents_or_in_words(monkeypatch, seed):
    X, *given = frame(n_labelled=12, seed=seed)
    X[given[1][:2]] = X[given[1][2:4]]  # the same document twice
    X[given[1][4]] = 0.0  # and one without words
    few = solve(problem(sp.csr_matrix(X), *given), "hinge")
    monkeypatch.setattr(frame_problem, "MOST_REDUCED", 0)
    np.testing.assert_allclose(solve(problem(sp.csr_matrix(X), *given), "hinge"), few, atol=1e-7)


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
def test_sparse_and_dense_ways_agree(loss):
    given = frame(n=50, v=30, seed=7)
    sparse = solve(problem(sp.csr_matrix(given[0]), *given[1:]), loss)
    np.testing.assert_allclose(sparse, solve(problem(*given), loss), atol=1e-8)


@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
def test_without_labels_only_the_graph_moves_the_weights(kind, loss):
    X, L, rows, targets, previous = frame()
    found = solve(problem(kind(X), L, rows[:0], targets[:0], previous), loss)
    expected = oracle.weights(X, L, np.zeros(len(X), dtype=bool), np.zeros((len(X), 2)), GAMMA_A, GAMMA_I, previous)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_frame_without_documents_keeps_the_past():
    previous = np.ones((12, 2))
    nothing = FrameProblem(
        sp.csr_matrix((0, 12)), sp.csr_matrix((0, 0)), np.zeros(0, int), np.zeros((0, 2)), previous, 1.0, 1.0
    )
    np.testing.assert_array_equal(solve(nothing, "squared"), previous)
    np.testing.assert_array_equal(solve(nothing, "logistic"), previous)
