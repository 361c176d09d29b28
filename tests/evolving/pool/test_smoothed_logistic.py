import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from threadpoolctl import threadpool_info, threadpool_limits

from driftline.evolving.pool import smoothed_logistic
from driftline.evolving.pool.dual_logistic import solve_dual
from driftline.evolving.pool.smoothed_logistic import SmoothedLogistic

RIDGE = 0.2


def rows(n, seed, v=15):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, v)) * (rng.random((n, v)) < 0.5)
    return sp.csr_matrix(X), (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.int64)


def begun(n_classes=2, memory=200, v=15):
    model = SmoothedLogistic(ridge=RIDGE, memory=memory).begin(v)
    model.grow_classes(np.zeros(0, dtype=np.int64), n_classes)
    return model


def best(X, y, centre):
    """Minimise log-loss + γ/2 ‖w − centre‖² by a general minimiser; the last entry is the intercept."""
    Z = np.hstack([X.toarray(), np.ones((X.shape[0], 1))])

    def objective(w):
        margins = y * (Z @ w)
        slope = -y / (1 + np.exp(margins))
        return np.logaddexp(0, -margins).sum() + RIDGE / 2 * ((w - centre) ** 2).sum(), Z.T @ slope + RIDGE * (
            w - centre
        )

    return minimize(objective, centre, jac=True, method="L-BFGS-B", options={"gtol": 1e-10, "ftol": 1e-16}).x


def test_one_frame_is_logistic_regression():
    X, codes = rows(30, 0)
    model = begun()
    model.learn(X, codes, 0, 2)
    np.testing.assert_allclose(model.weights_[:, 0], best(X, 2.0 * codes - 1, np.zeros(16)), atol=1e-5)
    np.testing.assert_allclose(model.scores(X)[:, 0], X @ model.weights_[:-1, 0] + model.weights_[-1, 0])


def test_what_fits_into_the_memory_is_learned_together():
    (X, a), (Y, b) = rows(12, 1), rows(14, 2)
    model = begun()
    model.learn(X, a, 0, 2)
    model.begin_frame()
    model.learn(Y, b, 1, 2)
    together = best(sp.vstack([X, Y], format="csr"), 2.0 * np.concatenate([a, b]) - 1, np.zeros(16))
    np.testing.assert_allclose(model.weights_[:, 0], together, atol=1e-5)


def test_without_memory_it_stays_close_to_the_frame_before():
    (X, a), (Y, b) = rows(12, 1), rows(14, 2)
    model = begun(memory=0)
    model.learn(X, a, 0, 2)
    before = model.weights_[:, 0].copy()
    model.begin_frame()
    assert len(model.codes_) == 0
    np.testing.assert_allclose(model.frozen_[:, 0], before, atol=1e-12)
    model.learn(Y, b, 1, 2)
    np.testing.assert_allclose(model.weights_[:, 0], best(Y, 2.0 * b - 1, before), atol=1e-5)


def test_a_frame_learned_again_replaces_what_it_taught():
    (X, a), (Y, b), (Z, c) = rows(12, 1), rows(14, 2), rows(13, 3)
    again, once = begun(), begun()
    for model in (again, once):
        model.learn(X, a, 0, 2)
        model.begin_frame()
    again.learn(Y, b, 1, 2)
    again.learn(Z, c, 1, 2)
    once.learn(Z, c, 1, 2)
    np.testing.assert_allclose(again.weights_, once.weights_, atol=1e-6)
    assert len(again.codes_) == 25


def test_held_out_scores_do_not_know_their_own_label():
    X, codes = rows(25, 4)
    held_out = begun().learn(X, codes, 0, 2).held_out
    for i in (0, 7, 19):
        others = np.arange(25) != i
        model = begun()
        model.learn(X[others], codes[others], 0, 2)
        assert held_out[i, 0] == pytest.approx(model.scores(X[[i]])[0, 0], abs=0.35)
    fitted = begun()
    fitted.learn(X, codes, 0, 2)
    own = np.where(codes == 1, 1, -1)
    assert (own * (fitted.scores(X)[:, 0] - held_out[:, 0]) > 0).all()


def test_very_many_documents_are_solved_by_products(monkeypatch):
    X, codes = rows(40, 5)
    dense = begun()
    dense.learn(X, codes, 0, 2)
    monkeypatch.setattr(smoothed_logistic, "MOST_DENSE", 10)
    sparse = begun()
    sparse.learn(X, codes, 0, 2)
    assert sparse.gram_.size == 0
    np.testing.assert_allclose(sparse.weights_, dense.weights_, atol=1e-4)
    monkeypatch.undo()
    Y, more = rows(6, 6)
    for model in (dense, sparse):
        model.begin_frame()
        model.learn(Y, more, 1, 2)
    np.testing.assert_allclose(sparse.weights_, dense.weights_, atol=1e-5)


def test_systems_are_solved_in_one_blas_thread(monkeypatch):
    seen = []

    def watched(*arguments):
        seen.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        return solve_dual(*arguments)

    monkeypatch.setattr(smoothed_logistic, "solve_dual", watched)
    with threadpool_limits(2, user_api="blas"):
        begun().learn(*rows(20, 10), 0, 2)
    assert set(seen) == {1}


def test_strips_make_the_whole_product(monkeypatch):
    X, _ = rows(9, 7)
    monkeypatch.setattr(smoothed_logistic, "STRIP", 4)
    np.testing.assert_allclose(smoothed_logistic._products(X, X), (X @ X.T).toarray(), atol=1e-12)
    assert smoothed_logistic._products(X, X[:0]).shape == (9, 0)


def test_words_and_classes_are_added():
    X, codes = rows(20, 8)
    model = begun()
    model.learn(X, codes, 0, 2)
    before = model.scores(X)
    model.grow_features(18)
    wider = sp.csr_matrix(sp.hstack([X, sp.csr_matrix((20, 3))]))
    np.testing.assert_allclose(model.scores(wider), before, atol=1e-12)
    model.grow_classes(np.array([0, 2]), 3)
    np.testing.assert_allclose(model.scores(wider)[:, [0, 2]], np.hstack([-before, before]), atol=1e-12)
    assert set(model.codes_) == {0, 2}
    model.begin_frame()
    model.learn(wider[:3], np.array([1, 1, 0]), 1, 3)
    assert np.isfinite(model.weights_).all()


def test_a_frame_without_labels_changes_nothing():
    X, codes = rows(20, 9)
    model = begun()
    model.learn(X, codes, 0, 2)
    before = model.weights_.copy()
    model.begin_frame()
    learned = model.learn(X[:0], codes[:0], 1, 2)
    assert learned.held_out.shape == (0, 1)
    assert learned.placements.shape == (20, 1)
    np.testing.assert_allclose(model.weights_, before, atol=1e-9)
