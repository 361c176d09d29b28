"""Simulated streams of stories that are born, drift and end."""

from __future__ import annotations

import numpy as np


def stories(n=240, n_words=40, length=20, seed=0):
    """Return documents, times and stories: the first lasts, the second ends early, the third begins late."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_words, 0.1), 3)
    times = np.sort(rng.uniform(0, 12, n))
    labels = np.zeros(n, dtype=int)
    for d, t in enumerate(times):
        live = [0, *([1] if t < 5 else []), *([2] if t > 7 else [])]
        labels[d] = rng.choice(live)
    X = np.array([rng.multinomial(length, shares[label]) for label in labels], dtype=float)
    return X, times, labels


def drifting(n=300, n_words=60, length=20, seed=0):
    """Return documents, times and two stories whose words change completely from the first to the last epoch."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 10, n))
    labels = rng.integers(0, 2, n)
    begin, end = rng.dirichlet(np.full(n_words, 0.1), (2, 2))
    part = (times / 10)[:, None]
    shares = (1 - part) * begin[labels] + part * end[labels]
    return np.array([rng.multinomial(length, row / row.sum()) for row in shares], dtype=float), times, labels
