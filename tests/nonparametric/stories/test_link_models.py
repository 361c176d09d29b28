from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from driftline.core.errors import InvalidInput
from driftline.nonparametric.stories import link_models
from driftline.nonparametric.stories.link_models import (
    Candidates,
    calibrate,
    cosine_odds,
    learn_coefficients,
    link_distribution,
    link_features,
    recalibrated,
    seat_distribution,
)


def test_short_documents_need_a_higher_cosine_but_one_word_is_enough():
    scores = np.array([[0.2], [0.2], [0.85]])
    lengths = np.array([100, 4, 1])
    found = cosine_odds(Candidates(scores, scores, 0 * scores, scores > 0, lengths, lengths[:, None]), 0.15)
    assert (found[:, 0] >= link_models.COSINE_CUT).tolist() == [True, False, True]


def test_the_links_of_a_document_are_a_distribution():
    odds = np.random.default_rng(0).normal(size=(50, 5))
    odds[3] = -np.inf
    odds[4, 2:] = -np.inf
    found = link_distribution(odds)
    assert np.allclose(found.sum(axis=1), np.where(np.isfinite(odds).any(axis=1), expit(odds.max(axis=1)), 0))
    seats = seat_distribution(odds)
    assert np.allclose(seats, np.exp(odds) / (1 + np.exp(odds).sum(axis=1, keepdims=True)))
    assert np.isfinite(seat_distribution(odds + 1e4)).all()


def test_calibration_recovers_a_rising_curve():
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 2, 20_000)
    truth = np.minimum(expit(odds), 0.6)  # right at most six times in ten, however certain
    found = expit(recalibrated(odds, calibrate(odds, rng.random(len(odds)) < truth)))
    assert np.abs(found - truth).mean() < 0.02
    assert recalibrated(odds, calibrate(np.empty(0), np.empty(0, bool))) is odds


def test_coefficients_are_recovered_from_known_links():
    rng = np.random.default_rng(1)
    n, shape = 4000, (4000, 5)
    cosines = np.sort(rng.random(shape), axis=1)[:, ::-1]
    parts = (cosines, cosines, rng.exponential(5.0, shape), np.ones(shape, bool))
    features = link_features(Candidates(*parts, rng.integers(1, 80, n), rng.integers(1, 80, shape)), 30.0)
    truth = np.array([-3.0, 4.0, 1.0, -0.5, 0.2, 0.3, 0.5, -1.0])
    same = rng.random(shape) < expit(features @ truth)
    coefficients, calibration = learn_coefficients(features, parts[3], same)
    said, right = expit(features @ coefficients), expit(features @ truth)
    assert np.abs(said - right).mean() < 0.02
    assert expit(calibration[1]) == pytest.approx(expit(calibration[0]), abs=0.15)


def test_known_links_of_one_kind_are_refused():
    with pytest.raises(InvalidInput, match="same group and of different ones"):
        learn_coefficients(np.ones((8, 5, 8)), np.ones((8, 5), bool), np.ones((8, 5), bool))
