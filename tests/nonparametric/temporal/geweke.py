"""Geweke's test of samplers of clusters: draws given documents, and documents given clusters, must keep the prior."""

from __future__ import annotations

import numpy as np
from tests.oracles.partitions import numbered

BETA, N_WORDS, LENGTH = 0.5, 4, 5


def documents_given(labels, epochs, word_timescale, rng):
    """Draw documents one after the other, each word given all before it."""
    X = np.zeros((len(labels), N_WORDS))
    for d, (label, epoch) in enumerate(zip(labels, epochs)):
        own = np.flatnonzero(labels[:d] == label)
        ages = epoch - epochs[own]
        weights = np.exp(-ages / word_timescale)
        counts = BETA + (weights[:, None] * X[own]).sum(axis=0)
        for _ in range(LENGTH):
            word = rng.choice(N_WORDS, p=counts / counts.sum())
            X[d, word] += 1
            counts[word] += 1
    return X


def described(labels, alpha, X, epochs):
    """Return numbers that depend on everything."""
    sizes = np.bincount(labels)
    spans = sum(np.ptp(epochs[labels == k]) for k in range(len(sizes)) if sizes[k])
    return [(sizes > 0).sum(), sizes.max(), alpha, spans, (X.sum(axis=0) ** 2).sum(), (X[0] * X[-1]).sum()]


def joint_is_unchanged(epochs, draw_prior, step, word_timescale, n_rounds=8_000, seed=1):
    """Assert that the sampler leaves the joint distribution of clusters, α and documents unchanged."""
    rng, prior, chain = np.random.default_rng(seed), [], []
    for _ in range(n_rounds):
        alpha = max(rng.gamma(1.0), 1e-6)
        labels = draw_prior(alpha, rng)
        prior.append(described(labels, alpha, documents_given(labels, epochs, word_timescale, rng), epochs))
    for _ in range(n_rounds):
        X = documents_given(labels, epochs, word_timescale, rng)
        sample = step(X, labels, alpha, rng)
        labels, alpha = np.array(numbered(sample.labels)), sample.concentration
        chain.append(described(labels, alpha, X, epochs))
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)  # batch means: the chain is correlated
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
