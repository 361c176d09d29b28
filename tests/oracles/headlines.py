"""Headlines the slow way: every window, one document at a time; every pair of groups of words, one join at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np


def likelihood_ratio(counts, exposure, start, end):
    """log of (two Poisson rates, inside and outside) over (one rate), both at their best."""
    inside, outside = sum(counts[start:end]), sum(counts) - sum(counts[start:end])
    n_inside, n_outside = sum(exposure[start:end]), sum(exposure) - sum(exposure[start:end])
    if n_inside <= 0 or n_outside <= 0:
        return -math.inf

    def best(c, n):
        return c * math.log(c / n) - c if c else 0.0

    return best(inside, n_inside) + best(outside, n_outside) - best(sum(counts), sum(exposure))


def score(counts, exposure, start, end, second_edge):
    """The likelihood ratio less the cost of a second edge."""
    inner = start > 0 and end < len(counts)
    return likelihood_ratio(counts, exposure, start, end) - (second_edge if inner else 0.0)


def best_window(counts, exposure, longest, second_edge, rises_only):
    """Return (first cell, cell after the last, sign) of the window with the greatest score."""
    found, greatest = (0, 0, 0), 1e-12
    for start, end in itertools.combinations(range(len(counts) + 1), 2):
        if end - start > longest:
            continue
        value = score(counts, exposure, start, end, second_edge)
        if value == -math.inf:
            continue
        rises = sum(counts[start:end]) * sum(exposure) > sum(counts) * sum(exposure[start:end])
        if value > greatest + 1e-9 and (rises or not rises_only):
            found, greatest = (start, end, 1 if rises else -1), value
    return found


def log_ratio(counts, sizes, inside):
    """Return the log ratio of rates inside and outside and its variance, unit by unit; half a use at the mean rate."""
    mean = sum(counts) / sum(sizes)
    sides = {}
    for side in (True, False):
        c = sum(x for x, i in zip(counts, inside) if bool(i) is side)
        n = sum(x for x, i in zip(sizes, inside) if bool(i) is side)
        rate = (c + 0.5) / (n + 0.5 / mean)
        scatter = sum((x - y * c / n) ** 2 for x, y, i in zip(counts, sizes, inside) if bool(i) is side)
        sides[side] = rate, c, scatter * len(counts) / (len(counts) - 2), c
    overall = max(1.0, sum(side[2] for side in sides.values()) / sum(side[3] for side in sides.values()))
    variance = 0.0
    for _, c, scatter, expected in sides.values():
        variance += max(1.0, (scatter + 2 * overall) / (expected + 2)) / (c + 0.5)
    return math.log(sides[True][0] / sides[False][0]), variance


def average_linkage(similarity, least):
    """Join the two groups that are most similar on average until no average exceeds `least`; sorted groups."""
    groups = [[i] for i in range(len(similarity))]
    while len(groups) > 1:
        pairs = list(itertools.combinations(range(len(groups)), 2))
        means = [np.mean([similarity[i][j] for i in groups[a] for j in groups[b]]) for a, b in pairs]
        if max(means) < least:
            break
        a, b = pairs[int(np.argmax(means))]
        groups[a] = sorted(groups[a] + groups[b])
        del groups[b]
    return sorted(groups)


def npmi(documents, a, b):
    """Normalised pointwise mutual information of two words in a list of sets."""
    n = len(documents)
    both = sum(a in each and b in each for each in documents) / n
    if both in (0, 1):
        return -1.0 if both == 0 else 1.0
    one, other = (sum(word in each for each in documents) / n for word in (a, b))
    return math.log(both / (one * other)) / -math.log(both)


def mantel_haenszel(inside, outside, n_inside, n_outside):
    """The ratio within groups and the variance of its logarithm, without any half use."""
    R = S = pooled = 0.0
    for a, b, n1, n0 in zip(inside, outside, n_inside, n_outside):
        n = n1 + n0
        if n:
            R += a * n0 / n
            S += b * n1 / n
            pooled += (a + b) * n1 * n0 / n**2
    return R / S, pooled / (R * S)
