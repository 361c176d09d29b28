"""The sampler of documents with times: against the posterior over all partitions, the plain mixture, and Geweke."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.nonparametric.temporal.geweke import joint_is_unchanged
from tests.oracles.drifting_words import timed_posterior
from tests.oracles.partitions import numbered

from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.cluster_gibbs import (
    COLLAPSED_GIBBS,
    begin,
    draw_alpha,
    draw_beta,
    draw_clusters,
    recounted,
)
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.priors import RecurrentChineseRestaurant
from driftline.nonparametric.temporal.timed_documents import TIMED_GIBBS, TimedDocuments, log_joint

X = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3], [1, 1, 1]], dtype=np.float64)
TIMES = np.array([0.0, 0.3, 0.3, 1.1, 2.9])
PLAIN = replace(COLLAPSED_GIBBS, begin=begin, draws=(draw_clusters, draw_alpha, draw_beta))
"""The plain mixture, from the start of the temporal ones."""


def problem_of(X, times=TIMES, timescale=0.7, beta=0.4, concentration=0.8):
    return TimedDocuments.of(sp.csr_matrix(X), np.asarray(times), timescale, beta, concentration)


def test_samples_follow_the_exact_posterior():
    partitions, expected, _ = timed_posterior(X, TIMES, 0.8, 0.4, 0.7)
    n = 15_000
    keep = Keep(50, fold=lambda kept, sample: (kept or Counter()) + Counter([numbered(sample.labels)]))
    done = run(TIMED_GIBBS, problem_of(X), stop=Stop(n + 50), keep=keep, rng=0)
    found = np.array([done.result[0][labels] for labels in partitions]) / n
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected, atol=0.016)


def test_the_objective_is_the_log_joint_probability():
    partitions, _, logs = timed_posterior(X, TIMES, 0.8, 0.4, 0.7)
    problem = problem_of(X)
    found = [log_joint(recounted(np.array(labels), 0.8, problem, 0.4), problem) for labels in partitions]
    constant = np.asarray(found) - logs  # the order of words within documents is not counted
    np.testing.assert_allclose(constant, constant[0], atol=1e-9)


def test_without_decay_every_draw_is_that_of_the_plain_mixture():
    X = np.random.default_rng(0).poisson(0.4, (60, 20)).astype(float)
    plain = run(PLAIN, Documents.of(sp.csr_matrix(X), 0.2, 1.5), stop=Stop(6), rng=3).result[0]
    timed = run(TIMED_GIBBS, problem_of(X, np.arange(60.0), np.inf, 0.2, 1.5), stop=Stop(6), rng=3).result[0]
    np.testing.assert_array_equal(timed.labels, plain.labels)
    np.testing.assert_array_equal(timed.counts, plain.counts)


def test_a_long_silence_is_not_an_error():
    times = np.array([0.0, 0.1, 5000.0, 5000.1, 1e12])
    done = run(TIMED_GIBBS, problem_of(X, times), stop=Stop(20), rng=0).result[0]
    assert np.isfinite(log_joint(done, problem_of(X, times)))
    assert done.labels[0] != done.labels[2]


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    times, timescale = np.array([0.0, 0.2, 0.2, 1.0, 1.5, 3.0, 3.1, 6.0]), 1.2

    def prior(alpha, rng):
        return RecurrentChineseRestaurant(alpha, timescale).sample(times, rng)

    def step(X, labels, alpha, rng):
        problem = problem_of(X, times, timescale, 0.5, 0.0)
        return TIMED_GIBBS.step(recounted(labels, alpha, problem, 0.5), problem, rng)[0]

    joint_is_unchanged(times, prior, step, word_timescale=np.inf)
