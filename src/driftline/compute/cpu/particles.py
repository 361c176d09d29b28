r"""Particle filters: on the implicit model (IDA-IT), and on the explicit one (EDA-IT) in which schedules are kept.

A particle is a level for every topic. Topics of documents are integrated out where possible: given the levels of a
particle, p(Δ, w) and p(c | Δ, w) are known in closed form.
"""

import numpy as np

from driftline.compute.cpu.resampling import draw, resample, reweigh
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def particle_filter(
    text, gaps, rates, matrices, prior, first, last, scheme, rng, evidence, levels, weights, history, log_weights
):
    """Filter documents `first` to `last` by the implicit model, beginning with the particles after those before.

    `matrices` (1 or n, L, L) are the transitions of levels; `scheme` is that of resampling (whether stratified, and the
    threshold). Writes `levels` (N, K) and `weights` (N), and keeps every document's particles in `history` (n, N, K)
    and their log-weights (n, N). Returns `evidence`, to which the logarithms of the mean weights were added.
    """
    n_particles, n_topics = levels.shape
    stratified, below = scheme
    chosen = np.empty(n_particles, dtype=np.int64)
    logs = np.empty(n_particles)
    for t in range(first, last):
        if t > 0 and resample(weights, stratified, below, rng, chosen):
            levels[:] = levels[chosen]
        matrix = matrices[t if len(matrices) > 1 else 0]
        for i in range(n_particles):
            mixed, total = 0.0, 0.0
            for k in range(n_topics):
                row = matrix[levels[i, k]] if t > 0 else prior
                levels[i, k] = draw(row, rng.random())
                rate = rates[levels[i, k]]
                mixed += rate * text[t, k]
                total += rate
            logs[i] = np.log(mixed) - total * gaps[t] + np.log(max(weights[i], 1e-300))
        evidence += reweigh(logs, weights)
        history[t] = levels
        log_weights[t] = np.log(np.maximum(weights, 1e-300))
    return evidence


@njit(cache=True, nogil=True)
def sample_smoothed(history, log_weights, matrices, n_paths, rng, paths):
    """Draw paths from the smoothing distribution by walking backwards through the particles; `paths` is (n, M, K)."""
    n, n_particles, n_topics = history.shape
    chance = np.empty(n_particles)
    for m in range(n_paths):
        for t in range(n - 1, -1, -1):
            if t == n - 1:
                for i in range(n_particles):
                    chance[i] = np.exp(log_weights[t, i])
            else:
                matrix = matrices[t + 1 if len(matrices) > 1 else 0]
                for i in range(n_particles):
                    value = np.exp(log_weights[t, i])
                    for k in range(n_topics):
                        value *= matrix[history[t, i, k], paths[t + 1, m, k]]
                    chance[i] = value
            paths[t, m] = history[t, draw(chance, rng.random() * chance.sum())]


@njit(cache=True, nogil=True)
def explicit_filter(
    text,
    gaps,
    times,
    rates,
    matrices,
    prior,
    first,
    last,
    scheme,
    rng,
    evidence,
    levels,
    scheduled,
    latest,
    weights,
    topics,
    intensity,
    waiting,
):
    """Filter documents `first` to `last` by the explicit model, beginning with the particles after those before.

    A particle carries for every topic its level, the level with which its next document was scheduled, and the time τ
    of its latest document. Due times follow the rate of the scheduled level, not that of the current level: p(Δ, c = k
    | particle) = λ(scheduled_k) Π_j e^{-λ(scheduled_j) Δ}; then topic k is scheduled again with its level. Writes the
    particles, and for each document p(topic), mean rates and mean times since each topic's latest document (n, K).
    Returns `evidence`, to which the logarithms of the mean weights were added.
    """
    n_particles, n_topics = levels.shape
    stratified, below = scheme
    chosen = np.empty(n_particles, dtype=np.int64)
    logs = np.empty(n_particles)
    chance = np.empty((n_particles, n_topics))
    for t in range(first, last):
        if t > 0 and resample(weights, stratified, below, rng, chosen):
            levels[:], scheduled[:], latest[:] = levels[chosen], scheduled[chosen], latest[chosen]
        matrix = matrices[t if len(matrices) > 1 else 0]
        for i in range(n_particles):
            mixed, total = 0.0, 0.0
            for k in range(n_topics):
                levels[i, k] = draw(matrix[levels[i, k]] if t > 0 else prior, rng.random())
                if t == 0:
                    scheduled[i, k] = levels[i, k]
                rate = rates[scheduled[i, k]]
                chance[i, k] = rate * text[t, k]
                mixed += chance[i, k]
                total += rate
            for k in range(n_topics):
                chance[i, k] /= mixed
            logs[i] = np.log(mixed) - total * gaps[t] + np.log(max(weights[i], 1e-300))
        evidence += reweigh(logs, weights)
        topics[t], intensity[t], waiting[t] = 0.0, 0.0, 0.0
        for i in range(n_particles):
            topic = draw(chance[i], rng.random())
            scheduled[i, topic], latest[i, topic] = levels[i, topic], times[t]
            for k in range(n_topics):
                topics[t, k] += weights[i] * chance[i, k]
                intensity[t, k] += weights[i] * rates[levels[i, k]]
                waiting[t, k] += weights[i] * (times[t] - latest[i, k])
    return evidence
