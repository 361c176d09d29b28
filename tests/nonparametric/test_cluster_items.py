"""Every sampler and every kind of item, against the posterior over all partitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.partitions import (
    log_normal_columns,
    log_partition_with_discount,
    log_words,
    numbered,
    posterior_of,
)

from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.cluster_auxiliary import auxiliary_gibbs
from driftline.nonparametric.cluster_gibbs import COLLAPSED_GIBBS, item_scores, log_joint, recounted
from driftline.nonparametric.gaussian_items import Rows
from driftline.nonparametric.multinomial_items import Documents

COUNTS = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3]], dtype=np.float64)
ROWS = np.array([[0.1, 1.0], [0.3, 0.8], [-1.0, 0.9], [2.0, -1.5]])
RATE = np.array([0.2, 0.3])
ALPHA = 0.8


def items_of(kind, discount):
    if kind == "documents":
        return Documents.of(sp.csr_matrix(COUNTS), 0.4, ALPHA, discount), COUNTS, lambda X: log_words(X, 0.4)
    return Rows.of(ROWS, np.zeros(2), RATE, ALPHA, discount), ROWS, lambda X: log_normal_columns(X, RATE)


@pytest.mark.parametrize(
    ("method", "kind", "discount"),
    [
        ("collapsed", "documents", 0.4),
        ("collapsed", "rows", 0.0),
        ("collapsed", "rows", 0.4),
        ("auxiliary", "documents", 0.4),
        pytest.param("auxiliary", "rows", 0.0, marks=pytest.mark.slow),
    ],
)
def test_samples_follow_the_exact_posterior(kind, discount, method):
    problem, X, log_items = items_of(kind, discount)
    partitions, expected = posterior_of(X, lambda z: log_partition_with_discount(z, ALPHA, discount), log_items)
    sampler, n = (COLLAPSED_GIBBS, 12_000) if method == "collapsed" else (auxiliary_gibbs(2), 4_000)

    def fold(kept, sample):
        labels = sample.labels if method == "collapsed" else sample.clusters.labels
        return (kept or Counter()) + Counter([numbered(labels)])

    done = run(sampler, problem, stop=Stop(n + 50), keep=Keep(50, fold=fold), rng=0)
    found = np.array([done.result[0][labels] for labels in partitions]) / n
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected, atol=0.02 if method == "collapsed" else 0.045)


@pytest.mark.parametrize("kind", ["documents", "rows"])
def test_joint_and_predictive_probabilities_agree_with_value_after_value(kind):
    problem, X, log_items = items_of(kind, 0.3)
    labels = np.array([0, 0, 1, 1])
    sample = recounted(labels, ALPHA, problem, 0.4)
    seated = log_partition_with_discount(labels, ALPHA, 0.3)
    alone = sum(log_items(X[labels == k]) for k in range(2))
    assert log_joint(sample, problem) == pytest.approx(seated + alone)
    scores = item_scores(problem, sample.used())
    for d in range(4):
        for k in range(3):
            held = X[labels == k] if k < 2 else X[:0]
            seat = np.log((len(held) - 0.3 if k < 2 else ALPHA + 0.6) / (4 + ALPHA))
            expected = seat + log_items(np.vstack([held, X[d : d + 1]])) - (log_items(held) if len(held) else 0.0)
            assert scores[d, k] == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["documents", "rows"])
@pytest.mark.parametrize("method", ["collapsed", "auxiliary"])
def test_geweke_the_joint_distribution_is_invariant(kind, method):
    """Drawing clusters, α and β given items, and items given clusters and β, must leave the prior unchanged."""
    from driftline.inference.crp import draw_partition

    rng, n, width, n_rounds = np.random.default_rng(5), 6, 3, 20_000
    sampler = COLLAPSED_GIBBS if method == "collapsed" else auxiliary_gibbs(2)

    def items_given(labels, beta):
        n_clusters = labels.max() + 1
        if kind == "documents":
            logs = (
                np.log(rng.gamma(beta + 1, size=(n_clusters, width))) + np.log(rng.random((n_clusters, width))) / beta
            )
            shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
            X = np.array([rng.multinomial(4, shares[label] / shares[label].sum()) for label in labels], dtype=float)
            return Documents.of(sp.csr_matrix(X), 0.0, 0.0, 0.2), (X**2).sum()
        precision = rng.gamma(1.0, size=(n_clusters, width)) / 0.5
        mean = rng.standard_normal((n_clusters, width)) / np.sqrt(0.01 * precision)
        X = mean[labels] + rng.standard_normal((n, width)) / np.sqrt(precision[labels])
        return Rows.of(X, np.zeros(width), np.full(width, 0.5), 0.0, 0.2), np.log(np.abs(X)).sum()

    def described(labels, alpha, beta, size):
        return [labels.max() + 1, np.bincount(labels).max(), alpha, min(beta, 20.0), size]

    prior, chain = [], []
    for _ in range(n_rounds):
        alpha, beta = max(rng.gamma(1.0), 1e-6), max(rng.gamma(1.0), 1e-6)
        labels = draw_partition(n, alpha, rng, discount=0.2)
        prior.append(described(labels, alpha, beta if kind == "documents" else 0.0, items_given(labels, beta)[1]))
    labels, alpha, beta = np.zeros(n, dtype=int), 1.0, 1.0
    for _ in range(n_rounds):
        problem, size = items_given(labels, beta)
        state = recounted(labels, alpha, problem, beta if kind == "documents" else 0.0)
        if method == "auxiliary":
            from driftline.nonparametric.cluster_auxiliary import WithParameters

            used = state.used()
            state = WithParameters(used, problem.draw_parameters(used, rng))
        state, _ = sampler.step(state, problem, rng)
        clusters = state if method == "collapsed" else state.clusters
        labels = np.array(numbered(clusters.labels))
        alpha, beta = clusters.concentration, clusters.beta or 1.0
        chain.append(described(labels, alpha, clusters.beta, size))
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / np.where(error > 0, error, 1.0)
    assert np.abs(z).max() < 4, z
