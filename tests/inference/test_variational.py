from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.variational import (
    better_concentrations,
    concentration_sums,
    divergence,
    expected_log,
    learn_concentration,
    learn_concentrations,
)
from tests.oracles.lda import dirichlet_divergence


def test_expected_log_by_simulation():
    rng = np.random.default_rng(0)
    parameters = np.array([0.7, 2.0, 5.0])
    drawn = np.log(rng.dirichlet(parameters, 200_000)).mean(axis=0)
    np.testing.assert_allclose(expected_log(parameters), drawn, atol=0.02)


def test_divergence_equals_the_oracle_and_is_zero_only_for_equals():
    p, q = np.array([[0.5, 2.0], [3.0, 1.0]]), np.array([0.8, 0.9])
    assert divergence(p, q) == pytest.approx(sum(dirichlet_divergence(row, q) for row in p))
    assert divergence(p, q) > 0


def test_concentrations_are_learned():
    rng = np.random.default_rng(1)
    truth = np.array([0.2, 0.5, 2.0])
    counts = np.array([rng.multinomial(50, row) for row in rng.dirichlet(truth, 3000)])
    np.testing.assert_allclose(learn_concentrations(np.ones(3), counts, n_steps=400), truth, rtol=0.1)
    symmetric = np.array([rng.multinomial(200, row) for row in rng.dirichlet(np.full(30, 0.3), 300)])
    assert learn_concentration(1.0, symmetric, n_steps=200) == pytest.approx(0.3, rel=0.1)


def test_nothing_to_learn_from():
    assert learn_concentrations([0.3, 0.4], np.zeros((2, 2))).tolist() == [0.3, 0.4]
    assert learn_concentration(0.3, np.zeros((2, 2))) == 0.3


def test_sums_over_parts_give_the_step_over_all():
    counts = np.random.default_rng(2).poisson(1.0, (20, 3))
    alpha = np.array([0.3, 0.5, 0.2])
    sums = [concentration_sums(alpha, part) for part in (counts[:7], counts[7:])]
    together = better_concentrations(alpha, sums[0][0] + sums[1][0], sums[0][1] + sums[1][1])
    np.testing.assert_allclose(together, learn_concentrations(alpha, counts))
