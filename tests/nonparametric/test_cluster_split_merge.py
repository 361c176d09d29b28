from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score
from tests.oracles.partitions import all_partitions, numbered

from driftline.inference.crp import draw_partition
from driftline.nonparametric.cluster_gibbs import FIRST_ROUNDS, begin_merged, log_joint, recounted
from driftline.nonparametric.cluster_split_merge import merge_clusters, merger_gains, split_and_merge
from driftline.nonparametric.gaussian_items import Rows
from driftline.nonparametric.multinomial_items import Documents


def documents(discount=0.0, concentration=0.7, n=40, seed=0):
    """Return a problem of words: four kinds of documents."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(30, 0.1), 4)
    X = np.array([rng.multinomial(20, shares[i % 4]) for i in range(n)], dtype=np.float64)
    return Documents.of(sp.csr_matrix(X), 0.2, concentration, discount)


def rows(discount=0.0, concentration=0.7, n=40, seed=0):
    """Return a problem of numbers: four kinds of rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(0, 10, (4, 3))[np.arange(n) % 4] + rng.normal(0, 0.5, (n, 3))
    return Rows.of(X, X.mean(axis=0), np.full(3, 5.0), concentration, discount)


KINDS = pytest.mark.parametrize("problem_of", [documents, rows])


@KINDS
@pytest.mark.parametrize("discount", [0.0, 0.4])
def test_gains_are_differences_of_the_log_joint_probability(problem_of, discount):
    problem = problem_of(discount)
    labels = np.arange(40) % 7
    sample = recounted(labels, 0.7, problem, problem.first_beta)
    pairs = np.array([[0, 1], [2, 6], [3, 5], [0, 4]])
    found = merger_gains(sample, pairs, problem)
    for (i, j), gain in zip(pairs, found):
        merged = recounted(np.where(labels == j, i, labels), 0.7, problem, problem.first_beta)
        assert gain == pytest.approx(log_joint(merged, problem) - log_joint(sample, problem))


@KINDS
def test_needless_clusters_are_merged_and_true_ones_kept(problem_of):
    problem, rng = problem_of(n=200), np.random.default_rng(1)
    truth = np.arange(200) % 4
    labels = truth * 5 + rng.integers(0, 5, 200)
    sample = merge_clusters(recounted(labels, 0.7, problem, problem.first_beta), problem)
    assert (sample.sizes > 0).sum() == 4
    for k in range(4):
        assert len(np.unique(sample.labels[truth == k])) == 1
    again = recounted(sample.labels, 0.7, problem, problem.first_beta)
    n = min(len(sample.sizes), len(again.sizes))
    np.testing.assert_allclose(sample.counts[:n], again.counts[:n], atol=1e-9)
    np.testing.assert_array_equal(sample.sizes[:n], again.sizes[:n])


@KINDS
def test_one_cluster_has_no_pair(problem_of):
    problem = problem_of()
    sample = merge_clusters(recounted(np.zeros(40, dtype=np.int64), 0.7, problem, problem.first_beta), problem)
    assert (sample.sizes > 0).sum() == 1


@KINDS
@pytest.mark.parametrize("n", [1, 2])
def test_chains_of_one_or_two_items_begin(problem_of, n):
    problem = problem_of(n=n)
    sample = begin_merged(problem, np.random.default_rng(0))
    assert sample.sizes.sum() == n


def test_mergers_never_lower_the_joint_probability():
    rng = np.random.default_rng(0)
    for seed in range(FIRST_ROUNDS):
        problem = documents(discount=0.2 * seed, n=60, seed=seed)
        sample = recounted(draw_partition(60, 30.0, rng), 0.7, problem, problem.first_beta)
        before = log_joint(sample, problem)
        assert log_joint(merge_clusters(sample, problem), problem) >= before


@KINDS
@pytest.mark.parametrize("discount", [0.0, 0.4])
def test_proposals_alone_draw_from_the_posterior_over_all_partitions(problem_of, discount):
    problem, rng = problem_of(discount, n=5), np.random.default_rng(0)
    near = {"values": problem.values / 2} if problem_of is rows else {"beta": 5.0}
    problem = problem._replace(**near)  # so that partitions compete
    beta, partitions = problem.first_beta, all_partitions(5)
    logs = np.array([log_joint(recounted(np.array(p), 0.7, problem, beta), problem) for p in partitions])
    sample, found, n = recounted(np.zeros(5, np.int64), 0.7, problem, beta), Counter(), 4000
    for _ in range(n):
        sample = split_and_merge(sample, problem, rng)
        found[numbered(sample.labels)] += 1
    shares = np.array([found[p] for p in partitions]) / n
    expected = np.exp(logs - logsumexp(logs))
    assert (expected > 0.1).sum() > 1
    np.testing.assert_allclose(shares, expected, atol=0.03)
    again = recounted(sample.labels, 0.7, problem, beta)
    rows_used = np.flatnonzero(sample.sizes)
    np.testing.assert_allclose(sample.counts[rows_used], again.counts[rows_used], atol=1e-9)
    np.testing.assert_array_equal(sample.sizes[rows_used], again.sizes[rows_used])


@KINDS
def test_proposals_split_a_cluster_that_sweeps_keep(problem_of):
    problem, rng = problem_of(n=80), np.random.default_rng(2)
    sample = recounted(np.zeros(80, np.int64), 0.7, problem, problem.first_beta)
    for _ in range(40):
        sample = split_and_merge(sample, problem, rng)
    assert adjusted_rand_score(np.arange(80) % 4, sample.labels) > 0.8
