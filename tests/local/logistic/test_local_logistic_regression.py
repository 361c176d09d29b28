"""LocalLogisticRegression: equal to scikit-learn at equal weights, and defined at all times."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from tests.local.drifting import labelled_stream
from tests.oracles.answering import answering_time

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel

PENALTIES = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.4}


def sklearn_fit(X, y, weights, C, l1_ratio, fit_intercept=True):
    kept = weights > 0
    solver = "saga" if l1_ratio else "newton-cg"
    peer = LogisticRegression(
        C=C, l1_ratio=l1_ratio, solver=solver, tol=1e-9, max_iter=100_000, fit_intercept=fit_intercept
    )
    return peer.fit(X[kept], y[kept], sample_weight=weights[kept])


def well_conditioned(n_classes, n=150, p=8):
    """Return dense rows on which the peer's solver for absolute penalties converges in good time."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.5)
    scores = X @ rng.normal(size=(p, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, scores.argmax(axis=1), np.sort(rng.uniform(0, 10, n))


def rows(array):
    return array[0] if array.ndim == 3 else array


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_an_infinite_bandwidth_is_the_global_fit(n_classes, penalty):
    X, y, times = well_conditioned(n_classes)
    model = LocalLogisticRegression(bandwidth="global", penalty=penalty, C=0.3, l1_ratio=0.4, center="zero")
    model.fit(X, y, times=times)
    peer = sklearn_fit(X, y, np.ones(len(y)), 0.3, PENALTIES[penalty])
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-4)
    np.testing.assert_allclose(rows(model.coefficients([3.0])), peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X, times=times), peer.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("side", ["both", "past"])
def test_a_local_fit_is_a_weighted_fit(n_classes, penalty, side):
    X, y, times = well_conditioned(n_classes)
    settings = {"penalty": penalty, "C": 2.0, "l1_ratio": 0.4, "center": "zero", "side": side}
    model = LocalLogisticRegression(bandwidth=3.0, grid="exact", **settings).fit(X, y, times=times)
    for t in (4.0, 7.3):
        kernel = Kernel("tricube", side)
        weights = kernel.density((answering_time(times, side, t) - times) / 3.0) / kernel.peak
        peer = sklearn_fit(X, y, weights, 2.0, PENALTIES[penalty])
        np.testing.assert_allclose(rows(model.coefficients([t])), peer.coef_, atol=1e-4)
        np.testing.assert_allclose(model.intercepts([t]).ravel(), peer.intercept_, atol=1e-4)
        at = np.full(len(y), t)
        np.testing.assert_allclose(model.predict_proba(X, times=at), peer.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_local_fit_is_a_weighted_fit_where_columns_all_but_depend_on_each_other(n_classes):
    X, y, times = labelled_stream(n_classes=n_classes)  # every document has 12 words
    model = LocalLogisticRegression(bandwidth=3.0, grid="exact", center="zero", C=2.0).fit(X, y, times=times)
    kernel = Kernel("tricube")
    peer = sklearn_fit(X, y, kernel.density((4 - times) / 3) / kernel.peak, 2.0, 0.0)
    np.testing.assert_allclose(rows(model.coefficients([4.0])), peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercepts([4.0]).ravel(), peer.intercept_, atol=1e-4)


def test_without_an_intercept():
    X, y, times = labelled_stream()
    model = LocalLogisticRegression(bandwidth=3.0, grid="exact", center="zero", fit_intercept=False)
    model.fit(X, y, times=times)
    kernel = Kernel("tricube")
    peer = sklearn_fit(X, y, kernel.density((5 - times) / 3) / kernel.peak, 1.0, 0.0, fit_intercept=False)
    np.testing.assert_allclose(model.coefficients([5.0]), peer.coef_, atol=1e-4)
    assert model.intercepts([5.0]) == 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_center_global_penalises_the_distance_from_the_global_fit(n_classes):
    X, y, times = labelled_stream(n_classes=n_classes)
    kernel = Kernel("tricube")
    weights = kernel.density((6 - times) / 2.5) / kernel.peak
    model = LocalLogisticRegression(bandwidth=2.5, grid="exact", C=0.5).fit(X, y, times=times)
    coefficients, intercepts = model.coefficients([6.0]), model.intercepts([6.0])
    coefficients, intercepts = rows(coefficients), np.atleast_1d(np.squeeze(intercepts))
    # the slope of the weighted loss is balanced by the pull towards the global fit, intercept included
    scores = X @ coefficients.T + intercepts
    scores = np.column_stack([np.zeros(len(y)), scores]) if n_classes == 2 else scores
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    residual = weights[:, None] * (chances - np.eye(n_classes)[y])
    residual = residual[:, 1:] if n_classes == 2 else residual
    np.testing.assert_allclose((X.T @ residual).T, -(coefficients - model.coef_) / 0.5, atol=1e-3)
    np.testing.assert_allclose(residual.sum(axis=0), -(intercepts - model.intercept_) / 0.5, atol=1e-3)
    strong = LocalLogisticRegression(bandwidth=2.5, C=[1e-6]).fit(X, y, times=times)
    np.testing.assert_allclose(rows(strong.coefficients([6.0])), strong.coef_, atol=1e-3)


@pytest.mark.parametrize("side", ["both", "past"])
def test_the_grid_is_close_to_the_exact_fit(side):
    X, y, times = labelled_stream()
    when = np.linspace(3, 9, 25)
    exact = LocalLogisticRegression(bandwidth=3.0, grid="exact", side=side).fit(X, y, times=times)
    errors = []
    for points in (2, 4, 16):
        coarse = LocalLogisticRegression(bandwidth=3.0, grid=points, side=side).fit(X, y, times=times)
        errors.append(np.abs(coarse.coefficients(when) - exact.coefficients(when)).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < (0.01 if side == "both" else 0.15) * np.abs(exact.coefficients(when)).mean()


@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("grid", ["auto", "exact"])
def test_a_past_only_model_does_not_know_the_future(center, grid):
    X, y, times = labelled_stream()
    settings = {"bandwidth": 2.0, "side": "past", "center": center, "grid": grid}
    whole = LocalLogisticRegression(**settings).fit(X, y, times=times)
    now = times < 6
    early = LocalLogisticRegression(**settings).fit(X[now], y[now], times=times[now])
    when = times[(times > 3) & (times < 5.9)]
    at = X[(times > 3) & (times < 5.9)]
    later = whole.predict_proba(at, times=when)
    if center == "zero":
        np.testing.assert_allclose(later, early.predict_proba(at, times=when), atol=1e-3)
    changed = y.copy()
    changed[times >= 5.9] = 1 - changed[times >= 5.9]
    turned = LocalLogisticRegression(**settings).fit(X, changed, times=times)
    np.testing.assert_allclose(turned.predict_proba(at, times=when), later, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNEL_NAMES)
def test_it_follows_a_change_of_sides(kernel):
    X, y, times = labelled_stream(n=400)
    model = LocalLogisticRegression(kernel=kernel, bandwidth=2.0).fit(X[::2], y[::2], times=times[::2])
    steady = LocalLogisticRegression(bandwidth="global").fit(X[::2], y[::2], times=times[::2])
    inside = (times > 0.5) & (times < 9.5)
    X, y, times = X[inside][1::2], y[inside][1::2], times[inside][1::2]
    assert model.score(X, y, times=times) > 0.75
    assert steady.score(X, y, times=times) < 0.65


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("center", ["zero", "global"])
def test_choosing_finds_drift_and_leaves_steady_streams_alone(side, center):
    X, y, times = labelled_stream(n=400)
    moving = LocalLogisticRegression(side=side, center=center, C=[0.1, 1.0]).fit(X, y, times=times)
    assert moving.bandwidth_ <= 5
    assert {h for h, _, _ in moving.candidates_} >= {math.inf, moving.bandwidth_}
    assert moving.C_ in (0.1, 1.0)
    order = np.random.default_rng(0).permutation(len(y))
    steady = LocalLogisticRegression(side=side, center=center).fit(X[order], y[order], times=times)
    assert math.isinf(steady.bandwidth_)


def test_answers_do_not_depend_on_the_number_of_threads():
    X, y, times = labelled_stream(n=300)
    answers = [
        LocalLogisticRegression(bandwidth=0.3, n_jobs=n).fit(X, y, times=times).predict_proba(X, times=times)
        for n in (1, 2, 4)
    ]
    assert answers[0].tobytes() == answers[1].tobytes() == answers[2].tobytes()


def test_dense_rows_with_negative_values_and_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5)) * [1, 10, 0.1, 1, 1]
    y = (X[:, 0] + 3 * X[:, 2] + 0.2 * rng.normal(size=200) > 0).astype(int)
    dense = LocalLogisticRegression(bandwidth=80.0).fit(X, y, times=range(len(y)))
    sparse = LocalLogisticRegression(bandwidth=80.0).fit(sp.csr_matrix(X), y, times=range(len(y)))
    assert dense.score(X, y) > 0.9
    np.testing.assert_array_equal(dense.predict_proba(X), sparse.predict_proba(sp.csr_matrix(X)))


def test_unlabelled_documents_do_not_count():
    X, y, times = labelled_stream()
    names = np.array(["ham", "spam"], dtype=object)[y]
    hidden = names.copy()
    hidden[::3] = None
    kept = np.arange(len(y)) % 3 != 0
    part = LocalLogisticRegression(bandwidth=3.0).fit(X, hidden, times=times)
    only = LocalLogisticRegression(bandwidth=3.0).fit(X[kept], names[kept].astype(str), times=times[kept])
    assert part.classes_.tolist() == ["ham", "spam"]
    np.testing.assert_array_equal(part.predict_proba(X, times=times), only.predict_proba(X, times=times))


def test_dates_and_durations():
    X, y, times = labelled_stream()
    dates = np.datetime64("2020-01-01", "us") + (times * 86_400e6).astype("timedelta64[us]")
    numbers = LocalLogisticRegression(bandwidth=2.0).fit(X, y, times=dates.astype(np.int64) / 86_400e6)
    for bandwidth in ("2d", "48h", datetime.timedelta(days=2), np.timedelta64(2, "D")):
        model = LocalLogisticRegression(bandwidth=bandwidth).fit(X, y, times=dates)
        np.testing.assert_allclose(
            model.coefficients(dates[:3]), numbers.coefficients(dates[:3].astype(np.int64) / 86_400e6)
        )


@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_absent_from_a_window(center, penalty, n_classes):
    X, y, times = labelled_stream(n_classes=n_classes)
    y = np.where(times > 5, 0, y)  # from then on there is one class only
    model = LocalLogisticRegression(bandwidth=1.0, center=center, penalty=penalty).fit(X, y, times=times)
    chances = model.predict_proba(X, times=times)
    assert np.isfinite(chances).all()
    assert np.isfinite(model.coefficients(times)).all()
    assert np.abs(model.intercepts(times)).max() < 25
    late = times > 6.5
    assert (chances[late].argmax(axis=1) == 0).all()
    assert (chances[late][:, 1:] > 1e-6).all()


@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("side", ["both", "past"])
def test_windows_with_one_document(center, side):
    X, y, _ = labelled_stream(n=12)
    times = 100.0 * np.arange(12)
    model = LocalLogisticRegression(bandwidth=5.0, center=center, side=side).fit(X, y, times=times)
    chances = model.predict_proba(X, times=times + 1)
    assert np.isfinite(chances).all()
    assert not model.outside_support(times + 1).any()
    pulled = (
        chances[np.arange(12), y]
        - LocalLogisticRegression(bandwidth="global", center=center, side=side)
        .fit(X, y, times=times)
        .predict_proba(X, times=times + 1)[np.arange(12), y]
    )
    assert pulled.mean() > 0  # the one document there is has its say


@pytest.mark.parametrize("side", ["both", "past"])
def test_times_far_outside_are_answered_by_the_latest_fit(side):
    X, y, times = labelled_stream()
    model = LocalLogisticRegression(bandwidth=1.0, side=side).fit(X, y, times=times)
    far = np.full(len(y), 1e6)
    with pytest.warns(OutsideSupportWarning, match="240 of 240"):
        chances = model.predict_proba(X, times=far)
    last = answering_time(times, side, 1e6)
    np.testing.assert_array_equal(chances, model.predict_proba(X, times=np.full(len(y), last)))
    assert model.outside_support([5.0, 1e6]).tolist() == [False, True]
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_array_equal(model.coefficients([1e6]), model.coefficients([last]))
    assert np.abs(model.coefficients([last]) - model.coef_).max() > 0.1


def test_before_everything_a_past_only_model_knows_nothing():
    X, y, times = labelled_stream()
    model = LocalLogisticRegression(bandwidth=1.0, side="past").fit(X, y, times=times)
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_array_equal(model.predict_proba(X[:2], times=[-5.0, -5.0]), 0.5)


def test_a_gap_in_the_stream():
    X, y, times = labelled_stream()
    times = np.where(times > 5, times + 100, times)
    model = LocalLogisticRegression(bandwidth=1.0).fit(X, y, times=times)
    with pytest.warns(OutsideSupportWarning, match="1 of 3"):
        found = model.coefficients([4.0, 50.0, 107.0])
    np.testing.assert_allclose(found[1], model.coef_[0])
    assert np.abs(found[0] - found[2]).max() > 0.1


@pytest.mark.parametrize("bandwidth", ["cv", 3.0, 1e-300, 1e300])
def test_constant_times(bandwidth):
    X, y, _ = labelled_stream()
    model = LocalLogisticRegression(bandwidth=bandwidth, center="zero").fit(X, y, times=np.full(len(y), 7.0))
    peer = sklearn_fit(X, y, np.ones(len(y)), 1.0, 0.0)
    np.testing.assert_allclose(model.predict_proba(X, times=np.full(len(y), 7.0)), peer.predict_proba(X), atol=1e-4)


def test_weights_that_all_but_vanish():
    X, y, times = labelled_stream(n=30)
    edge = times[-2] + 1 - 1e-9
    times[-1] += 50  # a silence begins after the last but one
    model = LocalLogisticRegression(bandwidth=1.0, grid="exact", center="zero").fit(X, y, times=times)
    found = model.coefficients([edge])
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 1e-6  # so light a window is all penalty
    assert np.isfinite(model.intercepts([edge])).all()


def test_words_never_seen_have_no_say():
    X, y, times = labelled_stream()
    wide = sp.hstack([X, sp.csr_matrix((X.shape[0], 2))], format="csr")
    model = LocalLogisticRegression(bandwidth=2.0).fit(wide, y, times=times)
    assert (model.coefficients([5.0])[:, -2:] == 0).all()
    strange = wide.tolil()
    strange[:, -1] = 9.0
    np.testing.assert_array_equal(
        model.predict_proba(strange.tocsr(), times=times), model.predict_proba(wide, times=times)
    )


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_separable_classes(penalty):
    X = np.tile([[1.0, 0.0], [0.0, 1.0]], (30, 1))
    y = np.tile([0, 1], 30)
    model = LocalLogisticRegression(bandwidth=10.0, C=1e4, penalty=penalty).fit(X, y, times=range(len(y)))
    assert np.isfinite(model.coefficients(np.arange(60.0))).all()
    assert model.score(X, y) == 1


def test_documents_without_words():
    X, y, times = labelled_stream()
    blank = X.tolil()
    blank[::4] = 0
    model = LocalLogisticRegression(bandwidth=2.0).fit(blank.tocsr(), y, times=times)
    chances = model.predict_proba(sp.csr_matrix((3, 10)), times=[2.0, 5.0, 8.0])
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-model.intercepts([2.0, 5.0, 8.0]))))
    nothing = LocalLogisticRegression(bandwidth=2.0).fit(sp.csr_matrix((240, 10)), y, times=times)
    assert np.isfinite(nothing.predict_proba(X, times=times)).all()


def test_probabilities_agree_with_each_other():
    X, y, times = labelled_stream(n_classes=3)
    model = LocalLogisticRegression(bandwidth=2.0).fit(X, y, times=times)
    chances = model.predict_proba(X, times=times)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X, times=times)), chances)
    np.testing.assert_array_equal(model.predict(X, times=times), chances.argmax(axis=1))
    assert model.decision_function(X, times=times).shape == (240, 3)


def test_log_probabilities_keep_what_probabilities_lose():
    X = np.array([[1000.0], [-1000.0]] * 5)
    model = LocalLogisticRegression(bandwidth="global").fit(X, [1, 0] * 5, times=range(10))
    logs = model.predict_log_proba([[1e6]])
    assert np.isfinite(logs).all()
    assert logs[0, 0] < -1000


def test_refusals():
    X, y, times = labelled_stream(n=20)
    with pytest.raises(NotFittedError):
        LocalLogisticRegression().predict(X)
    with pytest.raises(InvalidInput, match="only one class"):
        LocalLogisticRegression().fit(X, np.zeros(20), times=times)
    with pytest.raises(InvalidInput, match="no document has a label"):
        LocalLogisticRegression().fit(X, np.full(20, -1), times=times)
    with pytest.raises(InvalidInput, match="20 documents but 19 times"):
        LocalLogisticRegression().fit(X, y, times=times[:-1])
    with pytest.raises(InvalidInput, match="not a duration"):
        LocalLogisticRegression(bandwidth="wide").fit(X, y, times=np.datetime64("2020-01-01", "D") + np.arange(20))
    with pytest.raises(InvalidInput, match="C must be positive"):
        LocalLogisticRegression(C=[1.0, -1.0]).fit(X, y, times=times)
    with pytest.raises(ValueError, match="center"):
        LocalLogisticRegression(center="mean").fit(X, y, times=times)
    with pytest.raises(AttributeError, match="partial_fit"):
        _ = LocalLogisticRegression(side="both").partial_fit
    model = LocalLogisticRegression(bandwidth=2.0).fit(X, y, times=times)
    with pytest.raises(InvalidInput, match="numbers"):
        model.predict(X, times=np.datetime64("2020-01-01", "D") + np.arange(20))
    with pytest.raises(InvalidInput, match="vocabulary"):
        model.coefficient_curve("war")


def test_a_fit_that_cannot_converge_says_so():
    X, y, times = labelled_stream()
    with pytest.warns(ConvergenceWarning, match="did not converge within 1 steps"):
        LocalLogisticRegression(bandwidth=2.0, max_iter=1, tol=1e-10, C=100.0).fit(X, y, times=times)


@pytest.mark.parametrize("side", ["both", "past"])
def test_chosen_settings_make_the_same_model_again(side):
    X, y, times = labelled_stream(n=300)
    chosen = LocalLogisticRegression(C="cv", bandwidth=[2.0, np.inf], side=side).fit(X, y, times=times)
    assert chosen.global_C_ != chosen.C_  # deviations from the global fit are held tighter than the fit itself
    settings = {"bandwidth": chosen.bandwidth_, "C": chosen.C_, "global_C": chosen.global_C_, "side": side}
    again = LocalLogisticRegression(**settings).fit(X, y, times=times)
    np.testing.assert_array_equal(again.coefficients([3.0, 6.0]), chosen.coefficients([3.0, 6.0]))
    np.testing.assert_array_equal(again.coef_, chosen.coef_)
    fixed = LocalLogisticRegression(C="cv", bandwidth=[2.0, np.inf], side=side, global_C=7.0).fit(X, y, times=times)
    assert fixed.global_C_ == 7.0
    assert {C for h, C, _ in fixed.candidates_ if np.isinf(h)} == {7.0}


def test_dense_vectors_of_either_sign_are_used_as_they_are():
    """Embeddings: the same answers as from the same numbers in a sparse matrix, far above chance."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 400)
    X = rng.normal(size=(3, 12))[y] + 0.5 * rng.normal(size=(400, 12))
    times = np.arange(400.0)
    dense = LocalLogisticRegression(side="past", bandwidth=100.0).fit(X[:300], y[:300], times=times[:300])
    sparse = LocalLogisticRegression(side="past", bandwidth=100.0)
    sparse.fit(sp.csr_matrix(X[:300]), y[:300], times=times[:300])
    when = np.full(100, 300.0)
    assert X.min() < -1
    assert np.array_equal(dense.predict_proba(X[300:], times=when), sparse.predict_proba(X[300:], times=when))
    assert dense.score(X[300:], y[300:], times=when) > 0.95


def test_far_beyond_the_last_document_the_latest_local_fit_is_used():
    """The meaning of the word is reversed at 200: the fit to all documents errs."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 3))
    y = ((X[:, 0] > 0) == (np.arange(300) < 200)).astype(int)
    model = LocalLogisticRegression(side="past", bandwidth=40.0).fit(X, y, times=np.arange(300.0))
    fresh = rng.normal(size=(200, 3))
    truth = (fresh[:, 0] <= 0).astype(int)
    with pytest.warns(OutsideSupportWarning):
        far = model.predict(fresh, times=np.full(200, 5000.0))
    assert np.mean(far == truth) > 0.9
    assert np.mean((fresh @ model.coef_.T + model.intercept_ > 0).ravel() == truth) < 0.5
