r"""Collapsed Gibbs sampling of clusters of rows: normal columns, normal-gamma prior, Chinese restaurant process.

A cluster of n rows is a row of `sums`: the sums s of values, then those q of squares. With the prior mean zero,

.. math:: \kappa = \kappa_0 + n, \quad m = s / \kappa, \quad a = a_0 + n / 2, \quad
          b = b_0 + \tfrac12 (q - \kappa m^2),                                                                     (1)

the next value of a column has Student's density with 2a degrees of freedom, location m and squared scale
:math:`b (\kappa + 1) / (a \kappa)` (2).
"""

import math

import numpy as np

from driftline.compute.cpu.dirichlet_clusters import drawn
from driftline.compute.jit import njit

NARROWEST = 1e-12


@njit(cache=True, nogil=True)
def log_student(values, rate, strength, shape, sums, n):
    """Return the sum over columns of the logarithms of (2)."""
    width = len(values)
    kappa, a = strength + n, shape + 0.5 * n
    found = width * (math.lgamma(a + 0.5) - math.lgamma(a) - 0.5 * math.log(2 * math.pi * (kappa + 1) / kappa))
    for j in range(width):
        mean = sums[j] / kappa
        b = max(rate[j] + 0.5 * (sums[width + j] - kappa * mean * mean), NARROWEST * rate[j])
        away = values[j] - mean
        found += -0.5 * math.log(b) - (a + 0.5) * math.log1p(0.5 * away * away * kappa / ((kappa + 1) * b))
    return found


@njit(cache=True, nogil=True)
def add_row(values, sign, sums):
    """Add a row to a cluster, or remove it."""
    width = len(values)
    for j in range(width):
        sums[j] += sign * values[j]
        sums[width + j] += sign * values[j] * values[j]


@njit(cache=True, nogil=True)
def sweep_rows(begin, rows, rate, strength, shape, concentration, discount, uniforms, labels, sums, sizes):
    """Draw the clusters of rows starting at `begin`; return the first not drawn because no cluster was free, or n."""
    n, room = len(labels), len(sizes)
    chance = np.empty(room)
    for d in range(begin, n):
        free, n_used = -1, 0
        for k in range(room):
            if sizes[k] == 0:
                if free < 0:
                    free = k
            else:
                n_used += 1
        old = labels[d]
        if free < 0 and sizes[old] > 1:
            return d
        sizes[old] -= 1
        add_row(rows[d], -1.0, sums[old])
        if sizes[old] == 0:
            sums[old] = 0.0
            n_used -= 1
        if free < 0:
            free = old
        for k in range(room):
            chance[k] = -np.inf
            if sizes[k] > 0 or k == free:
                weight = concentration + discount * n_used if k == free else sizes[k] - discount
                chance[k] = math.log(weight) + log_student(rows[d], rate, strength, shape, sums[k], sizes[k])
        chosen = drawn(chance, uniforms[d])
        labels[d] = chosen
        sizes[chosen] += 1
        add_row(rows[d], 1.0, sums[chosen])
    return n


@njit(cache=True, nogil=True)
def score_rows(rows, rate, strength, shape, sums, sizes, scores):
    """Write the log-density of every row given those of each cluster, rows × clusters."""
    for d in range(len(rows)):
        for k in range(len(sizes)):
            scores[d, k] = log_student(rows[d], rate, strength, shape, sums[k], sizes[k])


@njit(cache=True, nogil=True)
def seat_rows(items, rows, rate, strength, shape, discount, uniforms, given, second, sums, sizes):
    """Assign rows to two clusters, the first to cluster 0 and the next to cluster 1; return the log-probability.

    The others follow in order, each with its probabilities given the current contents of the two clusters. If `given`,
    `second` is True for those in cluster 1; otherwise it is written, by the uniform numbers.
    """
    found = 0.0
    for place in range(len(items)):
        values, k = rows[items[place]], place
        if place >= 2:
            odds = math.log((sizes[1] - discount) / (sizes[0] - discount))
            odds += log_student(values, rate, strength, shape, sums[1], sizes[1])
            odds -= log_student(values, rate, strength, shape, sums[0], sizes[0])
            if not given:
                second[place - 2] = uniforms[place - 2] < 1.0 / (1.0 + math.exp(min(-odds, 700.0)))
            k = 1 if second[place - 2] else 0
            away = -odds if k == 1 else odds
            found -= max(away, 0.0) + math.log1p(math.exp(-abs(away)))
        sizes[k] += 1
        add_row(values, 1.0, sums[k])
    return found
