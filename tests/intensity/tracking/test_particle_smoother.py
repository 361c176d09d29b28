"""The particle filter on the implicit model: near the exact posterior, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import small_model, stream_model

from driftline.inference.particles import Resampling, filtered
from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.particle_smoother import Stream, infer_particle, level_filter


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


@pytest.mark.parametrize("scheme", ["systematic", "stratified"])
def test_the_evidence_is_unbiased(scheme):
    model = small_model(3, n=6, n_topics=2, n_levels=3)
    exact, stream = infer_exact(model).log_evidence, Stream.of(model)
    method = level_filter(10, Resampling(scheme))
    rngs = np.random.default_rng(0).spawn(2000)
    ratios = np.exp([filtered(method, stream, rng).log_evidence - exact for rng in rngs])
    assert ratios.std() > 0.05
    assert abs(ratios.mean() - 1) < 4 * ratios.std() / np.sqrt(len(ratios))
