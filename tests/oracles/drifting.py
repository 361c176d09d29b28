"""Drifting topics by writing down every history of labels."""

from __future__ import annotations

import itertools

import numpy as np


def posterior_by_enumeration(points, gaps, drifts, rates, matrix, prior, centres, spreads, noise):
    """Return log-evidence, topic posteriors, and the centroids' and rates' filtered means at the last document."""
    n, n_dims = points.shape
    n_topics = len(centres)
    histories, logs, finals = list(itertools.product(range(n_topics), repeat=n)), [], []
    for history in histories:
        log, mean, var = 0.0, centres.copy(), spreads.copy()
        beliefs = [prior.copy() for _ in range(n_topics)]
        for t, k in enumerate(history):
            if t:
                var = var + drifts[t] * noise
                beliefs = [b @ matrix for b in beliefs]
            for j in range(n_topics):
                seen = beliefs[j] * np.exp(-rates * gaps[t]) * (rates if j == k else 1.0)
                log += np.log(seen.sum())
                beliefs[j] = seen / seen.sum()
            for d in range(n_dims):
                total = var[k, d] + noise[k, d]
                log += -0.5 * (np.log(2 * np.pi * total) + (points[t, d] - mean[k, d]) ** 2 / total)
                gain = var[k, d] / total
                mean[k, d] += gain * (points[t, d] - mean[k, d])
                var[k, d] *= 1 - gain
        logs.append(log)
        finals.append((mean, [b @ rates for b in beliefs]))
    logs = np.array(logs)
    evidence = np.logaddexp.reduce(logs)
    weights = np.exp(logs - evidence)
    topics = np.zeros((n, n_topics))
    for history, weight in zip(histories, weights):
        for t, k in enumerate(history):
            topics[t, k] += weight
    centroid = sum(w * mean for w, (mean, _) in zip(weights, finals))
    rate = sum(w * np.array(r) for w, (_, r) in zip(weights, finals))
    return evidence, topics, centroid, rate


def smoothed_walk(points, weights, drifts, centre, spread, noise):
    """Return a one-dimensional centroid's smoothed means and variances by solving for the whole path at once."""
    n = len(points)
    precision, shift = np.zeros((n, n)), np.zeros(n)
    precision[0, 0] += 1 / spread
    shift[0] += centre / spread
    for t in range(1, n):
        step = 1 / (drifts[t] * noise)
        precision[t, t] += step
        precision[t - 1, t - 1] += step
        precision[t, t - 1] -= step
        precision[t - 1, t] -= step
    precision[np.diag_indices(n)] += weights / noise
    shift += weights * points / noise
    covariance = np.linalg.inv(precision)
    return covariance @ shift, np.diag(covariance)
