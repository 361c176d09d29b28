"""Mixtures of words and vectors, document by document (`driftline.topics.view_mixture`, Eq. 1–5)."""

from __future__ import annotations

from math import lgamma, log, pi


def log_joint(phi, weights, centres, variance, counts, vector, k):
    """Return (1) of one document and one topic."""
    total = log(weights[k]) + sum(c * log(phi[k][w]) for w, c in enumerate(counts) if c)
    for z, m in zip(vector, centres[k]):
        total -= (z - m) ** 2 / (2 * variance) + 0.5 * log(2 * pi * variance)
    return total


def evidence(counts, beta):
    """Return (3)."""
    n_words, n = len(counts), sum(counts)
    words = sum(lgamma(beta + c) - lgamma(beta) for c in counts)
    return lgamma(n_words * beta) - lgamma(n_words * beta + n) + words


def spread(vectors, variance):
    """Return Σ ‖z − μ‖² / 2σ² of the vectors of one cluster."""
    if not vectors or not len(vectors[0]):
        return 0.0
    means = [sum(column) / len(vectors) for column in zip(*vectors)]
    return sum((z - m) ** 2 for row in vectors for z, m in zip(row, means)) / (2 * variance)


def gain(documents, vectors, one, other, beta, variance):
    """Return the change (2) + (4) by merging two clusters, given as lists of documents."""

    def counts(rows):
        return [sum(documents[row][w] for row in rows) for w in range(len(documents[0]))]

    both = one + other
    words = evidence(counts(both), beta) - evidence(counts(one), beta) - evidence(counts(other), beta)
    sizes = lgamma(len(both)) - lgamma(len(one)) - lgamma(len(other))
    apart = spread([vectors[i] for i in one], variance) + spread([vectors[i] for i in other], variance)
    return words + sizes + apart - spread([vectors[i] for i in both], variance)


def merged(documents, vectors, labels, n_topics, beta, variance, largest):
    """Return the clusters (sets of documents) after greedy mergers (5)."""
    clusters = [[i for i, label in enumerate(labels) if label == k] for k in sorted(set(labels))]
    while len(clusters) > n_topics:
        options = [
            (gain(documents, vectors, clusters[i], clusters[j], beta, variance), i, j)
            for i in range(len(clusters))
            for j in range(i + 1, len(clusters))
            if len(clusters[i]) + len(clusters[j]) <= largest * len(documents)
        ]
        if not options:
            break
        _, i, j = max(options, key=lambda option: (option[0], -option[1], -option[2]))
        clusters[i] = clusters[i] + clusters.pop(j)
    return {frozenset(cluster) for cluster in clusters}
