"""Restaurant processes item by item, written as their definitions are, and sums over all outcomes."""

from __future__ import annotations

import itertools

import numpy as np

from tests.oracles.partitions import all_partitions


def seating_probability(labels, concentration, discount=0.0):
    """Return the probability of the clusters of items in order."""
    total, sizes = 1.0, {}
    for i, label in enumerate(labels):
        if label in sizes:
            total *= (sizes[label] - discount) / (i + concentration)
        elif i:
            total *= (concentration + len(sizes) * discount) / (i + concentration)
        sizes[label] = sizes.get(label, 0) + 1
    return total


def all_paths(n, depth):
    """Return all sets of paths of n items, items × levels; a node's number is unique within its level."""
    found = [np.zeros((n, 1), dtype=int)]
    for _ in range(1, depth):
        longer = []
        for paths in found:
            groups = [np.flatnonzero(paths[:, -1] == node) for node in np.unique(paths[:, -1])]
            for parts in itertools.product(*(all_partitions(len(group)) for group in groups)):
                column, first = np.zeros(n, dtype=int), 0
                for group, part in zip(groups, parts):
                    column[group] = np.array(part) + first
                    first += max(part) + 1
                longer.append(np.column_stack([paths, column]))
        found = longer
    return found


def path_probability(paths, concentration):
    """Return the probability that items, one after the other, go these ways."""
    total, visits = 1.0, {}
    for path in paths.tolist():
        for level in range(len(path) - 1):
            here, there = tuple(path[: level + 1]), tuple(path[: level + 2])
            n = visits.get(here, 0)
            total *= visits.get(there, concentration) / (n + concentration)
            visits[here] = n + 1
        leaf = tuple(path)
        visits[leaf] = visits.get(leaf, 0) + 1
    return total


def recurrent_probability(labels, times, concentration, timescale, window=np.inf):
    """Return the probability of the clusters of items with times, in order; an ended cluster cannot be joined."""
    total = 1.0
    for i, label in enumerate(labels):
        weights = {}
        for j in range(i):
            age = times[i] - times[j]
            weights[labels[j]] = weights.get(labels[j], 0.0) + (np.exp(-age / timescale) if age <= window else 0.0)
        total *= weights.get(label, concentration) / (concentration + sum(weights.values()))
    return total


def buffet_probability(Z, mass, concentration=1.0):
    """Return the probability that items choose exactly these features, new ones being in any order (left-ordered)."""
    from scipy.stats import poisson

    total = 1.0
    for i, row in enumerate(Z):
        before = Z[:i].sum(axis=0) if i else np.zeros(Z.shape[1])
        for had, m in zip(row, before):
            if m:
                total *= m / (concentration + i) if had else 1 - m / (concentration + i)
        total *= poisson.pmf(int(row[before == 0].sum()), mass * concentration / (concentration + i))
    return total
