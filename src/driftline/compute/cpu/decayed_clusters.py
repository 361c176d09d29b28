r"""Collapsed Gibbs sampling of clusters of documents whose earlier members are discounted by age.

An item at time t joins a cluster with a weight :math:`w = \sum_j e^{-(t - t_j)}` of its earlier members j (times are
divided by the timescale), and begins one with weight α. The weights of all clusters together do not depend on the
clusters, so given all other items, an item joins cluster k with probability proportional to

.. math:: w_k \prod_{j} \frac{w_j + e^{-(t_j - t)}}{w_j}                                                           (1)

times the probability of its words: j are the later members of the cluster, :math:`w_j` is the weight of the members
before each, and a cluster or a later member without earlier members has α instead of a weight. Weights are stored as
logarithms, so that they do not underflow after a long gap. All documents are in time order.
"""

import math

import numpy as np

from driftline.compute.cpu.dirichlet_clusters import drawn, log_predictive, put_in, take_out
from driftline.compute.jit import njit

NEGLIGIBLE = -36.0
"""Logarithm of a factor's distance from one below which it and all later factors are omitted."""


@njit(cache=True, nogil=True)
def log_sum(x, y):
    """Return ln(eˣ + eʸ)."""
    if x < y:
        x, y = y, x
    return x if y == -np.inf else x + math.log1p(math.exp(y - x))


@njit(cache=True, nogil=True)
def joined(t, log_weight, first, following, times, log_alpha):
    """Return ln of (1) for a cluster: the log-weight of its earlier members at t, and its first later member or -1."""
    found = log_weight if log_weight > -np.inf else log_alpha
    weight, own, clock, j = log_weight, 0.0, t, first
    while j >= 0:
        gap = times[j] - clock
        weight, own, clock = weight - gap, own - gap, times[j]
        if weight == -np.inf:
            found += own - log_alpha
        elif own - weight < NEGLIGIBLE:  # the ratio decreases monotonically
            break
        else:
            found += log_sum(0.0, own - weight)
        weight = log_sum(weight, 0.0)
        j = following[j]
    return found


@njit(cache=True, nogil=True)
def linked(begin, labels, room):
    """Return the first member of every cluster at or after `begin`, and the next member of the same cluster; or -1."""
    heads, following = np.full(room, -1), np.full(len(labels), -1)
    for j in range(len(labels) - 1, begin - 1, -1):
        following[j] = heads[labels[j]]
        heads[labels[j]] = j
    return heads, following


@njit(cache=True, nogil=True)
def enter(k, t, log_weights, clocks):
    """Count an item at time t among the earlier members of a cluster."""
    log_weights[k] = log_sum(log_weights[k] - (t - clocks[k]), 0.0)
    clocks[k] = t


@njit(cache=True, nogil=True)
def sweep_in_time(
    begin, indptr, words, said, lengths, times, concentration, beta, uniforms, labels, counts, totals, sizes
):
    """Draw the clusters of documents starting at `begin`; return the first not drawn because no row was free, or n."""
    n, room, log_alpha = len(labels), len(sizes), math.log(concentration)
    chance, log_weights, clocks = np.empty(room), np.full(room, -np.inf), np.zeros(room)
    heads, following = linked(begin, labels, room)
    for j in range(begin):
        enter(labels[j], times[j], log_weights, clocks)
    for d in range(begin, n):
        free = -1
        for k in range(room):
            if sizes[k] == 0:
                free = k
                break
        own = labels[d]
        if free < 0:
            if sizes[own] > 1:
                return d
            free = own
        part = slice(indptr[d], indptr[d + 1])
        take_out(words[part], said[part], lengths[d], own, counts, totals, sizes)
        heads[own] = following[d]
        for k in range(room):
            chance[k] = -np.inf
            if sizes[k] > 0 or k == free:
                before = log_weights[k] - (times[d] - clocks[k]) if sizes[k] > 0 else -np.inf
                fit = log_predictive(words[part], said[part], lengths[d], counts[k], totals[k], beta)
                chance[k] = joined(times[d], before, heads[k], following, times, log_alpha) + fit
        chosen = drawn(chance, uniforms[d])
        if sizes[chosen] == 0:
            log_weights[chosen] = -np.inf
        labels[d] = chosen
        put_in(words[part], said[part], lengths[d], chosen, counts, totals, sizes)
        enter(chosen, times[d], log_weights, clocks)
    return n


@njit(cache=True, nogil=True)
def seats_in_time(new, times, labels, n_clusters, concentration, found):
    """Write ln of (1) for a further document at each of some times in order, times × (clusters + 1); last: a new one.

    A further document comes after the documents of its own time.
    """
    log_alpha, begin = math.log(concentration), 0
    log_weights, clocks = np.full(n_clusters, -np.inf), np.zeros(n_clusters)
    heads, following = linked(0, labels, n_clusters)
    for i in range(len(new)):
        while begin < len(times) and times[begin] <= new[i]:
            enter(labels[begin], times[begin], log_weights, clocks)
            heads[labels[begin]] = following[begin]
            begin += 1
        for k in range(n_clusters):
            before = log_weights[k] - (new[i] - clocks[k])
            found[i, k] = joined(new[i], before, heads[k], following, times, log_alpha)
        found[i, n_clusters] = log_alpha


@njit(cache=True, nogil=True)
def log_seats_in_time(times, labels, n_clusters, concentration):
    """Return the sum of the log-weights of documents when they joined, which is ln p(clusters) up to its normaliser."""
    found, log_alpha = 0.0, math.log(concentration)
    log_weights, clocks = np.full(n_clusters, -np.inf), np.zeros(n_clusters)
    for d in range(len(times)):
        k = labels[d]
        weight = log_weights[k] - (times[d] - clocks[k])
        found += weight if weight > -np.inf else log_alpha
        enter(k, times[d], log_weights, clocks)
    return found
