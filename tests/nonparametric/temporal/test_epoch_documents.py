"""The sampler of documents in epochs: against the posterior over all partitions, the plain mixture, and Geweke."""

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
from driftline.nonparametric.cluster_gibbs import COLLAPSED_GIBBS, begin, draw_alpha, draw_beta
from driftline.nonparametric.cluster_gibbs import draw_clusters as draw_plain_clusters
from driftline.nonparametric.cluster_gibbs import recounted as plain_recounted
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.priors import RecurrentChineseRestaurant
from driftline.nonparametric.temporal.epoch_documents import (
    EPOCH_GIBBS,
    EpochDocuments,
    Fading,
    draw_clusters,
    log_joint,
    recounted,
)
from driftline.nonparametric.temporal.timed_documents import TIMED_GIBBS, TimedDocuments

X = np.array([[3, 1, 0], [2, 0, 0], [0, 0, 2], [0, 1, 3], [1, 1, 1]], dtype=np.float64)
EPOCHS = np.array([0.0, 0.0, 1.0, 3.0, 4.0])
PLAIN = replace(COLLAPSED_GIBBS, begin=begin, draws=(draw_plain_clusters, draw_alpha, draw_beta))
"""The plain mixture, from the start of the temporal ones."""
FADINGS = {
    "no window, no drift": Fading(0.9, np.inf, np.inf),
    "window": Fading(0.9, 2.0, np.inf),
    "drift": Fading(1.5, np.inf, 0.8),
    "window and drift": Fading(1.5, 1.0, 2.0),
}


def problem_of(X, fading, epochs=EPOCHS, beta=0.4, concentration=0.8):
    return EpochDocuments.of(sp.csr_matrix(X), np.asarray(epochs), fading, beta, concentration)


@pytest.mark.parametrize("fading", FADINGS.values(), ids=FADINGS)
def test_samples_follow_the_exact_posterior(fading):
    partitions, expected, _ = timed_posterior(X, EPOCHS, 0.8, 0.4, *fading)
    n = 8_000
    keep = Keep(50, fold=lambda kept, sample: (kept or Counter()) + Counter([numbered(sample.labels)]))
    done = run(EPOCH_GIBBS, problem_of(X, fading), stop=Stop(n + 50), keep=keep, rng=0)
    found = np.array([done.result[0][labels] for labels in partitions]) / n
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected, atol=0.022)


@pytest.mark.parametrize("fading", FADINGS.values(), ids=FADINGS)
def test_the_objective_is_the_log_joint_probability(fading):
    partitions, _, logs = timed_posterior(X, EPOCHS, 0.8, 0.4, *fading)
    problem = problem_of(X, fading)
    found = np.array([log_joint(recounted(np.array(labels), 0.8, problem, 0.4), problem) for labels in partitions])
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(logs))
    np.testing.assert_allclose(found[np.isfinite(found)], logs[np.isfinite(logs)], atol=1e-9)


def test_with_one_epoch_every_draw_is_that_of_the_plain_mixture():
    X = np.random.default_rng(0).poisson(0.4, (60, 20)).astype(float)
    plain = run(PLAIN, Documents.of(sp.csr_matrix(X), 0.2, 1.5), stop=Stop(6), rng=3).result[0]
    problem = problem_of(X, Fading(1.0, np.inf, np.inf), np.zeros(60), 0.2, 1.5)
    epochs = run(EPOCH_GIBBS, problem, stop=Stop(6), rng=3).result[0]
    np.testing.assert_array_equal(epochs.labels, plain.labels)


def test_with_an_epoch_per_time_every_draw_is_that_of_documents_with_times():
    rng = np.random.default_rng(0)
    X, times = rng.poisson(0.4, (60, 20)).astype(float), np.sort(rng.integers(0, 25, 60)).astype(float)
    timed = TimedDocuments.of(sp.csr_matrix(X), times, 3.0, 0.2, 1.5)
    problem = problem_of(X, Fading(3.0, np.inf, np.inf), times, 0.2, 1.5)
    first, second = (
        run(*each, stop=Stop(6), rng=3).result[0] for each in ((TIMED_GIBBS, timed), (EPOCH_GIBBS, problem))
    )
    np.testing.assert_array_equal(first.labels, second.labels)


@pytest.mark.parametrize("fading", [FADINGS["window"], FADINGS["drift"]], ids=["window", "drift"])
def test_counts_always_belong_to_the_labels(fading):
    rng = np.random.default_rng(0)
    problem = problem_of(rng.poisson(0.5, (80, 12)), fading, np.sort(rng.integers(0, 9, 80)), 0.05, 5.0)
    sample = EPOCH_GIBBS.init(problem, rng)
    for _ in range(5):
        sample = draw_clusters(sample, problem, rng)
        again = recounted(sample.labels, 5.0, problem, 0.05)
        n = min(len(sample.sizes), len(again.sizes))
        for name in ("sizes", "counts", "totals"):
            held, counted = getattr(sample, name), getattr(again, name)
            np.testing.assert_array_equal(held[:n], counted[:n])
            assert not held[n:].any()
        assert np.isfinite(log_joint(sample, problem)), "no cluster has ended in between"


def test_fractions_leave_no_residue():
    X = np.random.default_rng(0).random((8, 4))
    problem = problem_of(X, FADINGS["drift"], np.arange(8.0) // 2)
    sample = run(EPOCH_GIBBS, problem, stop=Stop(200), rng=0).result[0]
    assert not sample.counts[sample.sizes == 0].any()
    np.testing.assert_allclose(sample.counts.sum(axis=(0, 1)), X.sum(axis=0))


def test_a_learned_beta_has_the_density_of_the_plain_mixture_without_drift():
    labels = np.array([0, 0, 1, 1, 0])
    problem = problem_of(X, FADINGS["no window, no drift"])
    plain = Documents.of(sp.csr_matrix(X), 0.4, 0.8)
    found = [
        log_joint(recounted(labels, 0.8, problem, beta), problem)
        - plain.log_items(plain_recounted(labels, 0.8, plain, beta))
        for beta in (0.1, 0.7)
    ]
    assert found[0] == pytest.approx(found[1])


@pytest.mark.slow
@pytest.mark.parametrize("fading", [FADINGS["window"], FADINGS["window and drift"]], ids=["window", "drift"])
def test_geweke_the_joint_distribution_is_invariant(fading):
    epochs = np.array([0.0, 0, 1, 1, 2, 4, 4, 5])

    def prior(alpha, rng):
        return RecurrentChineseRestaurant(alpha, fading.timescale, fading.window).sample(epochs, rng)

    def step(X, labels, alpha, rng):
        problem = problem_of(X, fading, epochs, 0.5, 0.0)
        return EPOCH_GIBBS.step(recounted(labels, alpha, problem, 0.5), problem, rng)[0]

    joint_is_unchanged(epochs, prior, step, fading.word_timescale)
