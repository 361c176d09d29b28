"""Clusters of a few documents by writing down every partition."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def all_partitions(n):
    """Return every partition of n items as labels that are numbered as they appear."""
    found = [()]
    for _ in range(n):
        found = [(*labels, k) for labels in found for k in range(max(labels, default=-1) + 2)]
    return found


def numbered(labels):
    """Return labels numbered as they appear."""
    order = {}
    return tuple(order.setdefault(int(label), len(order)) for label in labels)


def log_partition_by_seating(labels, concentration):
    """Return the log-probability of the seats, one guest after the other."""
    total, sizes = 0.0, {}
    for i, label in enumerate(labels):
        total += np.log(sizes.get(label, concentration) / (i + concentration))
        sizes[label] = sizes.get(label, 0) + 1
    return total


def log_words(X, beta):
    """Return the log-probability of the words of one cluster, its shares of words summed out."""
    counts = np.asarray(X).sum(axis=0)
    n_words = len(counts)
    rise = gammaln(counts + beta) - gammaln(beta)
    return gammaln(n_words * beta) - gammaln(counts.sum() + n_words * beta) + rise.sum()


def partition_posterior(X, concentration, beta):
    """Return every partition and its posterior probability."""
    partitions = all_partitions(len(X))
    logs = []
    for labels in partitions:
        clusters = [X[np.array(labels) == k] for k in range(max(labels) + 1)]
        logs.append(log_partition_by_seating(labels, concentration) + sum(log_words(part, beta) for part in clusters))
    logs = np.array(logs)
    return partitions, np.exp(logs - np.logaddexp.reduce(logs)), logs


def log_partition_with_discount(labels, concentration, discount):
    """Return the log-probability of the seats in a Pitman-Yor process, one guest after the other."""
    total, sizes = 0.0, {}
    for i, label in enumerate(labels):
        new = concentration + discount * len(sizes) if i else concentration + i
        total += np.log((sizes[label] - discount if label in sizes else new) / (i + concentration))
        sizes[label] = sizes.get(label, 0) + 1
    return total


def log_normal_columns(X, rate, strength=0.01, shape=1.0):
    """Return the log-density of rows of one cluster, value after value, by Student's predictive density."""
    from scipy.stats import t

    total = 0.0
    for column, b0 in zip(np.asarray(X, dtype=float).T, rate):
        kappa, mean, a, b = strength, 0.0, shape, b0
        for x in column:
            total += t.logpdf(x, 2 * a, mean, np.sqrt(b * (kappa + 1) / (a * kappa)))
            b += 0.5 * kappa * (x - mean) ** 2 / (kappa + 1)
            mean, kappa, a = (kappa * mean + x) / (kappa + 1), kappa + 1, a + 0.5
    return total


def posterior_of(X, log_prior, log_items):
    """Return every partition and its posterior probability, given the log-probabilities of labels and of clusters."""
    partitions = all_partitions(len(X))
    logs = np.array(
        [
            log_prior(labels) + sum(log_items(X[np.array(labels) == k]) for k in range(max(labels) + 1))
            for labels in partitions
        ]
    )
    return partitions, np.exp(logs - np.logaddexp.reduce(logs))
