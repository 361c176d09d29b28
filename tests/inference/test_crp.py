from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma

from driftline.inference.crp import draw_concentration, draw_partition, log_partition
from driftline.inference.diagnostics import diagnose
from tests.oracles.partitions import all_partitions


@pytest.mark.parametrize("concentration", [0.3, 1.0, 4.0])
def test_partitions_have_probabilities_that_sum_to_one(concentration):
    logs = [log_partition(np.bincount(labels), concentration) for labels in all_partitions(6)]
    assert np.exp(logs).sum() == pytest.approx(1.0)


def test_draws_have_these_probabilities():
    rng, n = np.random.default_rng(0), 20_000
    found = Counter(tuple(draw_partition(4, 1.5, rng).tolist()) for _ in range(n))
    for labels in all_partitions(4):
        expected = np.exp(log_partition(np.bincount(labels), 1.5))
        assert found[labels] / n == pytest.approx(expected, abs=5 * np.sqrt(expected / n))
    assert sum(found.values()) == n
    assert draw_partition(0, 1.0, rng).tolist() == []


def test_empty_clusters_do_not_count():
    assert log_partition([3, 0, 2, 0], 0.7) == log_partition([2, 3], 0.7)


@pytest.mark.parametrize(("n", "n_clusters"), [(2, 1), (10, 4), (200, 3)])
def test_the_concentration_is_drawn_from_its_posterior(n, n_clusters):
    sizes = np.array([n - n_clusters + 1, *[1] * (n_clusters - 1)])

    def density(a):
        return gamma.pdf(a, 2.0, scale=1 / 1.5) * np.exp(log_partition(sizes, a) - log_partition(sizes, 1.0))

    mass = quad(density, 0, 50)[0]
    mean = quad(lambda a: a * density(a), 0, 50)[0] / mass
    square = quad(lambda a: a**2 * density(a), 0, 50)[0] / mass
    rng, value, draws = np.random.default_rng(0), 1.0, []
    for _ in range(20_000):
        value = draw_concentration(value, n_clusters, n, rng, shape=2.0, rate=1.5)
        draws.append(value)
    error = np.sqrt((square - mean**2) / diagnose(draws).ess_bulk)
    assert np.mean(draws) == pytest.approx(mean, abs=4 * error)
    assert np.var(draws) == pytest.approx(square - mean**2, rel=0.15)


def test_without_items_the_prior_is_left():
    rng = np.random.default_rng(0)
    draws = [draw_concentration(9.0, 0, 0, rng, shape=3.0, rate=2.0) for _ in range(5000)]
    assert np.mean(draws) == pytest.approx(1.5, abs=0.06)
