from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.partitions import log_words, numbered, partition_posterior

from driftline.inference.crp import draw_partition
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.cluster_gibbs import (
    COLLAPSED_GIBBS,
    begin,
    draw_clusters,
    item_scores,
    log_joint,
    recounted,
)
from driftline.nonparametric.multinomial_items import Documents

X = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3], [1, 1, 1]], dtype=np.float64)


def problem_of(X, beta=0.4, concentration=0.8):
    return Documents.of(sp.csr_matrix(X), beta, concentration)


def test_samples_follow_the_exact_posterior():
    partitions, expected, _ = partition_posterior(X, 0.8, 0.4)
    n = 30_000
    done = run(
        COLLAPSED_GIBBS,
        problem_of(X),
        stop=Stop(n + 50),
        keep=Keep(50, fold=lambda kept, sample: (kept or Counter()) + Counter([numbered(sample.labels)])),
        rng=0,
    )
    found = np.array([done.result[0][labels] for labels in partitions]) / n
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected, atol=0.012)


def test_the_objective_is_the_log_joint_probability():
    partitions, _, logs = partition_posterior(X, 0.8, 0.4)
    found = np.array(
        [log_joint(recounted(np.array(labels), 0.8, problem_of(X), 0.4), problem_of(X)) for labels in partitions]
    )
    np.testing.assert_allclose(found, logs)


def test_counts_always_belong_to_the_labels():
    rng = np.random.default_rng(0)
    problem = problem_of(rng.poisson(0.5, (80, 30)), beta=0.05, concentration=5.0)
    sample = begin(problem, rng)
    for _ in range(5):
        sample = draw_clusters(sample, problem, rng)
        again = recounted(sample.labels, 0.0, problem, 0.05)
        for name in ("counts", "totals", "sizes"):
            held, counted = getattr(sample, name), getattr(again, name)
            n = min(len(held), len(counted))
            np.testing.assert_array_equal(held[:n], counted[:n])
            assert not held[n:].any()


def test_there_is_always_a_free_row_for_one_more_cluster(monkeypatch):
    monkeypatch.setattr("driftline.nonparametric.cluster_gibbs.ROOM", 1)
    monkeypatch.setattr("driftline.nonparametric.cluster_items.ROOM", 1)
    problem = problem_of(np.eye(20) * 5, beta=0.001, concentration=100.0)
    done = run(COLLAPSED_GIBBS, problem, stop=Stop(3), rng=0)
    assert (done.result[0].sizes > 0).sum() == 20, "every document its own cluster"


def test_fractional_counts_leave_no_residue():
    problem = problem_of(np.random.default_rng(0).random((6, 4)))
    done = run(COLLAPSED_GIBBS, problem, stop=Stop(200), rng=0)
    sample = done.result[0]
    assert (sample.counts[sample.sizes == 0] == 0).all()
    np.testing.assert_allclose(sample.counts.sum(axis=0), np.bincount(problem.words, weights=problem.said))


def test_scores_are_predictive_probabilities():
    sample = recounted(np.array([0, 0, 1, 1, 0]), 0.8, problem_of(X), 0.4).used()
    new = np.array([[1.0, 0, 2], [0, 0, 0]])
    scores = item_scores(problem_of(new), sample)
    assert scores.shape == (2, 3)
    for d, row in enumerate(new):
        for k in range(2):
            held = X[np.array([0, 0, 1, 1, 0]) == k]
            expected = np.log(len(held) / 5.8) + log_words([*held, row], 0.4) - log_words(held, 0.4)
            assert scores[d, k] == pytest.approx(expected)
        assert scores[d, 2] == pytest.approx(np.log(0.8 / 5.8) + log_words([row], 0.4))


def test_used_clusters_are_sorted_by_size():
    sample = recounted(np.array([3, 1, 1, 3, 3]), 0.8, problem_of(X), 0.4).used()
    assert sample.sizes.tolist() == [3, 2]
    assert sample.labels.tolist() == [0, 1, 1, 0, 0]
    np.testing.assert_array_equal(sample.counts[1], X[1] + X[2])


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Drawing clusters and α given documents, and documents given clusters, must leave the prior unchanged."""
    rng, beta, n, n_words, length, n_rounds = np.random.default_rng(1), 0.5, 8, 4, 5, 40_000

    def documents_given(labels):
        shares = rng.dirichlet(np.full(n_words, beta), labels.max() + 1)
        return np.array([rng.multinomial(length, shares[label]) for label in labels], dtype=np.float64)

    def described(sample, X):
        n_clusters = (sample.sizes > 0).sum()
        return [n_clusters, sample.sizes.max(), sample.concentration, (X.sum(axis=0) ** 2).sum(), (X**2).sum()]

    prior = []
    for _ in range(n_rounds):
        alpha = rng.gamma(1.0)
        labels = draw_partition(n, max(alpha, 1e-12), rng)
        prior.append(
            described(recounted(labels, alpha, problem_of(np.zeros((n, n_words))), beta), documents_given(labels))
        )
    chain = []
    sample = begin(problem_of(documents_given(np.zeros(n, dtype=int)), beta, 0.0), rng)
    for _ in range(n_rounds):
        labels = np.array(numbered(sample.labels))
        X = documents_given(labels)
        problem = problem_of(X, beta, 0.0)
        sample, _ = COLLAPSED_GIBBS.step(recounted(labels, sample.concentration, problem, beta), problem, rng)
        chain.append(described(sample, X))
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)  # batch means: the chain is correlated
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
