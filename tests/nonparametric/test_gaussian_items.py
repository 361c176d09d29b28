"""Clusters of rows: the variational bound, DP-means, and what the estimator finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score
from tests.oracles.partitions import all_partitions, log_normal_columns

from driftline.core.errors import InvalidInput
from driftline.inference.crp import log_partition
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.nonparametric import DirichletProcessMixture
from driftline.nonparametric.cluster_variational import truncated_variational
from driftline.nonparametric.gaussian_items import Rows


def simulated(n=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n)
    centres = np.array([[0, 0, 0], [6, 0, 100], [0, 6, -100], [-6, -6, 0]])
    return centres[labels] + rng.normal(size=(n, 3)) * [1, 1, 10], labels


@pytest.mark.parametrize("inference", ["gibbs", "auxiliary", "variational", "dp-means"])
def test_the_true_clusters_are_found(inference):
    X, labels = simulated()
    options = {"penalty": 5000.0} if inference == "dp-means" else {}
    model = DirichletProcessMixture(
        family="gaussian", inference=inference, burn_in=20, n_samples=10, random_state=0, **options
    ).fit(X if inference != "dp-means" else X * [10, 10, 1])
    assert adjusted_rand_score(labels, model.labels_) > 0.95
    assert model.n_clusters_.low <= model.n_clusters_.median <= model.n_clusters_.high
    if inference != "dp-means":
        for k in range(4):
            np.testing.assert_allclose(model.components_[k], X[model.labels_ == k].mean(axis=0), rtol=0.05, atol=0.3)
        assert adjusted_rand_score(model.labels_, model.predict(X)) > 0.95


def test_the_bound_never_decreases_and_lies_below_the_evidence():
    few = np.random.default_rng(0).normal(size=(5, 2))
    problem = Rows.of(few, np.zeros(2), np.array([0.4, 0.6]), 1.0)
    evidence = logsumexp(
        [
            log_partition(np.bincount(labels), 1.0)
            + sum(log_normal_columns(few[np.array(labels) == k], problem.rate) for k in set(labels))
            for labels in all_partitions(5)
        ]
    )
    done = run(truncated_variational(10), problem, stop=Stop(100), rng=0)
    trace = done.objective[0]
    assert (np.diff(trace) >= -1e-9).all()
    assert evidence - 8 < trace[-1] < evidence


def test_scores_integrate_to_one():
    X, _ = simulated(40)
    model = DirichletProcessMixture(family="gaussian", burn_in=5, n_samples=5, random_state=0).fit(X[:, :1])
    grid = np.linspace(-300, 300, 60_001)[:, None]
    assert np.exp(model.score_samples(grid)).sum() * 0.01 == pytest.approx(1.0, abs=0.02)


def test_large_offsets_and_constant_columns_do_no_harm():
    X, labels = simulated()
    X = np.column_stack([X + 1e7, np.full(len(X), 3.0)])
    model = DirichletProcessMixture(family="gaussian", burn_in=20, n_samples=5, random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) > 0.95


def test_a_discount_is_refused_where_it_would_be_ignored():
    with pytest.raises(InvalidInput, match="no discount"):
        DirichletProcessMixture(inference="variational", discount=0.5).fit(np.eye(3))
