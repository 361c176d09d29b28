"""Calibration on documents that the classifier has not seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from driftline.intensity.classification.held_out_calibration import calibrate, folds


def documents(apart, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(0, 1, (n, 5)) + apart * y[:, None], y


def test_the_signal_is_the_gain_in_log_likelihood_of_held_out_documents():
    X, y = documents(0.4)
    found = calibrate(LogisticRegression(), X, y, y, cv=5, n_jobs=None)
    expected = 0.0
    for known, others in folds(5).split(X, y):
        logs = LogisticRegression().fit(X[known], y[known]).predict_log_proba(X[others])
        z = logs - logs.mean(axis=1, keepdims=True)
        calibrated = log_softmax(found.scaling.scale * z + found.scaling.bias, axis=1)
        expected += (calibrated[np.arange(len(others)), y[others]] - np.log(np.bincount(y) / 300)[y[others]]).sum()
    assert found.signal == pytest.approx(expected, rel=1e-9)
    assert found.signal > 10


def test_errors_on_held_out_documents_before_and_after_calibration():
    X, y = documents(0.4)
    found = calibrate(LogisticRegression(), X, y, y, cv=5, n_jobs=None)
    alone, calibrated = np.empty((2, len(y)), dtype=bool)
    for known, others in folds(5).split(X, y):
        logs = LogisticRegression().fit(X[known], y[known]).predict_log_proba(X[others])
        alone[others] = logs.argmax(axis=1) != y[others]
        calibrated[others] = found.scaling.scores(logs).argmax(axis=1) != y[others]
    np.testing.assert_array_equal(found.wrong, [alone, calibrated])
    assert not np.array_equal(alone, calibrated)


def test_where_nothing_is_known_there_is_hardly_any_signal():
    """Half a chi-square of one degree: mean ½, and 3 or more in 1.4 % of cases."""
    signals = [
        calibrate(LogisticRegression(), *documents(0.0, seed=seed), documents(0.0, seed=seed)[1], cv=5, n_jobs=None)[1]
        for seed in range(40)
    ]
    assert np.mean(signals) < 1
    assert np.mean(np.array(signals) > 3) <= 0.05


@pytest.mark.parametrize(
    "y", [np.zeros(6, dtype=int), np.array([0, 0, 0, 0, 0, 1])], ids=["one class", "one of a class"]
)
def test_too_few_documents_are_left_as_they_are(y):
    scaling, signal, wrong = calibrate(LogisticRegression(), np.arange(6.0)[:, None], y, y, cv=5, n_jobs=None)
    assert (scaling.scale, scaling.bias.tolist(), signal, wrong) == (1.0, [0.0] * len(set(y)), 0.0, None)
