"""Fits along time: chains, backgrounds, scores of blended models."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.local.drifting import labelled_stream

from driftline.local.logistic import fit_path as module
from driftline.local.logistic.fit_path import fit_background, fit_path
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel


def training_of(n_classes=2, n=200):
    X, y, times = labelled_stream(n=n, n_classes=n_classes)
    return Training.in_order(X, y, times, 1 if n_classes == 2 else n_classes)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fit_does_not_depend_on_where_the_chain_began(n_classes, center, l1_ratio):
    training = training_of(n_classes)
    objective = Objective(Kernel("tricube"), 1.0, l1_ratio, center, tol=1e-8)
    background, _ = fit_background(training, objective)
    at = np.linspace(1, 9, 30)
    together, _ = fit_path(training, background, objective, 2.0, at)
    for g in (0, 7, 29):
        alone, effort = fit_path(training, background, objective, 2.0, at[[g]])
        assert effort.n_unconverged == 0
        k = training.n_outputs
        np.testing.assert_allclose(
            together.coefficients[g * k : (g + 1) * k].toarray(), alone.coefficients.toarray(), atol=1e-5
        )
        np.testing.assert_allclose(together.intercepts[g], alone.intercepts[0], atol=1e-5)
        assert together.base[g] == alone.base[0] == (-1 if center == "zero" else 0)


def test_where_nothing_weighs_the_background_stands_in():
    training = training_of()
    objective = Objective(Kernel("tricube"), 1.0)
    background, _ = fit_background(training, objective)
    path, effort = fit_path(training, background, objective, 1.0, np.array([-50.0, 5.0]))
    assert path.base.tolist() == [0, -1]
    assert path.coefficients[0].nnz == 0
    np.testing.assert_array_equal(path.intercepts[0], background.intercepts[0])
    assert effort.most_steps > 0


def test_a_past_only_background_grows():
    training = training_of()
    objective = Objective(Kernel("tricube", "past"), 1.0, tol=1e-7)
    background, _ = fit_background(training, objective)
    assert background.times[0] == -math.inf
    assert not background.coefficients[0].any()
    assert (np.diff(background.times) > 0).all()
    assert len(background.times) < 90
    both = replace(objective, kernel=Kernel("tricube"))
    for index in (12, -1):
        seen = training.times < background.times[index]
        alone, _ = fit_background(training.rows(seen), both)
        np.testing.assert_allclose(background.coefficients[index], alone.coefficients[0], atol=1e-4)
    when = np.array([-1.0, background.times[5], 1e9])
    assert background.number(when).tolist() == [0, 5, len(background.times) - 1]


@pytest.mark.parametrize("center", ["zero", "global"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_blended_coefficients(n_classes, center):
    training = training_of(n_classes)
    objective = Objective(Kernel("tricube"), 1.0, center=center)
    background, _ = fit_background(training, objective)
    at = np.array([-50.0, 3.0, 4.0, 5.0])
    path, _ = fit_path(training, background, objective, 2.0, at)
    rng = np.random.default_rng(1)
    left = rng.integers(0, 4, 200)
    right = rng.integers(0, 4, 200)
    share = rng.uniform(size=200)
    scores = module.path_scores(training.X, path, background, left, right, share)
    k = training.n_outputs
    whole = path.coefficients.toarray().reshape(4, k, -1)
    whole = whole + np.where(path.base >= 0, 1, 0)[:, None, None] * background.coefficients[0]
    mixed = (1 - share)[:, None, None] * whole[left] + share[:, None, None] * whole[right]
    intercepts = (1 - share)[:, None] * path.intercepts[left] + share[:, None] * path.intercepts[right]
    expected = np.einsum("ip,ikp->ik", training.X.toarray(), mixed) + intercepts
    np.testing.assert_allclose(scores, expected, atol=1e-10)


@pytest.mark.parametrize("times", [(0.0, 1.0, 2.0, 3.0), (0.0, 1.2, 2.0, 2.9)])
def test_accurate_fits_begin_on_a_parabola_and_rough_ones_on_a_line(times):
    def solution(t):
        return np.array([[1 + 20 * t - 1.5 * t * t]])

    trail = [(t, solution(t)) for t in times[:3]]
    objective = Objective(Kernel("tricube"), 1.0, tol=1e-3)

    def start(trail, t, objective):
        return module._start(trail, t, None, None, objective)

    np.testing.assert_allclose(start(trail, times[3], objective), solution(times[3]))
    slope = (trail[2][1] - trail[1][1]) / (times[2] - times[1])
    ahead = min(times[3] - times[2], times[2] - times[1])
    np.testing.assert_allclose(start(trail, times[3], replace(objective, tol=0.1)), trail[2][1] + ahead * slope)
    bent = [(t, y**3) for t, y in trail]
    assert np.abs(start(bent, times[3], objective) - bent[2][1]) <= np.abs(bent[2][1] - bent[1][1]) * 1.2
    far = times[2] + 10.0  # after a gap the direction is no guide: at most one step is carried on
    np.testing.assert_allclose(start(trail, far, objective), 2 * trail[2][1] - trail[1][1])
    np.testing.assert_allclose(start(trail, times[3], replace(objective, l1_ratio=1.0)), trail[2][1])


def test_a_misleading_start_is_given_up(monkeypatch):
    """On a coarse grid over windows that nearly lack a class, carrying on may lead to where no step pays."""
    training = training_of()
    objective = Objective(Kernel("tricube"), 10.0, tol=1e-6)
    background, _ = fit_background(training, objective)
    at = np.linspace(1, 9, 9)
    expected, _ = fit_path(training, background, objective, 2.0, at)
    honest = module._start

    def mislead(trail, *rest):
        start = honest(trail, *rest)
        return start * 1e9 + 1e12 if trail else start

    monkeypatch.setattr(module, "_start", mislead)
    found, effort = fit_path(training, background, objective, 2.0, at)
    assert effort.n_unconverged == 0
    np.testing.assert_allclose(found.coefficients.toarray(), expected.coefficients.toarray(), atol=1e-4)
