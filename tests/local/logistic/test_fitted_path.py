"""What a fitted model answers at any time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.local.drifting import labelled_stream

from driftline.local.logistic.fitted_path import curvature_left, learn, path_coefficients
from driftline.local.logistic.local_fit import HELD, Objective, Training
from driftline.local.logistic.window_choice import Search
from driftline.smoothing.kernels import Kernel


def state_of(points=4, bandwidth=2.0, side="both", center="global", fit_intercept=True):
    X, y, times = labelled_stream(n=150)
    training = Training.in_order(X, y, times, 1)
    objective = Objective(Kernel("tricube", side), 1.0, center=center, fit_intercept=fit_intercept)
    return learn(training, objective, Search([bandwidth], [1.0], points, 5))[0]


@pytest.mark.parametrize("points", [4, 0], ids=["grid", "exact"])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("center", ["zero", "global"])
def test_scores_and_coefficients_agree(points, side, center):
    state = state_of(points, side=side, center=center)
    when = np.array([-100.0, 0.5, 5.0, 5.1, 9.0, 500.0])
    X = state.training.X[:6]
    scores, inside = state.scores(X, when)
    coefficients, intercepts, also_inside = state.coefficients(when)
    np.testing.assert_array_equal(inside, also_inside)
    np.testing.assert_array_equal(inside, state.supported(when))
    assert inside.tolist() == [False, True, True, True, True, False]
    expected = np.einsum("ip,ikp->ik", X.toarray(), coefficients) + intercepts
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_an_infinite_bandwidth_has_no_path():
    state = state_of(bandwidth=math.inf)
    assert len(state.path.times) == 0
    assert state.supported(np.array([-1e9, 1e9])).all()
    np.testing.assert_array_equal(state.coefficients(np.array([3.0]))[0][0], state.background.coefficients[0])


def test_path_coefficients_are_whole():
    alone, pulled = state_of(center="zero"), state_of(center="global")
    g = len(alone.path.times) // 2
    np.testing.assert_array_equal(
        path_coefficients(alone.path, alone.background, g), alone.path.coefficients[g].toarray()
    )
    np.testing.assert_array_equal(
        path_coefficients(pulled.path, pulled.background, g),
        pulled.path.coefficients[g].toarray() + pulled.background.coefficients[0],
    )


def test_curvature_left_behind():
    state = state_of(side="past")
    X, y = state.training.X.toarray(), state.training.labels
    model = state.background.at(-1)
    p = 1 / (1 + np.exp(-(X @ model.coefficients[0] + model.intercepts[0])))
    expected = np.append(1.0 + (X**2).T @ (p * (1 - p)), (p * (1 - p)).sum())
    np.testing.assert_allclose(state.precision[:, 0], expected)
    assert len(y) == 150
    without = state_of(side="past", fit_intercept=False)
    assert curvature_left(without.training, without.background, without.objective)[-1, 0] == HELD
