"""Stick-breaking against simulation, numerical integrals and all orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from driftline.inference import stick_breaking as sticks
from driftline.inference.stick_breaking import Gamma

POSTERIOR = np.array([[2.0, 3.0], [1.5, 0.7], [4.0, 1.0]])


def test_weights_and_sticks_are_the_same_thing():
    rng = np.random.default_rng(0)
    given = rng.random(5)
    weights = sticks.weights_of(given)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[2] == pytest.approx(given[2] * (1 - given[0]) * (1 - given[1]))
    left = 1.0 - np.cumsum(np.append(0.0, weights[:-1]))
    np.testing.assert_allclose(weights[:-1] / left[:-1], given)
    assert sticks.weights_of([]).tolist() == [1.0]


def test_expectations_are_those_of_draws():
    draws = np.random.default_rng(1).beta(*POSTERIOR.T, size=(200_000, 3))
    weights = np.array([sticks.weights_of(draw) for draw in draws[:50_000]])
    np.testing.assert_allclose(sticks.expected_weights(POSTERIOR), weights.mean(axis=0), atol=0.003)
    np.testing.assert_allclose(sticks.expected_log_weights(POSTERIOR), np.log(weights).mean(axis=0), rtol=0.02)


def test_the_posterior_of_sticks_is_that_of_the_weights_drawn():
    """Weigh draws of the prior by the probability of items: two of the first weight, one of the last."""
    draws = np.random.default_rng(2).beta(1.0, 1.7, size=(400_000, 2))
    first, second = draws.T
    likelihood = first**2 * (1 - first) * (1 - second)
    expected = [np.average(one, weights=likelihood) for one in (first, second)]
    found = sticks.stick_posterior([2, 0, 1], 1.7)
    np.testing.assert_allclose(found[:, 0] / found.sum(axis=1), expected, atol=0.003)


@pytest.mark.parametrize("sizes", [[0.0, 4.0, 1.0, 2.5], [3.0, 3.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
def test_by_size_is_the_best_of_all_orders(sizes):
    def probability(order):
        return stats.beta.logpdf(0.5, *sticks.stick_posterior(np.array(sizes)[list(order)], 0.6).T).sum()

    def normaliser(order):
        """Return ln ∫ p(sizes | sticks) p(sticks): the density of any point is likelihood / normaliser."""
        ordered = np.array(sizes)[list(order)]
        after = ordered[::-1].cumsum()[::-1] - ordered
        joint = (ordered[:-1] * np.log(0.5) + (after[:-1] + 0.6 - 1) * np.log(0.5)).sum()
        return joint - probability(order)

    best = max(itertools.permutations(range(4)), key=normaliser)
    found = sticks.by_size(sizes, 0.6)
    assert normaliser(found) == pytest.approx(normaliser(best))
    assert sorted(found) == [0, 1, 2, 3]
    np.testing.assert_array_equal(np.array(sizes)[found], np.sort(sizes)[::-1])


def test_an_order_by_size_that_is_less_probable_is_not_taken():
    assert sticks.by_size([1.0, 3.0], 5.0).tolist() == [0, 1], "the last weight has no stick, and α is large"
    assert sticks.by_size([3.0, 1.0], 5.0).tolist() == [0, 1]
    assert sticks.by_size([1.0, 3.0], 0.5).tolist() == [1, 0]


def test_divergences_by_integration():
    concentration, prior = Gamma(2.5, 1.3), Gamma(1.0, 0.8)
    density = stats.gamma(concentration.shape, scale=1 / concentration.rate)
    other = stats.gamma(prior.shape, scale=1 / prior.rate)
    expected = density.expect(lambda a: density.logpdf(a) - other.logpdf(a))
    assert concentration.divergence(prior) == pytest.approx(expected, abs=1e-6)
    assert concentration.mean == pytest.approx(density.mean())
    assert concentration.mean_log == pytest.approx(density.expect(np.log), abs=1e-6)
    total = 0.0
    for a, b in POSTERIOR:
        stick = stats.beta(a, b)
        entropy = integrate.quad(lambda v, stick=stick: stick.pdf(v) * stick.logpdf(v), 0, 1)[0]
        logs = integrate.quad(lambda v, stick=stick: stick.pdf(v) * np.log1p(-v), 0, 1)[0]
        total += entropy - concentration.mean_log - (concentration.mean - 1) * logs
    assert sticks.stick_divergence(POSTERIOR, concentration.mean, concentration.mean_log) == pytest.approx(
        total, abs=1e-5
    )
    assert sticks.stick_divergence(np.empty((0, 2)), 1.0, 0.0) == 0.0


def test_the_learned_concentration_is_the_best():
    prior = Gamma(1.0, 0.5)
    found = sticks.learn_concentration(POSTERIOR, prior)

    def loss(factor):
        return sticks.stick_divergence(POSTERIOR, factor.mean, factor.mean_log) + factor.divergence(prior)

    for shape, rate in itertools.product((0.95, 1.0, 1.05), repeat=2):
        assert loss(found) <= loss(Gamma(found.shape * shape, found.rate * rate)) + 1e-12
    assert sticks.learn_concentration(np.empty((0, 2)), prior) == prior
