"""The evidence lower bound of a truncated Dirichlet process mixture, term by term."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln


def dirichlet_logs(parameters):
    return digamma(parameters) - digamma(np.sum(parameters))


def dirichlet_term(parameters, prior):
    """Return E[ln p] - E[ln q] of a Dirichlet distribution."""
    logs, total = dirichlet_logs(np.array(parameters)), 0.0
    for sign, values in ((1, prior), (-1, parameters)):
        total += sign * gammaln(np.sum(values))
        for value, log in zip(values, logs):
            total += sign * ((value - 1) * log - gammaln(value))
    return total


def bound(X, sticks, counts, beta, alpha, prior=None):
    """Return the bound with the best q(z); `alpha` is a number, or the shape and rate of q(α) with its prior."""
    n_clusters = len(counts)
    if prior is None:
        mean, mean_log, total = alpha, np.log(alpha), 0.0
    else:
        (a, b), (s, r) = alpha, prior
        mean, mean_log = a / b, digamma(a) - np.log(b)
        total = s * np.log(r) - gammaln(s) + (s - 1) * mean_log - r * mean
        total -= a * np.log(b) - gammaln(a) + (a - 1) * mean_log - b * mean
    log_weights, left = [], 0.0
    for stick in sticks:
        logs = dirichlet_logs(stick)
        total += mean_log + (mean - 1) * logs[1]
        total -= gammaln(sum(stick)) - gammaln(stick[0]) - gammaln(stick[1])
        total -= (stick[0] - 1) * logs[0] + (stick[1] - 1) * logs[1]
        log_weights.append(left + logs[0])
        left += logs[1]
    log_weights.append(left)
    words = [dirichlet_logs(row + beta) for row in counts]
    total += sum(dirichlet_term(row + beta, np.full(len(row), beta)) for row in counts)
    for document in X:
        scores = np.array([log_weights[k] + document @ words[k] for k in range(n_clusters)])
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        for q, score in zip(chance, scores):
            if q > 0:
                total += q * (score - np.log(q))
    return total
