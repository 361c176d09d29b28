"""The Newton solver: its parts against dense algebra, its solutions against a general-purpose optimiser."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import local_logistic as oracle

from driftline.compute.cpu import logistic


@pytest.fixture(params=[1, 3], ids=["two classes", "three classes"])
def problem(request):
    rng = np.random.default_rng(request.param)
    n, p, k = 40, 7, request.param
    X = sp.csr_matrix(rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.5))
    labels = rng.integers(0, max(k, 2), n)
    ridge = np.full((p + 1, k), 0.7)
    ridge[-1] = 0.3
    return X, labels, rng.uniform(0.1, 1, n), rng.normal(size=(n, k)), ridge


def unsigned(X):
    return X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data


def solved(X, labels, weights, offsets, ridge, start=None, tol=1e-9):
    start = np.zeros(ridge.shape) if start is None else start
    u, f, steps, _, converged = logistic.newton(*unsigned(X), labels, weights, offsets, start, ridge, tol, 200)
    return u, f, steps, converged


def test_rows_are_renumbered():
    X = sp.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 4], [5, 0, 6]]))
    scratch = np.full(3, -1, dtype=np.int32)
    starts, columns, present = logistic.compact_rows(X.indptr, X.indices, 2, 4, scratch)
    local = sp.csr_matrix((X.data[X.indptr[2] :], columns.astype(int), starts.astype(int)), shape=(2, len(present)))
    assert present.tolist() == [2, 0]
    assert local.toarray().tolist() == [[4, 0], [6, 5]]
    assert (scratch == -1).all()
    assert len(logistic.compact_rows(X.indptr, X.indices, 2, 2, scratch)[2]) == 0


def test_columns_without_entries_go_to_zero(problem):
    X, labels, weights, offsets, ridge = problem
    wide = sp.hstack([X[:, :3], sp.csr_matrix((X.shape[0], 1)), X[:, 3:]], format="csr")
    more = np.insert(ridge, 3, 0.7, axis=0)
    start = np.full(more.shape, 0.5)
    u, f, _, converged = solved(wide, labels, weights, offsets, more, start=start)
    expected, g, _, _ = solved(X, labels, weights, offsets, ridge)
    assert converged
    assert (u[3] == 0).all()
    np.testing.assert_allclose(np.delete(u, 3, axis=0), expected, atol=1e-6)
    assert f == pytest.approx(g)


def test_losses_and_probabilities_at_extreme_scores(problem):
    labels = problem[1]
    k = problem[3].shape[1]
    scores = np.random.default_rng(0).normal(size=(len(labels), k)) * 300
    np.testing.assert_allclose(logistic.losses_of(scores, labels), oracle.losses(scores, labels), rtol=1e-9, atol=1e-12)
    chances = np.empty_like(scores)
    logistic.probabilities_of(scores, chances)
    assert np.isfinite(chances).all()
    for c in range(k):
        of_class = oracle.losses(scores, np.full(len(labels), 1 if k == 1 else c))
        np.testing.assert_allclose(chances[:, c], np.exp(-of_class), rtol=1e-9, atol=1e-12)


def test_slope_and_curvature_are_derivatives(problem):
    X, labels, weights, offsets, ridge = problem
    u = np.random.default_rng(1).normal(size=ridge.shape)
    scores = offsets + X @ u[:-1] + u[-1]
    chances = np.empty_like(scores)
    logistic.probabilities_of(scores, chances)
    slope, diagonal = np.empty_like(u), np.empty_like(u)
    rows = unsigned(X)
    logistic.slope_of(*rows, labels, weights, chances, u, ridge, slope)
    logistic.curvature_of(*rows, weights, chances, ridge, diagonal)
    nothing = np.zeros_like(u)

    def f(v):
        return oracle.objective(v, X, labels, weights, offsets, nothing, ridge)

    step = 1e-4
    hessian = np.empty((u.size, u.size))
    for a in range(u.size):
        unit = np.zeros(u.size)
        unit[a] = 1
        e = unit.reshape(u.shape)
        assert (f(u + step * e) - f(u - step * e)) / (2 * step) == pytest.approx(slope.flat[a], abs=1e-6)
        column = np.empty_like(u)
        logistic.curvature_times(*rows, weights, chances, ridge, e, column)
        hessian[:, a] = column.ravel()
        along = (f(u + step * e) - 2 * f(u) + f(u - step * e)) / step**2
        assert along == pytest.approx(hessian[a, a], abs=1e-4)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(hessian), diagonal.ravel(), atol=1e-12)


def test_conjugate_gradients_solve_and_leave_held_coefficients_alone(problem):
    X, labels, weights, offsets, ridge = problem
    chances = np.empty_like(offsets)
    logistic.probabilities_of(offsets, chances)
    slope, diagonal = np.empty_like(ridge), np.empty_like(ridge)
    rows = unsigned(X)
    logistic.slope_of(*rows, labels, weights, chances, np.zeros_like(ridge), ridge, slope)
    logistic.curvature_of(*rows, weights, chances, ridge, diagonal)
    diagonal[2] = 0.0
    solution, steps = logistic.conjugate_gradients(*rows, weights, chances, ridge, diagonal, -slope, 1e-12, 500)
    assert steps > 0
    assert (solution[2] == 0).all()
    bent = np.empty_like(ridge)
    logistic.curvature_times(*rows, weights, chances, ridge, solution, bent)
    free = np.arange(len(ridge)) != 2
    np.testing.assert_allclose(bent[free], -slope[free], atol=1e-9)


def test_newton_finds_the_minimum(problem):
    X, labels, weights, offsets, ridge = problem
    u, f, _, converged = solved(X, labels, weights, offsets, ridge)
    assert converged
    expected = oracle.minimiser(X.toarray(), labels, weights, offsets, ridge)
    np.testing.assert_allclose(u, expected, atol=1e-5)
    nothing = np.zeros_like(u)
    assert f == pytest.approx(oracle.objective(expected, X, labels, weights, offsets, nothing, ridge), abs=1e-9)


def test_tolerance_bounds_what_is_left_of_the_objective(problem):
    X, labels, weights, offsets, ridge = problem
    best = solved(X, labels, weights, offsets, ridge)[1]
    for tol in (1e-1, 1e-3):
        assert 0 <= solved(X, labels, weights, offsets, ridge, tol=tol)[1] - best < 5 * tol**2 + 1e-12


def test_a_good_start_needs_no_step_and_a_wild_one_converges(problem):
    X, labels, weights, offsets, ridge = problem
    u, f, _, _ = solved(X, labels, weights, offsets, ridge)
    assert solved(X, labels, weights, offsets, ridge, start=u, tol=1e-6)[2] == 0
    far = 50 * np.random.default_rng(2).normal(size=u.shape)
    again, f_again, _, converged = solved(X, labels, weights, offsets, ridge, start=far)
    assert converged
    np.testing.assert_allclose(again, u, atol=1e-5)
    assert f_again == pytest.approx(f)


def test_separable_rows_stay_finite():
    X = sp.csr_matrix(np.array([[1.0], [-1.0]] * 10))
    labels = np.array([1, 0] * 10)
    for pull in (1e-2, 1e-6):
        u, _, _, converged = solved(X, labels, np.ones(20), np.zeros((20, 1)), np.full((2, 1), pull), tol=1e-6)
        assert converged
        assert np.isfinite(u).all()
        assert u[0, 0] > 3


def test_held_coefficients_stay_where_they_start(problem):
    X, labels, weights, offsets, ridge = problem
    held = ridge.copy()
    held[-1] = -1.0
    start = np.zeros_like(ridge)
    start[-1] = 0.25
    u, _, _, converged = solved(X, labels, weights, offsets, held, start=start)
    assert converged
    assert (u[-1] == 0.25).all()
