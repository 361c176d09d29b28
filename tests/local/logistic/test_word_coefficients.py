"""Coefficient curves, their bands, and the words that moved."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.drifting import labelled_stream

import driftline.local
from driftline.core.errors import InvalidInput
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression


def crossing(n=500, seed=0, n_words=6):
    """Return a stream in which word 0 changes sides, word 1 stays, and the others say nothing."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 10, n))
    X = rng.poisson(0.5, (n, n_words)).astype(float)
    scores = 1.5 * np.cos(times / 10 * np.pi) * X[:, 0] + 1.0 * X[:, 1] - 0.5
    return X, (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(int), times


WORDS = ["turncoat", "faithful", "a", "b", "c", "d"]


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("grid", ["auto", "exact"])
def test_the_word_that_changed_sides_comes_first(penalty, side, grid):
    X, y, times = crossing()
    model = LocalLogisticRegression(bandwidth=3.0, penalty=penalty, side=side, grid=grid, vocabulary=WORDS)
    found = model.fit(X, np.array(["no", "yes"])[y], times=times).changed_coefficients(3)
    first = found[0]
    assert first.word == "turncoat"
    assert first.column == 0
    assert first.label == "yes"
    assert first.change > 2 * found[1].change
    assert first.late < -0.3
    if side == "both":
        assert first.early > 0.5
    assert [move.change for move in found] == sorted((move.change for move in found), reverse=True)
    assert len(first.curve.times) == len(first.curve.value) == 60
    assert isinstance(first.change, float)


def test_curves_agree_with_coefficients():
    X, y, times = crossing()
    model = LocalLogisticRegression(bandwidth=3.0, vocabulary=WORDS).fit(X, y, times=times)
    when = np.array([2.0, 5.0, 8.0])
    curve = model.coefficient_curve("faithful", when, level=0.8)
    np.testing.assert_allclose(curve.value, model.coefficients(when)[:, 1])
    assert (curve.lower < curve.value).all()
    np.testing.assert_allclose(curve.upper - curve.value, curve.value - curve.lower)
    wider = model.coefficient_curve(1, when, level=0.95)
    np.testing.assert_allclose((wider.upper - wider.value) / (curve.upper - curve.value), 1.9600 / 1.2816, rtol=1e-3)
    assert (curve.effective_size > 100).all()
    assert (curve.effective_size < 500).all()


@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_bands_are_as_wide_as_curves_vary(center, penalty):
    values, halves = [], []
    for seed in range(30):
        X, y, times = crossing(seed=seed, n=300)
        model = LocalLogisticRegression(bandwidth=3.0, C=5.0, center=center, penalty=penalty).fit(X, y, times=times)
        curves = [model.coefficient_curve(column, [5.0]) for column in (0, 1)]
        values.append([curve.value[0] for curve in curves])
        halves.append([(curve.upper[0] - curve.value[0]) / 1.96 for curve in curves])
    ratio = np.std(values, axis=0) / np.mean(halves, axis=0)
    assert (ratio > 0.7).all()
    assert (ratio < 1.4).all()


def test_a_steady_model_has_no_movement():
    X, y, times = crossing()
    model = LocalLogisticRegression(bandwidth="global").fit(X, y, times=times)
    assert model.changed_coefficients() == []
    curve = model.coefficient_curve(1)
    assert np.ptp(curve.value) == 0
    assert (curve.upper > curve.lower).all()


def test_a_word_that_does_not_occur_has_no_band():
    X, y, times = crossing()
    X[times > 6, 1] = 0
    model = LocalLogisticRegression(bandwidth=1.0).fit(X, y, times=times)
    curve = model.coefficient_curve(1, [3.0, 9.0])
    assert curve.upper[0] > curve.lower[0]
    assert curve.upper[1] == curve.lower[1] == curve.value[1] == model.coef_[0, 1]


def test_several_classes_need_a_label():
    X, y, times = labelled_stream(n_classes=3)
    names = np.array(["x", "y", "z"])[y]
    model = LocalLogisticRegression(bandwidth=2.0).fit(X, names, times=times)
    with pytest.raises(InvalidInput, match="label="):
        model.coefficient_curve(0)
    with pytest.raises(InvalidInput, match="not one of the classes"):
        model.coefficient_curve(0, label="q")
    curve = model.coefficient_curve(0, [5.0], label="y")
    assert curve.value[0] == pytest.approx(model.coefficients([5.0])[0, 1, 0])
    assert {move.label for move in model.changed_coefficients(9)} == {"x", "y", "z"}


def test_dates_come_back_as_dates():
    X, y, times = crossing()
    dates = np.datetime64("2020-01-01", "us") + (times * 86_400e6).astype("timedelta64[us]")
    model = LocalLogisticRegression(bandwidth="3d").fit(X, y, times=dates)
    assert model.coefficient_curve(0).times.dtype == np.dtype("datetime64[us]")
    assert model.changed_coefficients(1)[0].word == 0


def test_the_old_names_still_work():
    X, y = np.array([[3, 0], [0, 3]] * 20), np.array([0, 1] * 20)
    model = LocalLogisticRegression(bandwidth=10.0).fit(X, y, times=np.arange(40.0))
    with pytest.warns(FutureWarning, match="changed_coefficients"):
        old = model.word_movement(1)
    assert old == model.changed_coefficients(1)
    with pytest.warns(FutureWarning, match="change"):
        assert old[0].movement == old[0].change
    with pytest.warns(FutureWarning, match="CoefficientChange"):
        assert driftline.local.WordMovement is type(old[0])
    with pytest.raises(AttributeError, match="no attribute"):
        _ = driftline.local.nothing
