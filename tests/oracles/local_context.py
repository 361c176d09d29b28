"""Local contexts and their codes, the plain way: dense arrays, every definition as it stands."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize


def context(words, i, kernel, bandwidth, n_words):
    """φ(i): every word of the document, weighted by its distance; zero beyond 3h (Gaussian) or h (uniform)."""
    phi = np.zeros(n_words)
    for j, word in enumerate(words):
        distance = abs(i - j)
        if math.isinf(bandwidth):
            weight = 1.0
        elif kernel == "uniform":
            weight = 1.0 if distance <= bandwidth else 0.0
        elif distance == 0:
            weight = 1.0
        else:
            weight = math.exp(-0.5 * (distance / bandwidth) ** 2) if distance <= 3 * bandwidth else 0.0
        phi[word] += weight
    return phi / phi.sum()


def loss_of(phi, mixed, loss):
    """ℓ(φ, Dβ) of one context."""
    return ((phi - mixed) ** 2).sum() if loss == "squared" else ((np.sqrt(phi) - np.sqrt(mixed)) ** 2).sum()


def objective(contexts, codes, topics, alpha, rho, loss="squared"):
    """(2) of one document with z at its best; `topics` are topics × words."""
    z = codes.mean(axis=0)
    total = 0.0
    for phi, beta in zip(contexts, codes):
        total += loss_of(phi, beta @ topics, loss) + alpha * np.abs(beta).sum() + rho * ((beta - z) ** 2).sum()
    return total


def codes(contexts, topics, alpha, rho, sweeps=3000):
    """Codes of one document under the squared loss: plain coordinate descent, all coordinates in turn, z after each."""
    n_topics = len(topics)
    beta = np.zeros((len(contexts), n_topics))
    z = np.zeros(n_topics)
    for _ in range(sweeps):
        before = beta.copy()
        for i, phi in enumerate(contexts):
            for j in range(n_topics):
                rest = beta[i] @ topics - beta[i, j] * topics[j]
                b = rho * z[j] + topics[j] @ (phi - rest)
                beta[i, j] = max(0.0, b - alpha / 2) / (rho + topics[j] @ topics[j])
        z = beta.mean(axis=0)
        if np.abs(beta - before).max() < 1e-13:
            break
    return beta


def hellinger_codes(contexts, topics, alpha, rho):
    """Codes of one document under the Hellinger loss, by a general optimiser over their square roots."""
    shape = (len(contexts), len(topics))
    start = np.full(shape, 1 / np.sqrt(len(topics))).ravel()
    found = minimize(
        lambda roots: objective(contexts, roots.reshape(shape) ** 2, topics, alpha, rho, "hellinger"),
        start,
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-10},
    )
    return found.x.reshape(shape) ** 2


def nearest_on_simplex(values):
    """The projection, by bisection on the threshold."""
    low, high = values.min() - 1, values.max()
    for _ in range(200):
        middle = (low + high) / 2
        if np.maximum(values - middle, 0).sum() > 1:
            low = middle
        else:
            high = middle
    return np.maximum(values - high, 0)
