from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from driftline.inference.variational import (
    RATE,
    SHAPE,
    better_concentrations,
    concentration_sums,
    digamma_gain,
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


def test_gain_of_a_fraction_is_that_of_a_whole_count_with_that_probability():
    """Oracle: a count that is n or n + 1, by enumeration of ψ(n + α) − ψ(α) = Σ 1 / (α + i)."""
    for alpha in (0.01, 0.7, 5.0):
        for n, extra in ((0, 0.0), (0, 0.3), (3, 0.0), (3, 0.9), (17, 0.5)):
            whole = [sum(1 / (alpha + i) for i in range(n + more)) for more in (0, 1)]
            expected = (1 - extra) * whole[0] + extra * whole[1]
            assert digamma_gain(np.array([n + extra]), alpha)[0] == pytest.approx(expected)


def test_step_increases_the_posterior_of_whole_counts():
    rng = np.random.default_rng(3)
    counts = np.array([rng.multinomial(8, row) for row in rng.dirichlet([0.3, 0.6, 2.0], 200)]).astype(float)

    def posterior(alpha):
        prior = ((SHAPE - 1) * np.log(alpha) - RATE * alpha).sum()
        whole = gammaln(alpha.sum()) - gammaln(counts.sum(axis=1) + alpha.sum())
        return float((whole + (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)).sum() + prior)

    steps = [np.array([3.0, 0.1, 0.1])]
    for _ in range(30):
        steps.append(learn_concentrations(steps[-1], counts))
    assert (np.diff([posterior(alpha) for alpha in steps]) > -1e-9).all()
    assert posterior(steps[-1]) > posterior(steps[0]) + 10


def test_small_expected_counts_are_not_evidence_of_a_flat_prior():
    """Documents of one word that may come from any of ten topics: the concentrations must not grow."""
    counts = np.full((1000, 10), 0.1)
    assert learn_concentrations(np.full(10, 0.1), counts, n_steps=200).sum() < 1.1


def test_nothing_to_learn_from():
    assert learn_concentrations([0.3, 0.4], np.zeros((2, 2))).tolist() == [0.3, 0.4]
    assert learn_concentration(0.3, np.zeros((2, 2))) == 0.3


def test_sums_over_parts_give_the_step_over_all():
    counts = np.random.default_rng(2).poisson(1.0, (20, 3))
    alpha = np.array([0.3, 0.5, 0.2])
    sums = [concentration_sums(alpha, part) for part in (counts[:7], counts[7:])]
    together = better_concentrations(alpha, sums[0][0] + sums[1][0], sums[0][1] + sums[1][1])
    np.testing.assert_allclose(together, learn_concentrations(alpha, counts))


def test_rows_of_less_than_one_count_are_evidence_and_empty_rows_are_none():
    alpha = np.array([0.4, 0.8])
    rows = np.array([[0.5, 0.0], [0.25, 0.25], [0.0, 0.0]])
    above, below = concentration_sums(alpha, rows)
    each = [concentration_sums(alpha, row[None]) for row in rows[:2]]
    np.testing.assert_allclose(above, each[0][0] + each[1][0])
    assert below == pytest.approx(each[0][1] + each[1][1])
    assert each[0][1] > 0


def test_little_evidence_changes_concentrations_and_none_does_not():
    alpha = np.array([2.0, 6.0])
    above, below = concentration_sums(alpha, np.array([[1.0, 0.0]]))
    assert 0 < below < 1
    assert (better_concentrations(alpha, above, below) != alpha).all()
    np.testing.assert_array_equal(better_concentrations(alpha, np.zeros(2), 0.0), alpha)
