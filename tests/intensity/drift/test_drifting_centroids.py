"""Drifting topics: the mixture against enumeration, the variational version against truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.drifting import posterior_by_enumeration
from tests.oracles.intensity import level_matrix

from driftline.intensity.drift.drifting_centroids import DriftingTopics, infer_mixture, infer_structured_drift
from driftline.intensity.tracking.implicit_model import IntensityModel


def problem(seed, n=6, n_topics=2, apart=2.0, drift=0.1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_topics, n)
    centres = apart * rng.normal(0, 1, (n_topics, 2))
    points = centres[labels] + rng.normal(0, 1, (n, 2))
    gaps = rng.exponential(1, n)
    gaps[0] = 0.0
    topics = DriftingTopics(
        points, centres, np.full((n_topics, 2), 0.5), np.ones((n_topics, 2)), np.full(n, drift), np.full(n, -1)
    )
    rates = np.array([0.2, 0.6, 1.8])
    model = IntensityModel(np.empty((n, n_topics)), gaps, rates, 0.2, np.array([0.5, 0.3, 0.2]))
    return topics, model, labels


@pytest.mark.parametrize("n_topics", [2, 3])
def test_with_room_for_every_history_the_mixture_is_exact(n_topics):
    topics, model, _ = problem(0, n=6, n_topics=n_topics, apart=0.7)
    evidence, proba, centroid, rate = posterior_by_enumeration(
        topics.points,
        model.gaps,
        topics.drifts,
        model.rates,
        level_matrix(0.2, 3),
        model.prior,
        topics.centres,
        topics.spreads,
        topics.noise,
    )
    found = infer_mixture(topics, model, keep=3**6, most=3**6, lag=10)
    assert found.intensities.log_evidence == pytest.approx(evidence, rel=1e-6)
    np.testing.assert_allclose(found.intensities.topic_proba, proba, atol=1e-6)
    np.testing.assert_allclose(found.centroids[-1], centroid, atol=1e-5)
    np.testing.assert_allclose(found.intensities.intensity[-1], rate, rtol=1e-5)


def test_four_histories_are_nearly_enough_where_topics_are_apart():
    topics, model, _ = problem(1, n=9, apart=5.0)
    exact = infer_mixture(topics, model, keep=10**4, most=600, lag=20).intensities.topic_proba
    few = infer_mixture(topics, model, keep=4, lag=20).intensities.topic_proba
    assert np.abs(few - exact).mean() < 0.05


def test_known_labels_are_obeyed():
    topics, model, labels = problem(2, n=30, apart=0.5)
    reported = topics._replace(known=np.where(np.arange(30) % 2 == 0, labels, -1))
    for found in (
        infer_mixture(reported, model).intensities,
        infer_structured_drift(reported, model, np.full((30, 2), 0.5)).intensities,
    ):
        np.testing.assert_allclose(found.topic_proba[::2], np.eye(2)[labels[::2]], atol=1e-9)


def test_the_variational_version_finds_separate_topics_and_their_paths():
    rng = np.random.default_rng(3)
    n = 400
    labels = rng.integers(0, 3, n)
    path = np.cumsum(rng.normal(0, 0.1, (n, 3, 2)), axis=0) + 6 * np.eye(3)[:, :2]
    points = path[np.arange(n), labels] + rng.normal(0, 0.5, (n, 2))
    topics, model, _ = problem(3, n=n, n_topics=3)
    topics = topics._replace(
        points=points,
        centres=path[0],
        noise=np.full((3, 2), 0.25),
        spreads=np.full((3, 2), 0.5),
        drifts=np.full(n, 0.04),
    )
    rough = infer_mixture(topics, model, keep=1, most=16).intensities.topic_proba
    found = infer_structured_drift(topics, model, rough)
    assert found.intensities.converged
    assert (found.intensities.topic_proba.argmax(axis=1) == labels).mean() > 0.95
    filtered = infer_mixture(topics, model).centroids
    assert np.abs(found.centroids - path).mean() < np.abs(filtered - path).mean()
    inside = np.abs(found.centroids - path) < 2 * np.sqrt(found.variances)
    assert inside.mean() > 0.85
