import numpy as np
import pytest

from driftline.evolving.paper.losses import logistic, smoothed_hinge, squared

TARGETS = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
SCORES = np.array([-3.0, -0.4, 0.3, 0.7, 0.95, 2.0])


def smoothed(targets, scores):
    return smoothed_hinge(targets, scores, np.full(len(targets), 0.3), 2.0)


@pytest.mark.parametrize("loss", [squared, logistic, smoothed])
def test_derivatives_are_those_of_the_value(loss):
    step = 1e-5
    above, here, below = (loss(TARGETS, SCORES + d) for d in (step, 0.0, -step))
    np.testing.assert_allclose(here.gradient, (above.value - below.value) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(here.curvature, (above.gradient - below.gradient) / (2 * step), atol=1e-5)


def test_extreme_scores_stay_finite():
    found = logistic(np.array([1.0, 1.0]), np.array([1e4, -1e4]))
    np.testing.assert_allclose(found.value, [0.0, 1e4])
    np.testing.assert_allclose(found.gradient, [0.0, -1.0])


def test_smoothed_hinge_lies_below_the_hinge_and_meets_it():
    loose = smoothed(TARGETS, SCORES)
    assert (loose.value <= np.maximum(0, 1 - TARGETS * SCORES) + 1e-12).all()
    sharp = smoothed_hinge(TARGETS, SCORES, np.full(6, 0.3), 1e8)
    np.testing.assert_allclose(sharp.value, np.maximum(0, 1 - TARGETS * SCORES), atol=1e-7)
