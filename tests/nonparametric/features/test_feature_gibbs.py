"""Samples of features: against enumeration, and Geweke's test."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.latent_features import as_class, feature_posterior, log_rows

from driftline.nonparametric import IndianBuffetProcess
from driftline.nonparametric.features.feature_gibbs import (
    FEATURE_GIBBS,
    SHAPE,
    Features,
    Rows,
    begin,
    draw_features,
    effects_given,
    log_joint,
)

X = np.array([[1.2, -0.4], [0.9, 0.3], [-1.0, 0.8]])


@pytest.mark.parametrize("pairs", [False, True])
def test_samples_follow_the_exact_posterior(pairs):
    mass, noise, effect = 0.6, 0.4, 0.9
    expected = feature_posterior(X, mass, noise, effect, 4)
    problem, rng, n = Rows(X, 1.0, mass, noise, effect), np.random.default_rng(0), 12_000
    sample, found = begin(problem, rng), Counter()
    for _ in range(n):
        sample = draw_features(sample, problem, rng, pairs=pairs)
        found[as_class(sample.Z)] += 1
    for key, probability in expected.items():
        assert found[key] / n == pytest.approx(probability, abs=0.02)
    assert sum(found[key] for key in expected) / n > 0.98


def test_the_objective_is_the_log_joint_probability():
    rng = np.random.default_rng(1)
    for _ in range(5):
        Z = rng.integers(0, 2, (3, 2))
        sample = Features(Z, 0.7, 0.5, 1.3)
        expected = IndianBuffetProcess(0.7).log_probability(Z) + log_rows(X, Z.astype(float), 0.5, 1.3)
        assert log_joint(sample, Rows(X, 1.0, 0.0, 0.0, 0.0)) == pytest.approx(expected)


def test_every_feature_is_used_and_many_rows_get_enough_columns(monkeypatch):
    monkeypatch.setattr("driftline.nonparametric.features.feature_gibbs.ROOM", 1)
    rng = np.random.default_rng(2)
    values = rng.normal(0, 3, (60, 40))
    problem = Rows(values, float((values**2).mean()), 30.0, 0.1, 9.0)
    sample = begin(problem, rng)
    for _ in range(3):
        sample = draw_features(sample, problem, rng)
        assert sample.Z.any(axis=0).all()
        assert np.isin(sample.Z, (0, 1)).all()
    assert sample.Z.shape[1] > 20
    M, mu = effects_given(sample, problem)
    assert M.shape == (sample.Z.shape[1],) * 2
    assert mu.shape == (sample.Z.shape[1], 40)


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Features, variances and α given rows, and rows given features and variances, must leave the prior unchanged."""
    rng, n, d, n_rounds = np.random.default_rng(3), 4, 2, 30_000

    def rows_given(sample):
        A = np.sqrt(sample.effect) * rng.standard_normal((sample.Z.shape[1], d))
        return sample.Z @ A + np.sqrt(sample.noise) * rng.standard_normal((n, d))

    def described(sample):
        Z = sample.Z
        logs = np.log([sample.noise, sample.effect])
        return [Z.shape[1], Z.sum(), (Z.sum(axis=0) ** 2).sum(), min(sample.mass, 5.0), *logs]

    def from_prior():
        mass = rng.gamma(1.0)
        Z = IndianBuffetProcess(max(mass, 1e-9)).sample(n, random_state=rng)
        return Features(Z, mass, *((SHAPE - 1) / rng.gamma(SHAPE, size=2)))

    prior = np.array([described(from_prior()) for _ in range(n_rounds)])
    sample, chain = from_prior(), []
    for _ in range(n_rounds):
        problem = Rows(rows_given(sample), 1.0, 0.0, 0.0, 0.0)
        sample, _ = FEATURE_GIBBS.step(sample, problem, rng)
        chain.append(described(sample))
    chain = np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)  # batch means: the chain is correlated
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
