"""The particle filter on the implicit model: near the exact posterior, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import stream_model

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.particle_smoother import infer_particle


@pytest.mark.parametrize("timed", [False, True])
def test_near_the_exact_posterior(timed):
    model, _, _ = stream_model(0, n=60, n_topics=2, n_levels=3, informative=1.5)
    model = model._replace(timed=timed)
    exact = infer_exact(model)
    found = infer_particle(model, np.random.default_rng(0), n_particles=2000, n_paths=800)
    assert np.abs(found.topic_proba - exact.topic_proba).mean() < 0.02
    assert found.log_evidence == pytest.approx(exact.log_evidence, abs=0.3)
    np.testing.assert_allclose(found.intensity, exact.intensity, rtol=0.3)


def test_the_same_seed_gives_the_same_answer():
    model, _, _ = stream_model(1, n=50)
    one, two = (infer_particle(model, np.random.default_rng(7), n_particles=100, n_paths=10) for _ in range(2))
    assert one.topic_proba.tobytes() == two.topic_proba.tobytes()


def test_a_long_silence_is_survived():
    model, _, _ = stream_model(2, n=50)
    model.gaps[20] = 1e5
    found = infer_particle(model, np.random.default_rng(0), n_particles=200, n_paths=20)
    assert np.isfinite(found.topic_proba).all()
