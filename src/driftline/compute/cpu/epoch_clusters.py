r"""Collapsed Gibbs sampling of clusters under the recurrent Chinese restaurant process, whose words may drift.

Cluster k has :math:`n_{ke}` documents in epoch e, and :math:`c_{ke} = \sum_{e' < e} D_{ee'} n_{ke'}` decayed earlier
ones. The documents of an epoch are exchangeable: their seats have the probability

.. math:: S(c, n) = \Gamma(c + n) / \Gamma(c), \qquad S(0, n) = \alpha \, \Gamma(n) \text{ if the cluster is new.}  (1)

Its words in an epoch have shares :math:`\phi_{ke} \sim \mathrm{Dir}(\beta + m_{ke})`, with decayed earlier counts
:math:`m_{ke} = \sum_{e' < e} D^w_{ee'} x_{ke'}` (2); without drift there is one epoch of words. A document changes its
own epoch, and through c and m the later epochs of its cluster.

`sizes` is clusters × epochs; `counts` is clusters × epochs of words × words, and `totals` its sums over words.
`carried` is c, `faded` and `faded_totals` are m: the caller computes them, and they are updated here by sums, never by
differences.
"""

import math

import numpy as np

from driftline.compute.cpu.dirichlet_clusters import drawn
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def log_rise(least, n):
    """Return ln Γ(a + n) - ln Γ(a)."""
    return math.lgamma(least + n) - math.lgamma(least) if n > 0 else 0.0


@njit(cache=True, nogil=True)
def log_seats(carried, n, is_new, log_alpha):
    """Return ln of (1); minus infinity if the cluster had ended."""
    if n == 0:
        return 0.0
    if carried > 0:
        return log_rise(carried, n)
    return log_alpha + math.lgamma(n) if is_new else -np.inf


@njit(cache=True, nogil=True)
def seat_gain(weight, end, ahead, sizes, carried, log_alpha):
    """Return the change of ln of (1) if a document joins a cluster of this weight.

    The epochs at and after `end` are later than its own; it counts `ahead` for each of them.
    """
    earlier = sizes[:end].sum()
    if weight > 0:
        gain = math.log(weight)
    elif earlier == 0:
        gain = log_alpha
    else:
        return -np.inf
    for e in range(end, len(sizes)):
        if sizes[e] > 0:
            gain += log_seats(carried[e] + ahead[e], sizes[e], False, log_alpha)
            gain -= log_seats(carried[e], sizes[e], earlier == 0, log_alpha)
            earlier += sizes[e]
    return gain


@njit(cache=True, nogil=True)
def word_gain(words, said, length, own, before, total, end, ahead, counts, faded, totals, faded_totals, beta):
    """Return the change of the log-probability of a cluster's words (2) if a document joins it.

    `own` and `before` are the counts of the document's epoch and those carried to it, and `total` is their sum.
    """
    spread = len(own) * beta
    gain = -log_rise(total + spread, length)
    for i in range(len(words)):
        gain += log_rise(own[words[i]] + before[words[i]] + beta, said[i])
    for e in range(end, len(totals)):
        if totals[e] == 0 or ahead[e] == 0:
            continue
        least = faded_totals[e] + spread
        gain += log_rise(least, totals[e]) - log_rise(least + ahead[e] * length, totals[e])
        for i in range(len(words)):
            n = counts[e, words[i]]
            if n > 0:
                least = faded[e, words[i]] + beta
                gain += log_rise(least + ahead[e] * said[i], n) - log_rise(least, n)
    return gain


@njit(cache=True, nogil=True)
def sweep_epochs(
    begin,
    indptr,
    words,
    said,
    lengths,
    epochs,
    decay,
    word_decay,
    concentration,
    beta,
    uniforms,
    labels,
    sizes,
    counts,
    totals,
    carried,
    faded,
    faded_totals,
):
    """Draw the clusters of documents starting at `begin`; return the first not drawn because no row was free, or n."""
    n, room, drifts = len(labels), len(sizes), counts.shape[1] > 1
    log_alpha, chance = math.log(concentration), np.empty(room)
    members = sizes.sum(axis=1)
    clusters = (sizes, counts, totals, carried, faded, faded_totals)
    for d in range(begin, n):
        e, k = epochs[d], labels[d]
        free = -1
        for row in range(room):
            if members[row] == 0:
                free = row
                break
        if free < 0:
            if members[k] > 1:
                return d
            free = k
        part, place = slice(indptr[d], indptr[d + 1]), e if drifts else 0
        own, uses = words[part], said[part]
        _change(own, uses, lengths[d], e, place, -1, decay, word_decay, k, clusters)
        members[k] -= 1
        if _is_bridge(e, sizes[k], carried[k]):
            chosen = k
        else:
            for row in range(room):
                chance[row] = -np.inf
                if members[row] > 0 or row == free:
                    weight = carried[row, e] + sizes[row, e]
                    chance[row] = seat_gain(weight, e + 1, decay[:, e], sizes[row], carried[row], log_alpha)
                    if chance[row] > -np.inf:
                        total = totals[row, place] + faded_totals[row, place]
                        chance[row] += word_gain(
                            own,
                            uses,
                            lengths[d],
                            counts[row, place],
                            faded[row, place],
                            total,
                            place + 1,
                            word_decay[:, place],
                            counts[row],
                            faded[row],
                            totals[row],
                            faded_totals[row],
                            beta,
                        )
            chosen = drawn(chance, uniforms[d])
        labels[d] = k = chosen
        members[k] += 1
        _change(own, uses, lengths[d], e, place, 1, decay, word_decay, k, clusters)
    return n


@njit(cache=True, nogil=True)
def _is_bridge(e, sizes, carried):
    """Return whether a cluster, without a document of this epoch, would end before later members."""
    earlier = sizes[: e + 1].sum()
    for later in range(e + 1, len(sizes)):
        if sizes[later] > 0 and carried[later] == 0 and earlier > 0:
            return True
        earlier += sizes[later]
    return False


@njit(cache=True, nogil=True)
def _change(words, said, length, e, place, sign, decay, word_decay, k, clusters):
    """Add a document to cluster k, or remove it; the counts of an emptied cluster are exactly zero."""
    sizes, counts, totals = clusters[0][k], clusters[1][k], clusters[2][k]
    carried, faded, faded_totals = clusters[3][k], clusters[4][k], clusters[5][k]
    sizes[e] += sign
    some = sizes[e] > 0 if len(totals) > 1 else sizes.sum() > 0
    totals[place] = totals[place] + sign * length if some else 0.0
    for i in range(len(words)):
        counts[place, words[i]] = counts[place, words[i]] + sign * said[i] if some else 0.0
    for later in range(e + 1, len(sizes)):
        if decay[later, e] > 0:
            carried[later] = 0.0
            for before in range(later):
                carried[later] += decay[later, before] * sizes[before]
    for later in range(place + 1, len(totals)):
        if word_decay[later, place] > 0:
            faded_totals[later] = 0.0
            for before in range(later):
                faded_totals[later] += word_decay[later, before] * totals[before]
            for w in words:
                total = 0.0
                for before in range(later):
                    total += word_decay[later, before] * counts[before, w]
                faded[later, w] = total


@njit(cache=True, nogil=True)
def score_epoch(
    rows,
    indptr,
    words,
    said,
    lengths,
    end,
    word_end,
    weights,
    ahead,
    word_ahead,
    base,
    base_totals,
    concentration,
    beta,
    sizes,
    counts,
    totals,
    carried,
    faded,
    faded_totals,
    seats,
    fits,
):
    """Write the seat and the word gains of further documents of one epoch, documents × (clusters + 1).

    `weights` and `base` are the weights of clusters and their counts of words in this epoch.
    """
    n_clusters, log_alpha, nothing = len(sizes), math.log(concentration), np.zeros(base.shape[1])
    for d in rows:
        part = slice(indptr[d], indptr[d + 1])
        for k in range(n_clusters):
            seats[d, k] = seat_gain(weights[k], end, ahead, sizes[k], carried[k], log_alpha)
            fits[d, k] = word_gain(
                words[part],
                said[part],
                lengths[d],
                nothing,
                base[k],
                base_totals[k],
                word_end,
                word_ahead,
                counts[k],
                faded[k],
                totals[k],
                faded_totals[k],
                beta,
            )
        seats[d, n_clusters] = log_alpha
        fits[d, n_clusters] = word_gain(
            words[part],
            said[part],
            lengths[d],
            nothing,
            nothing,
            0.0,
            len(totals[0]),
            word_ahead,
            counts[0],
            faded[0],
            totals[0],
            faded_totals[0],
            beta,
        )
