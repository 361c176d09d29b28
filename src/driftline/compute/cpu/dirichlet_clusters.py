r"""Collapsed Gibbs sampling of clusters of documents: multinomial words, Dirichlet prior, Chinese restaurant process.

Document d, taken out, joins cluster k of :math:`n_k` documents with probability proportional to

.. math:: (n_k - \delta) \, \frac{\Gamma(C_k + V\beta)}{\Gamma(C_k + N_d + V\beta)}
          \prod_w \frac{\Gamma(c_{kw} + x_{dw} + \beta)}{\Gamma(c_{kw} + \beta)},                               (1)

and a new cluster with the same for no counts at all and :math:`\alpha + K \delta` in place of the first factor, δ
being the discount of the process and K the number of clusters. A cluster is a row of `counts`
(clusters × words) with its sum in `totals` and its number of documents in `sizes`; rows without documents are free.
"""

import math

import numpy as np

from driftline.compute.jit import njit

FEW = 8
"""Largest number of uses of a word whose factors are multiplied one by one."""
SMALL = 1e-6
TINY = 1e-200
"""Bounds of single factors and of their product, within which it can neither underflow nor overflow."""


@njit(cache=True, nogil=True)
def log_predictive(words, said, length, counts, total, beta):
    """Return the log of (1) without its first factor: the probability of a document given those of a cluster."""
    spread = len(counts) * beta
    found = math.lgamma(total + spread) - math.lgamma(total + length + spread)
    product = 1.0
    for i in range(len(words)):
        least, times = counts[words[i]] + beta, int(said[i])
        if times == said[i] and times <= FEW and SMALL < least < 1 / SMALL:
            # Γ(a + n) / Γ(a) = a (a + 1) … (a + n - 1), and one logarithm serves many words
            for j in range(times):
                product *= least + j
            if not TINY < product < 1 / TINY:
                found += math.log(product)
                product = 1.0
        else:
            found += math.lgamma(least + said[i]) - math.lgamma(least)
    return found + math.log(product)


@njit(cache=True, nogil=True)
def take_out(words, said, length, k, counts, totals, sizes):
    """Take a document out of a cluster; one that is left empty is exactly zero."""
    sizes[k] -= 1
    totals[k] = totals[k] - length if sizes[k] > 0 else 0.0
    for i in range(len(words)):
        counts[k, words[i]] = counts[k, words[i]] - said[i] if sizes[k] > 0 else 0.0


@njit(cache=True, nogil=True)
def put_in(words, said, length, k, counts, totals, sizes):
    """Put a document into a cluster."""
    sizes[k] += 1
    totals[k] += length
    for i in range(len(words)):
        counts[k, words[i]] += said[i]


@njit(cache=True, nogil=True)
def sweep_documents(
    begin, indptr, words, said, lengths, concentration, discount, beta, uniforms, labels, counts, totals, sizes
):
    """Draw the clusters of documents from `begin` on; return the first that was not, because no row was free, or n."""
    n, room = len(labels), len(sizes)
    chance = np.empty(room)
    for d in range(begin, n):
        free, n_used = -1, 0
        for k in range(room):
            if sizes[k] > 0:
                n_used += 1
            elif free < 0:
                free = k
        if free < 0 and sizes[labels[d]] > 1:
            return d
        part = slice(indptr[d], indptr[d + 1])
        take_out(words[part], said[part], lengths[d], labels[d], counts, totals, sizes)
        if sizes[labels[d]] == 0:
            n_used -= 1
        if free < 0:
            free = labels[d]
        largest = -np.inf
        for k in range(room):
            chance[k] = -np.inf
            if sizes[k] > 0 or k == free:
                weight = concentration + discount * n_used if k == free else sizes[k] - discount
                fit = log_predictive(words[part], said[part], lengths[d], counts[k], totals[k], beta)
                chance[k] = math.log(weight) + fit
                largest = max(largest, chance[k])
        total = 0.0
        for k in range(room):
            chance[k] = math.exp(chance[k] - largest)
            total += chance[k]
        left, chosen = uniforms[d] * total, free
        for k in range(room):
            if chance[k] > 0:
                chosen = k
                left -= chance[k]
                if left < 0:
                    break
        labels[d] = chosen
        put_in(words[part], said[part], lengths[d], chosen, counts, totals, sizes)
    return n


@njit(cache=True, nogil=True)
def score_documents(indptr, words, said, lengths, counts, totals, beta, scores):
    """Write the log-probability of every document given those of each cluster, documents × clusters."""
    for d in range(len(lengths)):
        part = slice(indptr[d], indptr[d + 1])
        for k in range(len(totals)):
            scores[d, k] = log_predictive(words[part], said[part], lengths[d], counts[k], totals[k], beta)
