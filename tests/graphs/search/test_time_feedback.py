from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.graphs.search.time_feedback import Spread, clustering, log_density, softmax


def test_the_density_is_the_plain_sum():
    rng = np.random.default_rng(0)
    times, centres, weights = rng.uniform(-50, 50, 40), rng.uniform(-40, 40, 7), rng.dirichlet(np.ones(7))
    times[:7] = centres
    wanted = np.log((weights * np.exp(-np.abs(times[:, None] - centres) / 6)).sum(axis=1))
    np.testing.assert_allclose(log_density(times, centres, weights, 6.0), wanted, atol=1e-10)


def test_far_documents_do_not_underflow():
    found = log_density(np.array([1e6]), np.array([0.0, 1.0]), np.array([0.5, 0.5]), 1.0)
    assert found[0] == pytest.approx(-1e6 + 1 + np.log(0.5 + 0.5 * np.exp(-1)), abs=1e-6)


def test_equal_centres_and_zero_weights_are_handled():
    found = log_density(np.array([0.0, 5.0]), np.array([5.0, 5.0, 7.0]), np.array([0.5, 0.5, 0.0]), 1.0)
    np.testing.assert_allclose(found, [-5.0, 0.0], atol=1e-12)


def test_the_spread_is_that_of_all_pairs():
    times = np.random.default_rng(1).uniform(0, 30, 25)
    values = np.array([[np.exp(-abs(a - b) / 4) for b in times] for a in times])
    pairs = [values[i, j] for i, j in itertools.permutations(range(25), 2)]
    means = [np.delete(values[i], i).mean() for i in range(25)]
    found = Spread.of(times, 4.0)
    np.testing.assert_allclose(found, [np.mean(pairs), np.var(pairs), np.var(means)], rtol=1e-9)


def test_random_times_give_a_standardised_statistic_and_clusters_a_large_one():
    rng = np.random.default_rng(2)
    pool = rng.uniform(0, 1000, 400)
    spread, weights = Spread.of(pool, 10.0), softmax(rng.normal(size=50))
    null = [clustering(rng.choice(pool, 50, replace=False), weights, 10.0, spread) for _ in range(400)]
    assert abs(np.mean(null)) < 0.25
    assert 0.6 < np.std(null) < 1.5
    assert clustering(rng.uniform(500, 520, 50), weights, 10.0, spread) > 10


def test_equal_times_cluster_nowhere():
    spread = Spread.of(np.zeros(10), 10.0)
    assert clustering(np.zeros(5), np.full(5, 0.2), 10.0, spread) < 1e-6
    assert Spread.of(np.zeros(1), 10.0) == (1.0, 0.0, 0.0)
