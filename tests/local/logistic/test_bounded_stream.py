"""Learning from a stream in parts and in bounded memory."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.drifting import labelled_stream

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression


def in_parts(X, y, times, n_parts=6, **settings):
    model = LocalLogisticRegression(side="past", **settings)
    for part in np.array_split(np.arange(len(y)), n_parts):
        model.partial_fit(X[part], y[part], classes=np.unique(y), times=times[part])
    return model


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_parts_make_the_whole_as_far_as_they_are_remembered(n_classes, penalty):
    X, y, times = labelled_stream(n_classes=n_classes)
    settings = {"bandwidth": 1.5, "center": "zero", "penalty": penalty, "tol": 1e-8}
    parts = in_parts(X, y, times, **settings)
    whole = LocalLogisticRegression(side="past", **settings).fit(X, y, times=times)
    when = np.linspace(times[-1] - 1.4, times[-1] + 1.4, 30)
    np.testing.assert_allclose(parts.coefficients(when), whole.coefficients(when), atol=1e-5)
    np.testing.assert_allclose(parts.intercepts(when), whole.intercepts(when), atol=1e-5)


@pytest.mark.parametrize("center", ["zero", "global"])
def test_memory_is_bounded(center):
    X, y, times = labelled_stream(n=600)
    model = in_parts(X, y, times, n_parts=60, bandwidth=0.5, center=center)
    assert len(model._document_times_) <= (times > times[-1] - 1.1).sum()
    assert len(model._path_times_) <= 2 * 8 + 4
    assert len(model._background_times_) < 20
    with pytest.warns(OutsideSupportWarning):
        assert np.isfinite(model.predict_proba(X, times=times)).all()


def test_the_background_is_nearly_that_of_everything():
    X, y, times = labelled_stream(n=800)
    X, y, times = X[times < 5], y[times < 5], times[times < 5]  # nothing moves yet
    model = in_parts(X, y, times, n_parts=30, bandwidth=0.5)
    steady = LocalLogisticRegression(bandwidth="global", side="past").fit(X, y, times=times)
    assert np.corrcoef(model.coef_[0], steady.coef_[0])[0, 1] > 0.95
    fresh, labels, when = labelled_stream(n=800, seed=1)
    fresh, labels = fresh[when < 5], labels[when < 5]
    right = [((fresh @ each.coef_[0] + each.intercept_[0] > 0) == labels).mean() for each in (model, steady)]
    assert right[0] > right[1] - 0.03


def test_it_follows_the_drift_in_a_stream():
    X, y, times = labelled_stream(n=600)
    model = LocalLogisticRegression(side="past", bandwidth=1.5)
    right = []
    for part in np.array_split(np.arange(600), 60):
        if hasattr(model, "classes_"):
            right.extend(model.predict(X[part], times=times[part]) == y[part])
        model.partial_fit(X[part], y[part], classes=[0, 1], times=times[part])
    steady = LocalLogisticRegression(side="past", bandwidth="global").fit(X, y, times=times)
    assert np.mean(right) > steady.score(X[10:], y[10:], times=times[10:]) + 0.1


def test_late_documents_are_taken_in():
    X, y, times = labelled_stream()
    settings = {"bandwidth": 2.0, "center": "zero", "tol": 1e-8}
    late = np.flatnonzero((times > 8.5) & (times < 9))
    prompt = np.setdiff1d(np.arange(len(y)), late)
    model = LocalLogisticRegression(side="past", **settings).fit(X[prompt], y[prompt], times=times[prompt])
    model.partial_fit(X[late], y[late], times=times[late])
    whole = LocalLogisticRegression(side="past", **settings).fit(X, y, times=times)
    when = np.linspace(times[-1] - 1.9, times[-1] + 1, 20)
    np.testing.assert_allclose(model.coefficients(when), whole.coefficients(when), atol=1e-5)


def test_a_first_part_with_one_class():
    X, y, times = labelled_stream()
    model = LocalLogisticRegression(side="past", bandwidth=2.0)
    model.partial_fit(X[:5], np.zeros(5, dtype=int), classes=[0, 1], times=times[:5])
    chances = model.predict_proba(X[:5], times=times[:5] + 0.5)
    assert np.isfinite(chances).all()
    assert (chances[:, 0] > 0.5).all()
    model.partial_fit(X[5:], y[5:], times=times[5:])
    assert np.isfinite(model.predict_proba(X[-5:], times=times[-5:])).all()


def test_parts_without_times_or_labels():
    X, y, _ = labelled_stream(n=60)
    model = LocalLogisticRegression(side="past", bandwidth=20.0)
    model.partial_fit(X[:30], y[:30], times=range(30)).partial_fit(X[30:], y[30:])
    whole = LocalLogisticRegression(side="past", bandwidth=20.0, center="zero").fit(X, y, times=range(len(y)))
    assert model._newest_ == whole._newest_ == 59
    before = model.coefficients([59.5])
    model.partial_fit(X[:3], [-1, -1, -1])
    np.testing.assert_array_equal(model.coefficients([59.5]), before)


@pytest.mark.parametrize("settings", [{"bandwidth": "global"}, {"bandwidth": 2.0, "fit_intercept": False}])
def test_other_settings_in_parts(settings):
    X, y, times = labelled_stream()
    model = in_parts(X, y, times, **settings)
    at = times[-40:]
    assert np.isfinite(model.predict_proba(X[-40:], times=at)).all()
    if "fit_intercept" in settings:
        assert not model.intercepts(at).any()
    else:
        assert len(model._document_times_) == 0


def test_an_unknown_class_is_refused():
    X, y, times = labelled_stream()
    model = LocalLogisticRegression(side="past", bandwidth=2.0).fit(X, y, times=times)
    with pytest.raises(InvalidInput, match="not among the classes"):
        model.partial_fit(X[:1], [7], times=[11.0])
