"""Factor graphs by writing down every joint state."""

from __future__ import annotations

import itertools

import numpy as np


def enumerated(unary, factors):
    """Return marginals, highest scores (both lists of one array per variable), ln Z, and the best states."""
    sizes = [len(row) for row in unary]
    sums, highest = [np.zeros(n) for n in sizes], [np.full(n, -np.inf) for n in sizes]
    total, best, best_score = 0.0, None, -np.inf
    for states in itertools.product(*map(range, sizes)):
        score = sum(unary[v][s] for v, s in enumerate(states))
        for members, table in factors:
            score += table[tuple(states[v] for v in members)]
        total += np.exp(score)
        if score > best_score:
            best, best_score = states, score
        for v, s in enumerate(states):
            sums[v][s] += np.exp(score)
            highest[v][s] = max(highest[v][s], score)
    return [row / total for row in sums], highest, np.log(total), best, best_score
