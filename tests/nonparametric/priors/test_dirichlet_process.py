from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import dblquad

from driftline.nonparametric.priors import ChineseRestaurant, DirichletProcess, StickBreaking


@pytest.mark.parametrize(("alpha", "discount"), [(0.7, 0.0), (1.0, 0.4)])
def test_weights_have_the_expectation_and_sum_to_less_than_one(alpha, discount):
    process, rng = StickBreaking(alpha, discount), np.random.default_rng(0)
    draws = np.array([process.sample(4, rng) for _ in range(20_000)])
    assert (draws.sum(axis=1) < 1).all()
    np.testing.assert_allclose(draws.mean(axis=0), process.expected_weights(4), atol=0.01)


@pytest.mark.parametrize(("alpha", "discount"), [(1.5, 0.0), (1.0, 0.3)])
def test_the_density_of_two_weights_integrates_to_one(alpha, discount):
    process = StickBreaking(alpha, discount)
    mass = dblquad(lambda b, a: np.exp(process.log_density([a, b])), 0, 1, 0, lambda a: 1 - a, epsabs=1e-3)[0]
    assert mass == pytest.approx(1.0, abs=0.01)
    assert process.log_density([0.9, 0.2]) == -np.inf


@pytest.mark.parametrize(("alpha", "discount"), [(1.5, 0.0), (0.5, 0.4)])
def test_two_items_share_an_atom_as_often_as_the_restaurant_says(alpha, discount):
    """E[Σ π²] is the probability that two items are in the same cluster."""
    rng = np.random.default_rng(1)
    process = DirichletProcess(lambda n, rng: np.arange(n), alpha, discount)
    measures = [process.sample_measure(400, rng) for _ in range(2000)]
    assert all(m.weights.sum() + m.remainder == pytest.approx(1.0) for m in measures)
    same = np.mean([(m.weights**2).sum() for m in measures])
    assert same == pytest.approx(np.exp(ChineseRestaurant(alpha, discount).log_probability([0, 0])), abs=0.02)


def test_draws_repeat_as_in_the_urn():
    process, rng = DirichletProcess(lambda n, rng: rng.normal(size=(n, 2)), 2.0), np.random.default_rng(0)
    numbers = [len(np.unique(process.sample(20, rng), axis=0)) for _ in range(2000)]
    assert np.mean(numbers) == pytest.approx(ChineseRestaurant(2.0).expected_clusters(20), abs=0.2)
    assert process.sample(0, rng).shape == (0, 2)


@pytest.mark.parametrize("weights", [[1.0, 0.0], [0.6, 0.5], [0.5, 0.0]])
def test_weights_that_no_sticks_give_have_no_density(weights):
    assert StickBreaking(1.0).log_density(weights) == -np.inf
