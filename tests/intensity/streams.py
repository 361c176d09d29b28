"""Small streams for the tests of the inference methods."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.implicit_model import IntensityModel


def small_model(seed, n=4, n_topics=2, n_levels=2, timed=False, theta=None):
    """Return a random model that is small enough for enumeration."""
    rng = np.random.default_rng(seed)
    text = rng.dirichlet(np.ones(n_topics), n)
    gaps = rng.exponential(1.0, n)
    gaps[0] = 0.0
    if n > 2:
        gaps[2] = 0.0
    rates = np.sort(rng.uniform(0.05, 4, n_levels))
    theta = rng.uniform(0.05, 0.9) if theta is None else theta
    return IntensityModel(
        text / text.max(axis=1, keepdims=True), gaps, rates, theta, rng.dirichlet(np.ones(n_levels)), timed
    )


def stream_model(seed, n=300, n_topics=3, n_levels=4, informative=3.0, theta=0.1):
    """Return a stream drawn from the model itself, with its true topics and levels."""
    rng = np.random.default_rng(seed)
    rates = 0.2 * 2.5 ** np.arange(n_levels) / n_topics
    levels = np.empty((n, n_topics), dtype=int)
    level = rng.integers(0, n_levels, n_topics)
    topics, gaps = np.empty(n, dtype=int), np.zeros(n)
    for t in range(n):
        if t:
            moved = level + np.where(rng.random(n_topics) < theta, rng.choice([-1, 1], n_topics), 0)
            level = np.where((moved >= 0) & (moved < n_levels), moved, level)
        levels[t] = level
        race = rng.exponential(1 / rates[level])
        topics[t] = race.argmin()
        gaps[t] = race.min() if t else 0.0
    text = np.exp(rng.normal(0, 1, (n, n_topics)) + informative * (topics[:, None] == np.arange(n_topics)))
    text /= text.max(axis=1, keepdims=True)
    prior = np.full(n_levels, 1 / n_levels)
    return IntensityModel(text, gaps, rates, theta, prior), topics, levels


def assert_exact_for_known_topics(infer, seed, *, timed=False):
    """Given the labels the chains separate, and nothing is approximated: compare with exact inference."""
    model, topics, _ = stream_model(seed, n=200)
    model = model._replace(text=np.eye(3)[topics], timed=timed)
    exact, found = infer_exact(model, count=True), infer(model, count=True)
    np.testing.assert_allclose(found.topic_proba, exact.topic_proba, atol=1e-12)
    np.testing.assert_allclose(found.intensity, exact.intensity, rtol=1e-9)
    for name in ("lower", "middle", "upper"):
        np.testing.assert_array_equal(getattr(found, name), getattr(exact, name))
    assert found.log_evidence == pytest.approx(exact.log_evidence)
    for mine, theirs in zip(found.statistics, exact.statistics, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-7)
