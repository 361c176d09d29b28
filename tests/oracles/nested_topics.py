"""Hierarchical topics of a few tokens, by writing down every tree and every level."""

from __future__ import annotations

import itertools

import numpy as np

from driftline.nonparametric.priors import NestedChineseRestaurant
from tests.oracles.partitions import all_partitions, log_words, numbered


def all_paths(n, depth):
    """Return the paths of n documents in every tree, documents × levels; nodes are numbered as they appear."""
    found = [np.zeros((n, 1), dtype=int)]
    for _ in range(1, depth):
        longer = []
        for paths in found:
            groups = [np.flatnonzero(paths[:, -1] == node) for node in range(paths[:, -1].max() + 1)]
            for parts in itertools.product(*(all_partitions(len(group)) for group in groups)):
                column = np.empty(n, dtype=object)
                for number, (group, labels) in enumerate(zip(groups, parts)):
                    for row, label in zip(group, labels):
                        column[row] = (number, label)
                order = {}
                column = np.array([order.setdefault(each, len(order)) for each in column])
                longer.append(np.column_stack([paths, column]))
        found = longer
    return found


def log_joint(documents, paths, levels, n_words, gamma, alpha, etas):
    """Return ln p(paths, levels, words), token after token and node after node."""
    depth = paths.shape[1]
    total = NestedChineseRestaurant(gamma, depth).log_probability(paths)
    counts = {}
    for words, path, own in zip(documents, paths, levels):
        used = np.zeros(depth)
        for n, (word, level) in enumerate(zip(words, own)):
            total += np.log((used[level] + alpha) / (n + depth * alpha))
            used[level] += 1
            counts.setdefault((level, int(path[level])), np.zeros(n_words))[word] += 1
    return total + sum(log_words([row], etas[level]) for (level, _), row in counts.items())


def path_posterior(documents, depth, n_words, gamma, alpha, etas):
    """Return p(paths | words) as a dictionary from `tree_key`."""
    found = {}
    for paths in all_paths(len(documents), depth):
        logs = [
            log_joint(documents, paths, _divided(flat, documents), n_words, gamma, alpha, etas)
            for flat in itertools.product(range(depth), repeat=sum(map(len, documents)))
        ]
        found[tree_key(paths)] = np.logaddexp.reduce(logs)
    total = np.logaddexp.reduce([*found.values()])
    return {key: float(np.exp(value - total)) for key, value in found.items()}


def tree_key(paths):
    """Return paths as a tuple in which the nodes of each level are numbered as they appear."""
    return tuple(numbered(column) for column in np.asarray(paths).T)


def _divided(flat, documents):
    ends = np.cumsum([len(words) for words in documents])
    return [flat[end - len(words) : end] for words, end in zip(documents, ends)]
