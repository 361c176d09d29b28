"""Mergers of clusters of documents, one pair at a time (`driftline.topics.cluster_merging`, Eq. 1–4)."""

from __future__ import annotations

from math import lgamma, sqrt


def counts_of(documents, rows):
    return [sum(documents[row][w] for row in rows) for w in range(len(documents[0]))]


def evidence(counts, beta):
    """Return (2)."""
    n_words, n = len(counts), sum(counts)
    words = sum(lgamma(beta + c) - lgamma(beta) for c in counts)
    return lgamma(n_words * beta) - lgamma(n_words * beta + n) + words


def gain(documents, one, other, beta):
    """Return the change (1) by merging two clusters, given as lists of documents."""
    both, own, its = (evidence(counts_of(documents, rows), beta) for rows in (one + other, one, other))
    return both - own - its + lgamma(len(one) + len(other)) - lgamma(len(one)) - lgamma(len(other))


def merged_by_evidence(documents, labels, n_topics, beta, largest):
    """Return the clusters (sets of documents) after greedy mergers."""
    clusters = [[i for i, label in enumerate(labels) if label == k] for k in sorted(set(labels))]

    def score(i, j):
        return -gain(documents, clusters[i], clusters[j], beta)

    return _merged(clusters, score, n_topics, largest * len(documents), lambda i, j: None)


def _apart(one, other):
    return sum((sqrt(a / sum(one)) - sqrt(b / sum(other))) ** 2 for a, b in zip(one, other))


def _cosine(one, other):
    dot = sum(a * b for a, b in zip(one, other))
    return dot / sqrt(sum(a * a for a in one) * sum(b * b for b in other))


def merged_by_distance(documents, vectors, labels, n_topics, largest):
    """Return the clusters (sets of documents) after mergers by the mean of (3) over the first clusters."""
    clusters = [[i for i, label in enumerate(labels) if label == k] for k in sorted(set(labels))]
    counts = [counts_of(documents, rows) for rows in clusters]
    sums = [[sum(vectors[row][c] for row in rows) for c in range(len(vectors[0]))] for rows in clusters]
    pairs = [(i, j) for i in range(len(clusters)) for j in range(i + 1, len(clusters))]
    between = {(i, j): _apart(counts[i], counts[j]) + 1 - _cosine(sums[i], sums[j]) for i, j in pairs}
    members = [[k] for k in range(len(clusters))]

    def score(i, j):
        found = [between[min(a, b), max(a, b)] for a in members[i] for b in members[j]]
        return sum(found) / len(found)

    def unite(i, j):
        members[i] = members[i] + members.pop(j)

    return _merged(clusters, score, n_topics, largest * len(documents), unite)


def _merged(clusters, score, n_topics, most, unite):
    while len(clusters) > n_topics:
        options = [
            (score(i, j), i, j)
            for i in range(len(clusters))
            for j in range(i + 1, len(clusters))
            if len(clusters[i]) + len(clusters[j]) <= most
        ]
        if not options:
            break
        _, i, j = min(options)
        unite(i, j)
        clusters[i] = clusters[i] + clusters.pop(j)
    return {frozenset(cluster) for cluster in clusters}
