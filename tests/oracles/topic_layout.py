"""Distances and mergers of topics, from their definitions, one pair and one word at a time."""

from __future__ import annotations

from itertools import combinations
from math import log2, sqrt


def divergence(p, q):
    """KL(p ‖ q) in bits."""
    return sum(a * log2(a / b) for a, b in zip(p, q) if a > 0)


def distance(p, q):
    middle = [(a + b) / 2 for a, b in zip(p, q)]
    return sqrt(max((divergence(p, middle) + divergence(q, middle)) / 2, 0.0))


def loss(p, q, share_p, share_q):
    total = share_p + share_q
    if total == 0:
        return 0.0
    union = [(share_p * a + share_q * b) / total for a, b in zip(p, q)]
    return share_p * divergence(p, union) + share_q * divergence(q, union)


def tree(topics, shares):
    """Merge the pair of least loss until one is left; groups are (node, distribution, share)."""
    groups = [(node, list(topic), share) for node, (topic, share) in enumerate(zip(topics, shares))]
    merges, lost, total = [], [], 0.0
    while len(groups) > 1:
        _, i, j = min(
            (round(loss(a[1], b[1], a[2], b[2]), 12), i, j) for (i, a), (j, b) in combinations(enumerate(groups), 2)
        )
        a, b = groups[i], groups[j]
        total += loss(a[1], b[1], a[2], b[2])
        union = [(a[2] * x + b[2] * y) / (a[2] + b[2]) for x, y in zip(a[1], b[1])]
        merges.append([a[0], b[0]])
        lost.append(total)
        groups = [group for group in groups if group not in (a, b)]
        groups.append((len(topics) + len(merges) - 1, union, a[2] + b[2]))
    return merges, lost
