"""Particle filters: against a Kalman filter and forward-backward, whose evidence they estimate without bias."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.resampling import resample, reweigh
from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, smooth
from driftline.inference.particles import SCHEMES, WHEN_HALF_COUNT, ParticleFilter, Resampling, filtered

STAY, NOISE, BLUR = 0.9, 0.5, 0.7
CHAIN = MarkovChain(np.array([0.6, 0.3, 0.1]), np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]]))
LIKELIHOOD = np.random.default_rng(5).dirichlet(np.ones(3), 8)


def walk(move, log_likelihood):
    """Return a filter's `advance`, which does in Python what compiled loops do."""

    def advance(particles, problem, last, resampling, rng):
        evidence, (values,), weights = particles.log_evidence, particles.values, particles.weights
        chosen = np.empty(len(weights), dtype=np.int64)
        for t in range(particles.position, last):
            if t > 0 and resample(weights, *resampling.arguments(), rng, chosen):
                values[:] = values[chosen]
                particles.trace[1][t] = 1.0
            values[:] = move(values, t, rng)
            with np.errstate(divide="ignore"):
                evidence += reweigh(log_likelihood(values, problem[t]) + np.log(weights), weights)
            particles.trace[0][t] = weights @ values
        return evidence

    return advance


def begin(problem, n_particles):
    return (np.zeros(n_particles),), np.zeros((2, len(problem)))


def gaussian_filter(n_particles, **settings):
    def move(values, t, rng):
        drawn = rng.normal(size=len(values))
        return drawn if t == 0 else STAY * values + NOISE * drawn

    def log_likelihood(values, seen):
        return -0.5 * ((seen - values) / BLUR) ** 2 - np.log(BLUR * np.sqrt(2 * np.pi))

    return ParticleFilter(begin, walk(move, log_likelihood), len, n_particles, **settings)


def chain_filter(n_particles, **settings):
    def move(values, t, rng):
        rows = np.tile(CHAIN.initial, (len(values), 1)) if t == 0 else CHAIN.transition[values.astype(int)]
        return (rng.random(len(values))[:, None] > rows.cumsum(axis=1)).sum(axis=1).clip(max=2)

    return ParticleFilter(
        begin, walk(move, lambda values, row: np.log(row[values.astype(int)])), len, n_particles, **settings
    )


def kalman(seen):
    """Return the filtered means and the log-evidence of the Gaussian model."""
    mean, variance, evidence, means = 0.0, 1.0, 0.0, []
    for t, y in enumerate(seen):
        if t:
            mean, variance = STAY * mean, STAY**2 * variance + NOISE**2
        total = variance + BLUR**2
        evidence += -0.5 * (np.log(2 * np.pi * total) + (y - mean) ** 2 / total)
        mean, variance = mean + variance / total * (y - mean), variance * BLUR**2 / total
        means.append(mean)
    return np.array(means), evidence


@pytest.mark.parametrize("scheme", SCHEMES)
def test_near_the_kalman_filter(scheme):
    seen = np.random.default_rng(0).normal(size=40)
    means, evidence = kalman(seen)
    ended = filtered(gaussian_filter(20_000, resampling=Resampling(scheme)), seen, np.random.default_rng(1))
    np.testing.assert_allclose(ended.trace[0], means, atol=0.03)
    assert ended.log_evidence == pytest.approx(evidence, abs=0.15)
    assert ended.position == 40
    assert ended.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("resampling", [Resampling(), Resampling("stratified", 0.8), Resampling(below=0.0)])
def test_the_evidence_is_unbiased_on_a_hidden_markov_model(resampling):
    exact = smooth(CHAIN, np.log(LIKELIHOOD), len(LIKELIHOOD)).log_evidence
    method = chain_filter(8, resampling=resampling)
    rngs = np.random.default_rng(2).spawn(1500)
    ratios = np.exp([filtered(method, LIKELIHOOD, rng).log_evidence - exact for rng in rngs])
    assert ratios.std() > 0.05, "few particles vary"
    assert abs(ratios.mean() - 1) < 4 * ratios.std() / np.sqrt(len(ratios))


def test_no_result_depends_on_the_block():
    seen = np.random.default_rng(3).normal(size=11)
    whole = filtered(gaussian_filter(50), seen, np.random.default_rng(4))
    for block in (1, 4, 11):
        parts = filtered(gaussian_filter(50, block=block), seen, np.random.default_rng(4))
        assert parts.trace.tobytes() == whole.trace.tobytes()
        assert parts.log_evidence == whole.log_evidence


def test_the_threshold_decides_how_often_particles_are_drawn_again():
    seen = np.random.default_rng(3).normal(size=30)
    often = [
        filtered(gaussian_filter(50, resampling=Resampling(below=below)), seen, np.random.default_rng(0)).trace[1].sum()
        for below in (0.0, 0.5, 1.0)
    ]
    assert often[0] == 0
    assert 0 < often[1] < often[2] == 29


def test_by_default_points_are_even_and_half_must_count():
    assert Resampling().arguments() == (False, 0.5)
    assert Resampling(*WHEN_HALF_COUNT) == gaussian_filter(4).resampling == Resampling("systematic", 0.5)


def test_nothing_seen_and_an_unknown_scheme():
    ended = filtered(gaussian_filter(4), np.empty(0), np.random.default_rng(0))
    assert (ended.log_evidence, ended.position, ended.weights.tolist()) == (0.0, 0, [0.25] * 4)
    with pytest.raises(InvalidInput, match="systematic or stratified, not 'other'"):
        filtered(gaussian_filter(4, resampling=Resampling("other")), np.zeros(2), np.random.default_rng(0))
