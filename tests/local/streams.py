"""Small drifting streams for the tests of local models."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def small(seed=0, n_documents=12, n_words=4, n_times=5):
    """A few short documents, several at one time, one of them empty."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.2, (n_documents, n_words)).astype(float)
    counts[3] = 0
    times = np.sort(rng.choice(n_times, n_documents)).astype(float)
    return counts, times


def drifting(seed=0, n_documents=600, n_words=60, length=25, speed=1.0, rho=0.0):
    """Documents whose word distribution moves along a known smooth path; returns counts, times and the path."""
    rng = np.random.default_rng(seed)
    base = np.log(1 / np.arange(1, n_words + 1))
    swing = speed * rng.normal(size=n_words)
    phase = 2 * np.pi * rng.random(n_words)

    def path(t):
        logits = base + swing * np.sin(2 * np.pi * np.atleast_1d(t)[:, None] + phase)
        weights = np.exp(logits)
        return weights / weights.sum(axis=1, keepdims=True)

    times = np.sort(rng.random(n_documents))
    shares = path(times)
    if rho:
        shares = np.array([rng.dirichlet(row * (1 / rho - 1)) for row in shares])
    lengths = rng.poisson(length, n_documents) + 1
    counts = np.array([rng.multinomial(n, p) for n, p in zip(lengths, shares)], dtype=float)
    return sp.csr_matrix(counts), times, path
