"""IndianBuffet as an estimator."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.nonparametric import IndianBuffet
from driftline.nonparametric.features.feature_gibbs import Rows, begin, draw_features, log_joint
from driftline.nonparametric.features.shed_features import shed


def simulated(seed, n=120, n_features=4, n_columns=20, noise=0.5):
    rng = np.random.default_rng(seed)
    Z = (rng.random((n, n_features)) < 0.4).astype(int)
    A = rng.normal(0, 1.5, (n_features, n_columns))
    return Z @ A + noise * rng.standard_normal((n, n_columns)), Z, A


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_true_features_are_found(seed):
    X, Z, A = simulated(seed)
    model = IndianBuffet(burn_in=60, n_samples=30, random_state=seed).fit(X)
    assert model.features_.shape[1] == 4
    assert model.n_latent_features_.low <= 4 <= model.n_latent_features_.high
    matched = max(itertools.permutations(range(4)), key=lambda order: (model.features_[:, order] == Z).mean())
    assert (model.features_[:, matched] == Z).mean() > 0.99
    np.testing.assert_allclose(model.components_[list(matched)], A, atol=0.5)
    assert model.noise_ == pytest.approx(0.25, rel=0.2)
    new, new_Z, _ = simulated(seed)
    assert (np.round(model.transform(new))[:, matched] == new_Z).mean() > 0.98
    assert np.mean((model.inverse_transform(model.transform(new)) - new) ** 2) < 0.35


def test_transform_is_the_exact_posterior_of_a_row():
    X, _, _ = simulated(3, noise=1.5, n_columns=3)
    model = IndianBuffet(burn_in=30, n_samples=5, n_chains=1, random_state=0, transform_sweeps=4000).fit(X)
    K, uses, n = len(model.components_), model.features_.sum(axis=0), len(X) + 1
    row = np.array([[0.4, -1.0, 0.8]])
    weights, total = np.zeros(K), 0.0
    for z in itertools.product((0, 1), repeat=K):
        z = np.array(z)
        variance = model.noise_ * (1 + z @ model._covariance_ @ z)
        log = -0.5 * (((row[0] - z @ model.components_) ** 2).sum() / variance + 3 * np.log(variance))
        p = np.exp(log) * np.prod(np.where(z, uses / n, 1 - uses / n))
        weights += p * z
        total += p
    np.testing.assert_allclose(model.transform(row)[0], weights / total, atol=0.04)


def test_shedding_increases_the_joint_probability():
    X, _, _ = simulated(4, n_features=6)
    problem, rng = Rows(X, float((X**2).mean()), 0.0, 0.25, 2.0), np.random.default_rng(0)
    sample = begin(problem, rng)
    for _ in range(30):
        sample = draw_features(sample, problem, rng)
    for together in (1, 2):
        shorter = shed(sample, problem, rng, together)
        assert log_joint(shorter, problem) >= log_joint(sample, problem)
        sample = shorter


def test_given_parameters_are_kept_and_results_repeat():
    X, _, _ = simulated(5)
    settings = {"mass": 2.0, "noise": 0.3, "effect": 1.0, "burn_in": 11, "n_samples": 2, "random_state": 0}
    one, two = IndianBuffet(**settings, n_jobs=1).fit(X), IndianBuffet(**settings, n_jobs=2).fit(X)
    assert (one.mass_, one.noise_, one.effect_) == (2.0, 0.3, 1.0)
    np.testing.assert_array_equal(one.features_, two.features_)
    assert one.trace_.shape == (4, 13)
    assert one.get_feature_names_out()[0] == "indianbuffet0"
    without = IndianBuffet(**settings, shed=False).fit(X)
    assert without.features_.shape[1] >= 1


@pytest.mark.parametrize("X", [np.zeros((5, 3)), np.ones((1, 2)), np.ones((30, 2)), 1e6 * np.eye(4)])
def test_awkward_rows(X, tmp_path):
    model = IndianBuffet(burn_in=10, n_samples=3, n_chains=1, random_state=0).fit(X)
    assert np.isfinite(model.transform(X)).all()
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        IndianBuffet().fit([[1.0, np.nan]])
    model = IndianBuffet(burn_in=5, n_samples=1, n_chains=1, random_state=0).fit(np.eye(4) * 5)
    with pytest.raises(InvalidInput, match="one per feature"):
        model.inverse_transform(np.zeros((2, 99)))
    with pytest.raises(ValueError, match="burn_in"):
        IndianBuffet(burn_in=-1).fit([[1.0]])
