"""Kleinberg's automaton by enumerating all paths, and bursts by checking all intervals."""

from __future__ import annotations

import itertools
import math

import numpy as np


def gap_costs(gaps, scaling, n_states):
    """-ln f_i(x) for every gap and state."""
    mean = sum(gaps) / len(gaps)
    return [[-math.log(scaling**i / mean) + scaling**i / mean * x for i in range(n_states)] for x in gaps]


def batch_costs(relevant, totals, scaling, n_states):
    """-ln of the binomial probability without its coefficient, for every batch and state."""
    base = sum(relevant) / sum(totals)
    return [
        [-r * math.log(base * scaling**i) - (d - r) * math.log(1 - base * scaling**i) for i in range(n_states)]
        for r, d in zip(relevant, totals)
    ]


def path_cost(costs, climb_cost, path):
    """Return what a sequence of states costs: emissions, and climbs from state 0 on."""
    total, before = 0.0, 0
    for row, state in zip(costs, path):
        total += row[state] + climb_cost * max(0, state - before)
        before = state
    return total


def cheapest_by_enumeration(costs, climb_cost):
    """Return the least cost of all paths and one path that has it."""
    n_states = len(costs[0])
    paths = itertools.product(range(n_states), repeat=len(costs))
    return min((path_cost(costs, climb_cost, path), path) for path in paths)


def cheapest_by_dense_viterbi(costs, climb_cost):
    """Return the least cost, with every pair of states tried at every step."""
    costs = np.asarray(costs)
    n, k = costs.shape
    climbs = climb_cost * np.maximum(0, np.arange(k)[None, :] - np.arange(k)[:, None])
    best = climbs[0] + costs[0]
    for t in range(1, n):
        best = (best[:, None] + climbs).min(axis=0) + costs[t]
    return float(best.min())


def bursts_of_path(path):
    """Return (first, last, level) of every maximal interval at or above a level, by trying all intervals."""
    n = len(path)
    found = set()
    for level in range(1, max(path, default=0) + 1):
        for first in range(n):
            for last in range(first, n):
                inside = all(state >= level for state in path[first : last + 1])
                before = first > 0 and path[first - 1] >= level
                after = last + 1 < n and path[last + 1] >= level
                if inside and not before and not after:
                    found.add((first, last, level))
    return found


def batch_costs_at(relevant, totals, shares):
    """The same for given shares."""
    return [[-r * math.log(p) - (d - r) * math.log(1 - p) for p in shares] for r, d in zip(relevant, totals)]
