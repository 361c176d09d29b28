from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.guide_arrays import Bounds
from driftline.inference.projection import better_multipliers, multipliers_of, project, tilted
from tests.oracles.guidance import projected_mean


def posteriors(n=40, n_topics=3, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_topics, 0.5), n)


@pytest.mark.parametrize(("low", "high"), [(0.6, 0.7), (0.0, 0.1), (0.5, 0.5), (0.0, 1.0)])
def test_projection_equals_a_fine_grid_of_multipliers(low, high):
    p = posteriors()
    bounds = Bounds(np.array([[0.0, low, 0.0]]), np.array([[1.0, high, 1.0]]), np.zeros(40, dtype=np.int64))
    found = project(np.log(p), bounds)
    np.testing.assert_allclose(found.posterior, projected_mean(p, low, high, 1), atol=2e-3)


def test_bounds_of_several_topics_and_groups_hold():
    p, rng = posteriors(90), np.random.default_rng(1)
    groups, weights = rng.integers(0, 3, 90), rng.uniform(0.5, 2.0, 90)
    low, high = np.tile([0.2, 0.3, 0.1], (3, 1)), np.tile([0.25, 0.35, 1.0], (3, 1))
    found = project(np.log(p), Bounds(low, high, groups), weights)
    for group in range(3):
        rows = groups == group
        mean = weights[rows] @ found.posterior[rows] / weights[rows].sum()
        assert (mean >= low[group] - 1e-4).all()
        assert (mean <= high[group] + 1e-4).all()
    assert found.value >= 0, "a divergence"


def test_the_gradient_is_that_of_finite_differences():
    p, low, high = posteriors(), np.array([0.0, 0.5, 0.0]), np.array([0.2, 1.0, 1.0])
    best, value = multipliers_of(p, low, high, np.ones(40), np.zeros(3))

    def dual(multipliers):
        worth = np.where(multipliers > 0, multipliers * high, multipliers * low).sum()
        return -np.log((p * np.exp(-multipliers)).sum(axis=1)).sum() - 40 * worth

    assert dual(best) == pytest.approx(value)
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert dual(best + rng.normal(0, 0.1, 3) * (best != 0)) <= value + 1e-6


def test_multipliers_vanish_where_the_words_respect_the_bounds():
    counts, lengths = posteriors() * 30, np.full(40, 30.0)
    share = counts.sum(axis=0) / counts.sum()
    bounds = Bounds(np.array([share - 0.05]).clip(0), np.array([share + 0.05]), np.zeros(40, dtype=np.int64))
    np.testing.assert_allclose(better_multipliers(counts, np.zeros((1, 3)), bounds, lengths), 0.0, atol=1e-6)
    present = np.array([[0.0, 1.0, 0.0]])
    seen = tilted(np.log(counts), present[0]) * 30
    np.testing.assert_allclose(better_multipliers(seen, present, bounds, lengths), 0.0, atol=1e-3)
