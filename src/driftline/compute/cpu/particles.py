r"""Particle filters: on the implicit model (IDA-IT), and on the explicit one (EDA-IT) in which schedules are kept.

A particle is a level for every topic. Topics of documents are summed out where they can be: given its levels a particle
knows p(Δ, w) and p(c | Δ, w) in closed form.
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def systematic(weights, uniform, chosen):
    """Write the indices of as many particles as there are weights, drawn with one uniform number."""
    n = len(weights)
    total = weights[0]
    at = 0
    for i in range(n):
        while total <= (i + uniform) / n and at < n - 1:
            at += 1
            total += weights[at]
        chosen[i] = at


@njit(cache=True, nogil=True)
def resample(weights, rng, chosen):
    """Choose particles anew if fewer than half of them count; say whether that was done. Weights are then equal."""
    n = len(weights)
    if 1.0 / (weights**2).sum() >= n / 2:
        return False
    systematic(weights, rng.random(), chosen)
    weights[:] = 1.0 / n
    return True


@njit(cache=True, nogil=True)
def reweigh(logs, weights):
    """Write the weights of which these are the logarithms, scaled to sum to one; return the log of their sum."""
    largest = -np.inf
    for i in range(len(logs)):
        largest = max(largest, logs[i])
    total = 0.0
    for i in range(len(logs)):
        weights[i] = np.exp(logs[i] - largest)
        total += weights[i]
    weights /= total
    return largest + np.log(total)


@njit(cache=True, nogil=True)
def _draw_row(row, uniform):
    left = uniform
    for j in range(len(row)):
        left -= row[j]
        if left < 0:
            return j
    return len(row) - 1


@njit(cache=True, nogil=True)
def particle_filter(text, gaps, rates, matrices, prior, n_particles, rng, history, log_weights):
    """Filter the implicit model; keep every document's particles in `history` (n, N, K) and their log-weights (n, N).

    `matrices` (1 or n, L, L) moves the levels. Resampling is systematic, when fewer than half of the particles count.
    Returns the log-evidence, an unbiased estimate before the logarithm.
    """
    n, n_topics = text.shape
    levels = np.empty((n_particles, n_topics), dtype=np.uint8)
    chosen = np.empty(n_particles, dtype=np.int64)
    weights = np.full(n_particles, 1.0 / n_particles)
    logs = np.empty(n_particles)
    evidence = 0.0
    for t in range(n):
        if t > 0 and resample(weights, rng, chosen):
            levels = levels[chosen]
        matrix = matrices[t if len(matrices) > 1 else 0]
        for i in range(n_particles):
            mixed, total = 0.0, 0.0
            for k in range(n_topics):
                row = matrix[levels[i, k]] if t > 0 else prior
                levels[i, k] = _draw_row(row, rng.random())
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
            left = rng.random() * chance.sum()
            at = 0
            while at < n_particles - 1 and left >= chance[at]:
                left -= chance[at]
                at += 1
            paths[t, m] = history[t, at]


@njit(cache=True, nogil=True)
def explicit_filter(text, gaps, rates, matrices, prior, n_particles, rng, topics, intensity, waiting):
    """Filter the explicit model; write p(topic), mean rates and mean times since each topic's last document (n, K).

    A particle carries for every topic its level, the level with which its next document was scheduled, and the time τ
    of its last document. What is due is due with the scheduled level's rate, whatever the level is now:
    p(Δ, c = k | particle) = λ(scheduled_k) Π_j e^{-λ(scheduled_j) Δ}; then topic k is scheduled anew with its level.
    """
    n, n_topics = text.shape
    levels = np.empty((n_particles, n_topics), dtype=np.uint8)
    scheduled = np.empty((n_particles, n_topics), dtype=np.uint8)
    last = np.zeros((n_particles, n_topics))
    chosen = np.empty(n_particles, dtype=np.int64)
    weights, logs = np.full(n_particles, 1.0 / n_particles), np.empty(n_particles)
    chance = np.empty((n_particles, n_topics))
    now, evidence = 0.0, 0.0
    for t in range(n):
        if t > 0 and resample(weights, rng, chosen):
            levels, scheduled, last = levels[chosen], scheduled[chosen], last[chosen]
        matrix = matrices[t if len(matrices) > 1 else 0]
        now += gaps[t]
        for i in range(n_particles):
            mixed, total = 0.0, 0.0
            for k in range(n_topics):
                levels[i, k] = _draw_row(matrix[levels[i, k]] if t > 0 else prior, rng.random())
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
            topic = _draw_row(chance[i], rng.random())
            scheduled[i, topic], last[i, topic] = levels[i, topic], now
            for k in range(n_topics):
                topics[t, k] += weights[i] * chance[i, k]
                intensity[t, k] += weights[i] * rates[levels[i, k]]
                waiting[t, k] += weights[i] * (now - last[i, k])
    return evidence
