"""The smoother of one centroid against the solution for the whole path."""

from __future__ import annotations

import numpy as np
from tests.oracles.drifting import smoothed_walk

from driftline.compute.cpu.switching_kalman import smooth_centroid


def test_smoothing_solves_for_the_whole_path():
    rng = np.random.default_rng(0)
    n = 12
    points, weights, drifts = rng.normal(0, 1, (n, 2)), rng.random(n), rng.uniform(0.05, 0.5, n)
    weights[3] = 0.0
    centre, spread, noise = np.array([0.5, -0.5]), np.array([2.0, 0.3]), np.array([0.7, 1.4])
    means, variances = np.empty((n, 2)), np.empty((n, 2))
    smooth_centroid(points, weights, drifts, centre, spread, noise, means, variances)
    for d in range(2):
        mean, variance = smoothed_walk(points[:, d], weights, drifts, centre[d], spread[d], noise[d])
        np.testing.assert_allclose(means[:, d], mean)
        np.testing.assert_allclose(variances[:, d], variance)


def test_without_drift_the_centroid_is_one_mean():
    points = np.array([[1.0], [2.0], [6.0]])
    means, variances = np.empty((3, 1)), np.empty((3, 1))
    smooth_centroid(points, np.ones(3), np.zeros(3), np.zeros(1), np.full(1, 1e9), np.ones(1), means, variances)
    np.testing.assert_allclose(means, 3.0, rtol=1e-6)
    np.testing.assert_allclose(variances, 1 / 3, rtol=1e-6)
