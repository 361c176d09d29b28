"""Wishes about topics, slowly: projection by a grid of multipliers, word maps by loops."""

from __future__ import annotations

import numpy as np


def projected_mean(p, low, high, k, n_steps=200_001):
    """Return the posteriors nearest to p whose mean of topic k lies within bounds: λ by a fine grid."""
    grid = np.linspace(-15, 15, n_steps)
    tilted = [(abs(value), value) for value in grid]
    for _, value in sorted(tilted):
        q = p * np.exp(-value * (np.arange(p.shape[1]) == k))
        q = q / q.sum(axis=1, keepdims=True)
        if low - 1e-4 <= q[:, k].mean() <= high + 1e-4:
            return q
    raise AssertionError("no multiplier on the grid")


def together(counts, said, strength):
    """Return φ ∝ (n_g / n)(n_w + η b_w) / (n_g + η) for the words of one group, word by word."""
    found = np.zeros_like(counts)
    for k in range(counts.shape[1]):
        group = sum(counts[w, k] for w in range(len(counts)))
        for w in range(len(counts)):
            share = said[w] / sum(said)
            found[w, k] = group * (counts[w, k] + strength * share) / (group + strength)
    return found


def apart(a, b):
    """Return the counts of two words, each without what the other has of a topic."""
    left = [x * (1 - y / sum(b)) for x, y in zip(a, b)]
    right = [y * (1 - x / sum(a)) for x, y in zip(a, b)]
    return np.array([left, right])
