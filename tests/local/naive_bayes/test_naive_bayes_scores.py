"""The sweep of naive Bayes against every sum written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.local.drifting import labelled_stream
from tests.oracles.local_naive_bayes import joint_log_probability

from driftline.local.naive_bayes import naive_bayes_scores as scores
from driftline.smoothing.kernels import Kernel

STRENGTHS = np.array([0.0, 3.0, 50.0])


def documents_of(n=30, n_classes=3):
    X, y, times = labelled_stream(n=n, n_classes=n_classes, n_words=6)
    return scores.Labelled(X, y, times, scores.Sums.zeros(6, n_classes), times[0])


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("h", [1.5, math.inf])
def test_exact_scores(side, h):
    documents, kernel = documents_of(), Kernel("triangular", side)
    when = np.array([-30.0, 0.05, 2.0, 5.0, 5.0, 9.9, 10.4, 40.0])
    X = documents.X[:8]
    found = scores.joint_log_probabilities(documents, kernel, h, 0, STRENGTHS, X, when)
    for i, t in enumerate(when):
        for s, mu in enumerate(STRENGTHS):
            expected = joint_log_probability(
                documents.X.toarray(), documents.labels, documents.times, 3, kernel, h, mu, X[i].toarray()[0], t
            )
            np.testing.assert_allclose(found[i, s], expected, rtol=1e-10)


@pytest.mark.parametrize("kernel", ["triangular", "tricube"])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("h", [1.5, math.inf])
def test_every_document_from_the_others(kernel, side, h):
    documents, kernel = documents_of(), Kernel(kernel, side)
    found = scores.joint_log_probabilities(
        documents, kernel, h, 0, STRENGTHS, documents.X, documents.times, leave_out=True
    )
    rows = documents.X.toarray()
    for i in range(0, 30, 4):
        for s, mu in enumerate(STRENGTHS):
            expected = joint_log_probability(
                rows, documents.labels, documents.times, 3, kernel, h, mu, rows[i], documents.times[i], without=i
            )
            np.testing.assert_allclose(found[i, s], expected, rtol=1e-9)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("leave_out", [False, True])
def test_the_grid_is_close(side, leave_out):
    documents, kernel = documents_of(n=200), Kernel("triangular", side)
    shared = (documents, kernel, 2.0)
    rest = (STRENGTHS[1:], documents.X, documents.times)
    exact = scores.joint_log_probabilities(*shared, 0, *rest, leave_out=leave_out)
    coarse = scores.joint_log_probabilities(*shared, 4, *rest, leave_out=leave_out)
    fine = scores.joint_log_probabilities(*shared, 32, *rest, leave_out=leave_out)
    assert np.abs(fine - exact).mean() < np.abs(coarse - exact).mean() / 2
    assert np.abs(fine - exact).mean() < 0.05


def test_the_order_of_the_questions_does_not_matter():
    documents = documents_of(n=60)
    when = np.random.default_rng(0).uniform(-1, 11, 60)
    order = np.random.default_rng(1).permutation(60)
    for side in ("both", "past"):
        shared = (documents, Kernel("triangular", side), 1.5, 8, STRENGTHS)
        straight = scores.joint_log_probabilities(*shared, documents.X, when)
        mixed = scores.joint_log_probabilities(*shared, documents.X[order], when[order])
        np.testing.assert_allclose(mixed, straight[order], rtol=1e-12)


def test_sums_at_one_time():
    documents, kernel = documents_of(), Kernel("triangular")
    local, totals = scores.sums_at(documents, kernel, 2.0, 5.0)
    weights = np.maximum(1 - np.abs(5 - documents.times) / 2, 0)
    indicator = np.eye(3)[documents.labels]
    np.testing.assert_allclose(local.counts, documents.X.T @ (indicator * weights[:, None]))
    np.testing.assert_allclose(local.documents, weights @ indicator)
    np.testing.assert_allclose(totals.counts, documents.X.T @ indicator)
    far, _ = scores.sums_at(documents, kernel, 2.0, 500.0)
    latest, _ = scores.sums_at(documents, kernel, 2.0, float(documents.times[-1]))
    np.testing.assert_array_equal(far.counts, latest.counts)


def test_what_was_forgotten_still_counts_in_the_background():
    whole = documents_of()
    forgotten = scores.Sums.zeros(6, 3)
    whole.add(forgotten, 0, np.ones(12))
    part = scores.Labelled(whole.X[12:], whole.labels[12:], whole.times[12:], forgotten, whole.anchor, whole.times[12])
    late = np.full(3, whole.times[-1] + 0.2)
    shared = (Kernel("triangular", "past"), 1.0, 8, STRENGTHS, whole.X[:3], late)
    np.testing.assert_allclose(
        scores.joint_log_probabilities(part, *shared), scores.joint_log_probabilities(whole, *shared)
    )
    assert not part.supported(Kernel("triangular", "past"), 1.0, np.array([whole.times[5]]))[0]
