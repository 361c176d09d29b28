"""Kernels of the particle filters: blocks continue each other, and backward simulation smooths."""

from __future__ import annotations

import itertools

import numpy as np
from tests.intensity.streams import small_model

from driftline.compute.cpu.particles import particle_filter, sample_smoothed
from driftline.intensity.tracking.exact import infer_exact

SCHEME = (False, 0.5)


def filtered(model, n_particles, cuts, seed=0):
    n, n_topics, _ = model.shape
    rng, evidence = np.random.default_rng(seed), 0.0
    levels, weights = np.zeros((n_particles, n_topics), dtype=np.uint8), np.full(n_particles, 1 / n_particles)
    history, logs = np.zeros((n, n_particles, n_topics), dtype=np.uint8), np.zeros((n, n_particles))
    fixed = (model.text, model.gaps, model.rates, model.matrices(0, n), model.prior)
    for first, last in itertools.pairwise(cuts):
        evidence = particle_filter(*fixed, first, last, SCHEME, rng, evidence, levels, weights, history, logs)
    return evidence, history, logs


def test_blocks_continue_each_other():
    model = small_model(0, n=9, n_topics=2, n_levels=3)
    evidence, history, logs = filtered(model, 30, [0, 9])
    for cuts in ([0, 1, 9], [0, 4, 4, 7, 9]):
        found = filtered(model, 30, cuts)
        assert found[0] == evidence
        assert (found[1].tobytes(), found[2].tobytes()) == (history.tobytes(), logs.tobytes())


def test_backward_simulation_draws_from_the_smoothing_distribution():
    model = small_model(4, n=6, n_topics=2, n_levels=3)
    _, history, logs = filtered(model, 2000, [0, 6])
    paths = np.empty((6, 2000, 2), dtype=np.uint8)
    sample_smoothed(history, logs, model.matrices(0, 6), 2000, np.random.default_rng(1), paths)
    np.testing.assert_allclose(model.rates[paths].mean(axis=1), infer_exact(model).intensity, rtol=0.1)


def test_weights_are_recorded_after_each_document():
    _, _, logs = filtered(small_model(1, n=5), 20, [0, 5])
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0)
