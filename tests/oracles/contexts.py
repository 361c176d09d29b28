"""Shares, contrasts and adjusted means by context, one document and one word at a time."""

from __future__ import annotations

import numpy as np


def shares_by_likelihood(topics, counts):
    """Return the shares that maximise the likelihood of summed counts, by many plain steps of EM."""
    shares = np.full(len(topics), 1 / len(topics))
    for _ in range(20_000):
        expected = shares @ topics
        shares = shares * (topics @ (counts / expected)) / counts.sum()
    return shares


def sandwich(topics, by_unit):
    """Return the shares of summed counts and the standard errors H⁺ Σ SSᵀ H⁺, on the tangent of the simplex."""
    shares = shares_by_likelihood(topics, by_unit.sum(axis=0))
    K = len(topics)
    H = np.zeros((K, K))
    scores = np.zeros((len(by_unit), K))
    n = by_unit.sum()
    for w in range(topics.shape[1]):
        G = topics[:, w] / (shares @ topics[:, w])
        H += n * (shares @ topics[:, w]) * np.outer(G, G)
        for u in range(len(by_unit)):
            scores[u] += by_unit[u, w] * (G - 1)
    tangent = np.linalg.svd(np.ones((1, K)))[2][1:].T
    inverse = tangent @ np.linalg.inv(tangent.T @ H @ tangent) @ tangent.T
    return shares, np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))


def log_ratio(x_a, n_a, x_b, n_b, prior, share):
    """Return δ and its standard error of one word, from its expected uses by unit and those of the topic.

    `share` is that of the documents in the first group.
    """
    a, b = sum(n_a), sum(n_b)
    top, bottom = sum(x_a) + prior * a / (a + b), sum(x_b) + prior * b / (a + b)
    squares = 0.0
    for u in range(len(x_a)):
        q = (x_a[u] - n_a[u] * sum(x_a) / a) / top - (x_b[u] - n_b[u] * sum(x_b) / b) / bottom
        squares += q * q
    pooled, spread = (sum(x_a) + sum(x_b)) / (a + b), 0.0
    for u in range(len(x_a)):
        spread += (x_a[u] + x_b[u] - (n_a[u] + n_b[u]) * pooled) ** 2
    slope = 1 / (a * pooled + prior * a / (a + b)) + 1 / (b * pooled + prior * b / (a + b))
    squares = max(squares, share * (1 - share) * spread * slope**2)
    return np.log(top / a) - np.log(bottom / b), np.sqrt(squares)
