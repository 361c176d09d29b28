"""Gibbs sampling: near the exact posterior, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import stream_model

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.level_gibbs import infer_gibbs


@pytest.mark.parametrize("timed", [False, True])
def test_the_mean_of_many_draws_is_the_posterior(timed):
    model, _, _ = stream_model(0, n=40, n_topics=2, n_levels=3, informative=1.5)
    model = model._replace(timed=timed)
    exact = infer_exact(model, count=True)
    found = infer_gibbs(model, np.random.default_rng(0), n_samples=4000, n_discarded=200, count=True)
    np.testing.assert_allclose(found.topic_proba, exact.topic_proba, atol=0.04)
    np.testing.assert_allclose(found.intensity, exact.intensity, rtol=0.15)
    for mine, theirs in zip(found.statistics, exact.statistics):
        np.testing.assert_allclose(mine, theirs, rtol=0.1, atol=0.6)


def test_the_same_seed_gives_the_same_answer():
    model, _, _ = stream_model(1, n=50)
    one, two = (infer_gibbs(model, np.random.default_rng(7), n_samples=20) for _ in range(2))
    assert one.topic_proba.tobytes() == two.topic_proba.tobytes()
    assert one.intensity.tobytes() == two.intensity.tobytes()


def test_known_topics_stay_known():
    model, topics, _ = stream_model(2, n=50)
    found = infer_gibbs(model._replace(text=np.eye(3)[topics]), np.random.default_rng(0), n_samples=10)
    np.testing.assert_allclose(found.topic_proba, np.eye(3)[topics])
