"""Draws of concentrations and discounts, against posteriors that are integrated numerically."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import gammaln
from scipy.stats import beta as beta_distribution
from scipy.stats import gamma

from driftline.inference.concentration import (
    Process,
    draw_concentration,
    draw_dirichlet_concentration,
    draw_process,
    draw_shared_concentration,
)
from driftline.inference.crp import cluster_count_probabilities, log_partition
from driftline.inference.diagnostics import diagnose


def check_mean(draws, density, upper=60):
    mass = quad(density, 0, upper)[0]
    mean = quad(lambda a: a * density(a), 0, upper)[0] / mass
    square = quad(lambda a: a**2 * density(a), 0, upper)[0] / mass
    error = np.sqrt((square - mean**2) / diagnose(draws).ess_bulk)
    assert np.mean(draws) == pytest.approx(mean, abs=4 * error)
    assert np.var(draws) == pytest.approx(square - mean**2, rel=0.15)


@pytest.mark.parametrize(("n", "n_clusters"), [(2, 1), (10, 4), (200, 3)])
def test_the_concentration_is_drawn_from_its_posterior(n, n_clusters):
    sizes = np.array([n - n_clusters + 1, *[1] * (n_clusters - 1)])
    rng, value, draws = np.random.default_rng(0), 1.0, []
    for _ in range(20_000):
        value = draw_concentration(value, n_clusters, n, rng, shape=2.0, rate=1.5)
        draws.append(value)
    check_mean(
        draws, lambda a: gamma.pdf(a, 2.0, scale=1 / 1.5) * np.exp(log_partition(sizes, a) - log_partition(sizes, 1.0))
    )


def test_without_items_the_prior_is_left():
    rng = np.random.default_rng(0)
    draws = [draw_concentration(9.0, 0, 0, rng, shape=3.0, rate=2.0) for _ in range(5000)]
    assert np.mean(draws) == pytest.approx(1.5, abs=0.06)


def test_the_priors_are_unit_ones_by_default():
    unit, seated = {"shape": 1.0, "rate": 1.0}, (np.array([5, 9]), np.array([2, 3]), np.array([3, 2, 4, 4, 1]))
    for default, given in (
        (lambda rng: draw_concentration(2.0, 3, 20, rng), lambda rng: draw_concentration(2.0, 3, 20, rng, **unit)),
        (
            lambda rng: draw_process(Process(2.0, 0.3), *seated, rng),
            lambda rng: draw_process(Process(2.0, 0.3), *seated, rng, **unit, discount_prior=(1.0, 1.0)),
        ),
    ):
        assert default(np.random.default_rng(0)) == given(np.random.default_rng(0))


def test_a_shared_concentration_is_drawn_from_its_posterior():
    customers, tables = [5, 12, 1, 0], [2, 3, 1, 0]

    def density(a):
        logs = [np.log(cluster_count_probabilities(n, a)[t]) for n, t in zip(customers, tables)]
        return gamma.pdf(a, 1.5) * np.exp(sum(logs))

    rng, value, draws = np.random.default_rng(0), 1.0, []
    for _ in range(20_000):
        value = draw_shared_concentration(value, customers, sum(tables), rng, shape=1.5)
        draws.append(value)
    check_mean(draws, lambda a: density(a) if a > 0 else 0.0, 40)


def test_discount_and_concentration_are_drawn_from_their_posterior():
    restaurants = [[4, 1, 1], [2], [3, 2, 1, 1], [1]]

    def density(theta, d):
        logs = sum(log_partition(sizes, theta, discount=d) for sizes in restaurants)
        return gamma.pdf(theta, 2.0) * beta_distribution.pdf(d, 1.0, 2.0) * np.exp(logs + 20)

    def integral(f):
        return dblquad(lambda theta, d: f(theta, d) * density(theta, d), 0, 1, 0, 15, epsabs=1e-4)[0]

    mass = integral(lambda theta, d: 1.0)
    expected = [integral(lambda theta, d: theta) / mass, integral(lambda theta, d: d) / mass]
    customers, tables = [sum(sizes) for sizes in restaurants], [len(sizes) for sizes in restaurants]
    rng, process, draws = np.random.default_rng(0), Process(1.0, 0.5), []
    for _ in range(8000):
        process = draw_process(
            process, customers, tables, np.concatenate(restaurants), rng, shape=2.0, discount_prior=(1.0, 2.0)
        )
        draws.append(process)
    for column, mean in zip(np.array(draws).T, expected):
        assert column.mean() == pytest.approx(mean, abs=4 * column.std() / np.sqrt(diagnose(column).ess_bulk))


def test_the_concentration_of_a_dirichlet_distribution_is_drawn_from_its_posterior():
    counts = np.array([[5, 0, 1], [0, 2, 2], [0, 0, 0]])

    def density(b):
        rows = gammaln(3 * b) - gammaln(counts.sum(axis=1) + 3 * b) + (gammaln(counts + b) - gammaln(b)).sum(axis=1)
        return gamma.pdf(b, 1.0) * np.exp(rows.sum() + 12)

    rng, value, draws = np.random.default_rng(0), 1.0, []
    for _ in range(8000):
        value = draw_dirichlet_concentration(value, counts, rng)
        draws.append(value)
    check_mean(draws, lambda b: density(b) if b > 0 else 0.0, 30)
