"""Exact moments by simulation, and expansions by how fast they approach the exact ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.local_asymptotics import asymptotic_bias, asymptotic_variance, exact_bias, exact_variance

from driftline.local.bandwidths.asymptotics import best_bandwidth
from driftline.smoothing.kernels import Kernel

TIMES = np.linspace(0, 1, 20_001)
WHEN = 0.5


def path(t):
    t = np.asarray(t)[..., None]
    return np.concatenate([0.3 + 0.2 * np.sin(3 * t), 0.3 - 0.1 * t**2, 0.4 - 0.2 * np.sin(3 * t) + 0.1 * t**2], -1)


SLOPE = np.array([0.6 * np.cos(1.5), -0.1, -0.6 * np.cos(1.5) + 0.1])
CURVATURE = np.array([-1.8 * np.sin(1.5), -0.2, 1.8 * np.sin(1.5) + 0.2])
TOKENS = 50 * np.exp(1.5 * TIMES)
DENSITY = 50 * np.exp(1.5 * WHEN) * 20_000
LOG_SLOPE = 1.5


@pytest.mark.parametrize("side", ["both", "past"])
def test_exact_moments_are_those_of_simulated_estimates(side):
    rng = np.random.default_rng(0)
    times, tokens = np.linspace(0, 1, 30), rng.integers(5, 20, 30)
    kernel, bandwidth = Kernel("triangular", side), 0.4
    theta = path(times)
    weights = kernel.weights([WHEN], times, bandwidth)[0]
    draws = np.stack([rng.multinomial(n, p, size=20_000) for n, p in zip(tokens, theta)])
    estimates = np.einsum("d,drw->rw", weights, draws) / (weights * tokens).sum()
    bias = exact_bias(theta, tokens, times, path(WHEN), WHEN, kernel, bandwidth)
    variance = exact_variance(theta, tokens, times, WHEN, kernel, bandwidth)
    np.testing.assert_allclose(estimates.mean(axis=0) - path(WHEN), bias, atol=4e-3)
    np.testing.assert_allclose(np.cov(estimates.T), variance, rtol=0.08, atol=1e-5)


@pytest.mark.parametrize("name", ["triangular", "tricube", "epanechnikov"])
def test_leading_bias_is_approached(name):
    for side, order in (("both", 2), ("past", 1)):
        kernel = Kernel(name, side)
        errors = []
        for h in (0.2, 0.1):
            exact = exact_bias(path(TIMES), TOKENS, TIMES, path(WHEN), WHEN, kernel, h)
            errors.append(np.abs(exact - asymptotic_bias(kernel, h, SLOPE, CURVATURE, LOG_SLOPE)).max() / h**order)
        assert errors[1] < 0.62 * errors[0]


def test_an_online_estimate_lags():
    kernel = Kernel("triangular", "past")
    exact = exact_bias(path(TIMES), TOKENS, TIMES, path(WHEN), WHEN, kernel, 0.01)
    assert np.sign(exact).tolist() == (-np.sign(SLOPE)).tolist()


@pytest.mark.parametrize("name", ["triangular", "uniform", "tricube"])
def test_online_variance_has_its_second_term(name):
    """With the corrected terms the error falls like h, one order faster than without them."""
    kernel = Kernel(name, "past")

    def error(h, *more):
        exact = exact_variance(path(TIMES), TOKENS, TIMES, WHEN, kernel, h)
        return np.abs(exact - asymptotic_variance(kernel, h, path(WHEN), DENSITY, *more)).max() * DENSITY

    full = [error(h, SLOPE, LOG_SLOPE) for h in (0.2, 0.1)]
    leading = [error(h) for h in (0.2, 0.1)]
    assert full[1] < 0.65 * full[0]
    assert leading[1] > 0.8 * leading[0]
    assert full[1] < 0.3 * leading[1]


def test_offline_variance():
    kernel = Kernel("tricube")
    exact = exact_variance(path(TIMES), TOKENS, TIMES, WHEN, kernel, 0.05)
    np.testing.assert_allclose(asymptotic_variance(kernel, 0.05, path(WHEN), DENSITY), exact, rtol=0.01)


@pytest.mark.parametrize("side", ["both", "past"])
def test_best_bandwidth_minimises_the_expansion(side):
    kernel = Kernel("triangular", side)
    density, grid = 3000.0, np.geomspace(0.01, 2, 4000)
    motion = SLOPE if side == "past" else SLOPE * LOG_SLOPE + CURVATURE / 2
    risk = [
        (asymptotic_bias(kernel, h, SLOPE, CURVATURE, LOG_SLOPE) ** 2).sum()
        + np.trace(asymptotic_variance(kernel, h, path(WHEN), density))
        for h in grid
    ]
    scatter = 1 - (path(WHEN) ** 2).sum()
    found = best_bandwidth(kernel, scatter, density, (motion**2).sum())
    assert found == pytest.approx(grid[np.argmin(risk)], rel=0.01)


def test_nothing_moves_nothing_to_follow():
    assert np.isinf(best_bandwidth(Kernel(), 1.0, 100.0, 0.0))
    assert np.isinf(best_bandwidth(Kernel("triangular", "past"), 1.0, 100.0, -1.0))
