"""The proximal Newton solver: the conditions of optimality hold, and the three guards do their work."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from tests.oracles import local_logistic as oracle

from driftline.compute.cpu import logistic_sparse


def solve(X, labels, weights, k, lasso, ridge, *, start=None, offsets=None, tol=1e-8, max_iter=500):
    n, p = X.shape
    start = np.zeros((p + 1, k)) if start is None else start
    offsets = np.zeros((n, k)) if offsets is None else offsets
    rows = X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data
    tops, by_row, entries = logistic_sparse.columns_of(*rows, p)
    by_column = tops[:-1], tops[1:], by_row, entries, np.uint32(0)
    u, f, steps, _, converged = logistic_sparse.proximal_newton(
        *rows, by_column, labels, weights, offsets, start, lasso, ridge, tol, max_iter
    )
    return u, f, steps, converged


@pytest.fixture(params=[1, 3], ids=["two classes", "three classes"])
def problem(request):
    rng = np.random.default_rng(request.param)
    n, p, k = 60, 12, request.param
    X = sp.csr_matrix(rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.4))
    labels = np.concatenate([np.arange(max(k, 2)), rng.integers(0, max(k, 2), n - max(k, 2))])
    return X, labels, rng.uniform(0.1, 1, n), k


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_conditions_of_optimality(problem, l1_ratio):
    X, labels, weights, k = problem
    lasso, ridge = np.full(13, 0.8 * l1_ratio), np.full(13, 0.8 * (1 - l1_ratio))
    lasso[-1] = ridge[-1] = 0.0
    u, f, _, converged = solve(X, labels, weights, k, lasso, ridge)
    assert converged
    scores = X @ u[:-1] + u[-1]
    both = np.column_stack([np.zeros(len(scores)), scores]) if k == 1 else scores
    p = np.exp(both - both.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    residual = p - np.eye(p.shape[1])[labels]
    residual = weights[:, None] * (residual[:, 1:] if k == 1 else residual)
    slope = np.vstack([X.T @ residual, residual.sum(axis=0)]) + ridge[:, None] * u
    moved = u != 0
    assert 0 < moved[:-1].sum() < moved[:-1].size
    np.testing.assert_allclose((slope + lasso[:, None] * np.sign(u))[moved], 0, atol=1e-6)
    assert (np.abs(slope)[~moved] <= np.broadcast_to(lasso[:, None], u.shape)[~moved] + 1e-6).all()
    nothing = np.zeros_like(scores)
    wide = np.broadcast_to(lasso[:, None], u.shape), np.broadcast_to(ridge[:, None], u.shape)
    assert f == pytest.approx(oracle.objective(u, X, labels, weights, nothing, *wide))


def test_agrees_with_scikit_learn(problem):
    X, labels, weights, k = problem
    lasso, ridge = np.full(13, 1 / 2.0), np.zeros(13)
    lasso[-1] = 0.0
    u = solve(X, labels, weights, k, lasso, ridge)[0]
    peer = LogisticRegression(C=2.0, l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=200_000)
    peer.fit(X, labels, sample_weight=weights)
    np.testing.assert_allclose(u[:-1].T, peer.coef_, atol=1e-4)


def test_offsets_and_held_coefficients(problem):
    X, labels, weights, k = problem
    rng = np.random.default_rng(4)
    centre = rng.normal(size=(13, k))
    offsets = X @ centre[:-1] + centre[-1]
    lasso = np.full(13, 1e3)
    u = solve(X, labels, weights, k, lasso, np.zeros(13), offsets=offsets)[0]
    assert (u == 0).all()  # so strong a penalty stays at what it pulls towards
    lasso = np.full(13, 0.1)
    lasso[[0, -1]] = -1.0
    start = np.zeros((13, k))
    start[0] = 0.5
    u = solve(X, labels, weights, k, lasso, np.zeros(13), start=start)[0]
    assert (u[0] == 0.5).all()
    assert (u[-1] == 0).all()
    assert u[1:-1].any()


def test_a_start_in_saturation_comes_back(problem):
    X, labels, weights, k = problem
    lasso, ridge = np.full(13, 0.3), np.zeros(13)
    lasso[-1] = 0.0
    expected, f, _, _ = solve(X, labels, weights, k, lasso, ridge)
    for size in (20.0, 500.0):
        wild = size * np.random.default_rng(5).normal(size=expected.shape)
        u, again, _, converged = solve(X, labels, weights, k, lasso, ridge, start=wild, tol=1e-7)
        assert converged
        assert again == pytest.approx(f, abs=1e-8)
        if k == 1:
            np.testing.assert_allclose(u, expected, atol=1e-4)


def test_columns_and_sliding_windows():
    X = sp.random(30, 6, density=0.3, format="csr", random_state=1)
    rows = X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data
    tops, by_row, entries = logistic_sparse.columns_of(*rows, 6)
    whole = sp.csc_matrix((entries, by_row.astype(int), tops.astype(int)), shape=X.shape)
    np.testing.assert_array_equal(whole.toarray(), X.toarray())
    lows, highs = tops[:-1].copy(), tops[:-1].copy()
    for first, last in ((0, 0), (0, 7), (2, 7), (5, 20), (25, 25), (26, 30)):
        logistic_sparse.slide(tops, by_row, np.uint32(first), np.uint32(last), lows, highs)
        found = np.zeros((30, 6))
        for j in range(6):
            part = slice(int(lows[j]), int(highs[j]))
            found[by_row[part], j] = entries[part]
        expected = X.toarray()
        expected[:first] = expected[last:] = 0
        np.testing.assert_array_equal(found, expected)


def test_a_move_is_capped():
    assert logistic_sparse.move_of(0.0, -1e9, 1.0, 0.0, 2.0) == logistic_sparse.MOVE_CAP / 2.0
    assert logistic_sparse.move_of(0.0, -0.3, 1.0, 0.5, 1.0) == 0.0
    assert logistic_sparse.move_of(1.0, 0.25, 1.0, 0.5, 1.0) == -0.75


def test_separable_rows_stay_finite():
    X = sp.csr_matrix(np.array([[1.0], [-1.0]] * 10))
    labels = np.array([1, 0] * 10)
    u, _, _, converged = solve(X, labels, np.ones(20), 1, np.array([1e-3, 0.0]), np.zeros(2), tol=1e-6)
    assert converged
    assert 5 < u[0, 0] < 50
