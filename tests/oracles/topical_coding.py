"""Sparse topical coding of one document, by a general optimiser."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def objective(counts, codes, theta, topics, lam, gamma, rho):
    """What one document minimises; `topics` are topics × words, `codes` one row for every word that occurs."""
    words = np.flatnonzero(counts)
    mixed = np.maximum((codes * topics[:, words].T).sum(axis=1), 1e-12)
    fit = (mixed - counts[words] * np.log(mixed)).sum()
    return fit + gamma * ((codes - theta) ** 2).sum() + rho * codes.sum() + lam * theta.sum()


def best_objective(counts, topics, lam, gamma, rho):
    """The least objective over word codes and the document's code."""
    n, n_topics = len(np.flatnonzero(counts)), len(topics)

    def value(x):
        return objective(counts, x[n_topics:].reshape(n, n_topics), x[:n_topics], topics, lam, gamma, rho)

    start = np.full((n + 1) * n_topics, counts.sum() / n / n_topics)
    options = {"maxiter": 20_000, "maxfun": 10**7, "ftol": 1e-14, "gtol": 1e-9}
    return minimize(value, start, method="L-BFGS-B", bounds=[(0, None)] * len(start), options=options).fun
