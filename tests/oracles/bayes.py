"""Bayesian networks by writing down the joint distribution, and d-separation by walking along every path."""

from __future__ import annotations

import itertools

import numpy as np


def joint(parents, tables):
    """The joint distribution: one axis per variable."""
    sizes = [table.shape[-1] for table in tables]
    found = np.zeros(sizes)
    for states in itertools.product(*map(range, sizes)):
        factors = [
            table[(*(states[one] for one in above), states[v])] for v, (above, table) in enumerate(zip(parents, tables))
        ]
        found[states] = np.prod(factors)
    return found


def conditional(distribution, row):
    """The distribution of every variable given the observed ones of a row (−1: unknown)."""
    at = tuple(slice(None) if state < 0 else slice(state, state + 1) for state in row)
    kept = distribution[at]
    kept = kept / kept.sum()
    return [kept.sum(axis=tuple(a for a in range(kept.ndim) if a != v)) for v in range(kept.ndim)]


def d_separated(parents, one, other, given):
    """Whether every undirected path between two variables is blocked."""
    n = len(parents)
    arrows = {(above, v) for v in range(n) for above in parents[v]}
    below = {v: {v} for v in range(n)}
    for _ in range(n):
        for above, v in arrows:
            below[above] |= below[v]

    def walk(path):
        last = path[-1]
        if last == other:
            return not blocked(path)
        steps = [b for a, b in arrows if a == last] + [a for a, b in arrows if b == last]
        return any(walk([*path, step]) for step in steps if step not in path)

    def blocked(path):
        for before, v, after in zip(path, path[1:], path[2:]):
            if (before, v) in arrows and (after, v) in arrows:
                if not below[v] & set(given):
                    return True
            elif v in given:
                return True
        return False

    return not walk([one])
