"""The ladder, and the maximisation steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.intensity.streams import small_model

from driftline.intensity.tracking.implicit_model import LevelStatistics, level_moves
from driftline.intensity.tracking.levels import (
    LevelParameters,
    best_rates,
    best_theta,
    ladder,
    learn_parameters,
    parameter_change,
)


@pytest.mark.parametrize("n_levels", [2, 3, 6])
def test_theta_maximises_the_probability_of_the_moves(n_levels):
    rng = np.random.default_rng(n_levels)
    moves = np.triu(np.tril(rng.uniform(0, 5, (n_levels, n_levels)), 1), -1) + 10 * np.eye(n_levels)

    def cost(theta):
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.nansum(moves * np.log(level_moves(theta, n_levels)))

    best = minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-10}).x
    assert best_theta(moves) == pytest.approx(best, abs=1e-5)


def test_theta_of_no_moves():
    assert best_theta(np.eye(3) * 10) == 1e-6
    assert 0 < best_theta(np.zeros((3, 3))) <= 1


def test_rates_are_events_over_exposure_in_order():
    counted = LevelStatistics(np.zeros((3, 3)), np.ones(3), np.array([10.0, 0.0, 40.0]), np.array([20.0, 5.0, 10.0]))
    np.testing.assert_allclose(best_rates(np.array([1.0, 2.0, 4.0]), counted), [0.5, 2.0, 4.0])
    crossed = counted._replace(events=np.array([10.0, 10, 10]), exposure=np.array([1.0, 10, 10]))
    assert (np.diff(best_rates(np.array([1.0, 2.0, 4.0]), crossed)) >= 0).all()


def test_only_what_is_named_is_learned():
    model = small_model(0, n_levels=3)
    before = LevelParameters(model.rates, model.theta, model.prior)
    counted = LevelStatistics(np.eye(3) + 0.1, np.array([5.0, 0, 0]), np.ones(3), np.ones(3))
    learned = learn_parameters(before, counted, frozenset({"prior"}))
    assert learned.theta == model.theta
    assert learned.rates is model.rates
    assert learned.prior[0] > 0.99
    assert learn_parameters(before, counted, frozenset({"transition"})).theta != model.theta
    assert learned.of(model).prior is learned.prior


def test_the_change_is_the_largest_of_all_parameters():
    before = LevelParameters(np.array([1.0, 2.0]), 0.1, np.array([0.5, 0.5]))
    assert parameter_change(before, before) == 0
    assert parameter_change(before, before._replace(rates=np.array([1.0, 4.0]))) == pytest.approx(np.log(2))
    assert parameter_change(before, before._replace(theta=0.05)) == pytest.approx(np.log(2))
    assert parameter_change(before, before._replace(prior=np.array([0.8, 0.2]))) == pytest.approx(0.3)


def test_the_ladder_spans_what_the_topics_do():
    rng = np.random.default_rng(0)
    topics = np.where(rng.random(2000) < 0.02, 1, 0)
    topics[1000:1060] = 1
    text = np.eye(2)[topics] * 0.98 + 0.01
    rates = ladder(text, np.ones(2000), 8)
    assert (np.diff(np.log(rates)) > 0.4).all()
    np.testing.assert_allclose(np.diff(np.log(rates)), np.log(rates[1] / rates[0]))
    assert rates[0] < 0.05
    assert 0.8 < rates[-1] < 1.2


@pytest.mark.parametrize("n", [1, 2, 30])
def test_the_ladder_of_little_data(n):
    assert np.isfinite(ladder(np.ones((n, 3)), np.zeros(n), 8)).all()
    assert len(ladder(np.ones((n, 3)), np.ones(n), 1)) == 1
