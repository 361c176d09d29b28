"""Mixtures of words and vectors, document by document (`driftline.topics.view_mixture`, Eq. 1)."""

from __future__ import annotations

from math import log, pi


def log_joint(phi, weights, centres, variance, counts, vector, k):
    """Return (1) of one document and one topic."""
    total = log(weights[k]) + sum(c * log(phi[k][w]) for w, c in enumerate(counts) if c)
    for z, m in zip(vector, centres[k]):
        total -= (z - m) ** 2 / (2 * variance) + 0.5 * log(2 * pi * variance)
    return total
