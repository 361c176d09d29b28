"""Vector scaling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

from driftline.intensity.classification.vector_scaling import PENALTY_ON_BIAS, fit_vector_scaling


def drawn(rng, scale, bias, n=4000):
    true = log_softmax(rng.normal(0, 1.5, (n, len(bias))), axis=1)
    y = np.array([rng.choice(len(bias), p=np.exp(row)) for row in true])
    # what an overconfident, biased classifier says: its scores, scaled and shifted, give the truth back
    z = true - true.mean(axis=1, keepdims=True)
    return log_softmax((z - np.asarray(bias)) / scale, axis=1), y


@pytest.mark.parametrize(("scale", "bias"), [(0.3, [0.5, -0.5]), (1.0, [0.0, 0.0, 0.0]), (2.0, [0.8, -0.3, -0.5])])
def test_what_was_distorted_is_mended(scale, bias):
    log_proba, y = drawn(np.random.default_rng(0), scale, bias)
    found = fit_vector_scaling(log_proba, y)
    assert found.scale == pytest.approx(scale, rel=0.12)
    np.testing.assert_allclose(found.bias - found.bias.mean(), np.array(bias) - np.mean(bias), atol=0.15)


def test_it_is_the_best_of_its_kind():
    log_proba, y = drawn(np.random.default_rng(1), 0.5, [0.2, -0.2], n=300)

    def cost(scale, bias):
        z = log_proba - log_proba.mean(axis=1, keepdims=True)
        logs = log_softmax(scale * z + bias, axis=1)
        return -logs[np.arange(300), y].sum() + PENALTY_ON_BIAS / 2 * np.sum(bias**2)

    found = fit_vector_scaling(log_proba, y)
    best = cost(found.scale, found.bias)
    for factor in (0.9, 1.1):
        assert best < cost(found.scale * factor, found.bias)
    for step in (-0.1, 0.1):
        assert best < cost(found.scale, found.bias + step * np.array([1, -1]))


def test_certainty_is_not_taken_at_its_word():
    log_proba = np.array([[0.0, -1e3]] * 50 + [[-1e3, 0.0]] * 50)
    y = np.repeat([0, 1], 50)
    y[:5], y[-5:] = 1, 0
    found = fit_vector_scaling(log_proba, y)
    certainty = np.exp(log_softmax(found.scores(log_proba), axis=1))
    np.testing.assert_allclose(certainty[0], [0.9, 0.1], atol=0.02)
