r"""Collapsed Gibbs sampling of clusters of documents: multinomial words, Dirichlet prior, Chinese restaurant process.

Document d, after its removal, joins cluster k of :math:`n_k` documents with probability proportional to

.. math:: (n_k - \delta) \, \frac{\Gamma(C_k + V\beta)}{\Gamma(C_k + N_d + V\beta)}
          \prod_w \frac{\Gamma(c_{kw} + x_{dw} + \beta)}{\Gamma(c_{kw} + \beta)},                               (1)

and a new cluster with the same for zero counts and :math:`\alpha + K \delta` instead of the first factor, δ
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
MOST_FACTORS = 32
"""Largest number of factors within bounds whose product is formed before its logarithm is taken."""


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
    """Remove a document from a cluster; the counts of an emptied cluster are exactly zero."""
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
def log_predictives(words, said, length, turned, totals, beta, moderate, product, found):
    """Write the result of `log_predictive` for every cluster; `turned` contains the counts as words × clusters.

    One of its rows contains the counts of a word in all clusters, so memory is read in order. `moderate`: no factor is
    out of bounds.
    """
    spread, n_clusters, n_factors = len(turned) * beta, len(totals), 0
    for k in range(n_clusters):
        found[k] = math.lgamma(totals[k] + spread) - math.lgamma(totals[k] + length + spread)
        product[k] = 1.0
    for i in range(len(words)):
        held, times = turned[words[i]], int(said[i])
        if moderate and times == said[i] and times <= FEW:
            if n_factors + times > MOST_FACTORS:
                for k in range(n_clusters):
                    found[k] += math.log(product[k])
                    product[k] = 1.0
                n_factors = 0
            n_factors += times
            for j in range(times):
                least = beta + j
                for k in range(n_clusters):
                    product[k] *= held[k] + least
        else:
            for k in range(n_clusters):
                found[k] += math.lgamma(held[k] + beta + said[i]) - math.lgamma(held[k] + beta)
    for k in range(n_clusters):
        found[k] += math.log(product[k])


@njit(cache=True, nogil=True)
def is_moderate(counts, beta):
    """Return whether the factors of all words are within bounds for any clusters of the documents."""
    return beta > SMALL and (counts.size == 0 or counts.sum(axis=0).max() + beta + FEW < 1 / SMALL)


@njit(cache=True, nogil=True)
def drawn(chance, uniform):
    """Return a draw in proportion to the exponentials of logarithms, which are overwritten."""
    largest, total = chance.max(), 0.0
    for k in range(len(chance)):
        chance[k] = math.exp(chance[k] - largest)
        total += chance[k]
    left, chosen = uniform * total, 0
    for k in range(len(chance)):
        if chance[k] > 0:
            chosen = k
            left -= chance[k]
            if left < 0:
                break
    return chosen


@njit(cache=True, nogil=True)
def sweep_documents(
    begin, indptr, words, said, lengths, concentration, discount, beta, uniforms, labels, counts, totals, sizes
):
    """Draw the clusters of documents starting at `begin`; return the first not drawn because no row was free, or n."""
    n, room, moderate = len(labels), len(sizes), is_moderate(counts, beta)
    chance, product = np.empty(room), np.empty(room)
    turned = np.ascontiguousarray(counts.T)
    done = n
    for d in range(begin, n):
        free, n_used = -1, 0
        for k in range(room):
            if sizes[k] > 0:
                n_used += 1
            elif free < 0:
                free = k
        if free < 0 and sizes[labels[d]] > 1:
            done = d
            break
        part = slice(indptr[d], indptr[d + 1])
        take_out(words[part], said[part], lengths[d], labels[d], turned.T, totals, sizes)
        if sizes[labels[d]] == 0:
            n_used -= 1
        if free < 0:
            free = labels[d]
        log_predictives(words[part], said[part], lengths[d], turned, totals, beta, moderate, product, chance)
        for k in range(room):
            if sizes[k] > 0 or k == free:
                chance[k] += math.log(concentration + discount * n_used if k == free else sizes[k] - discount)
            else:
                chance[k] = -np.inf
        chosen = drawn(chance, uniforms[d])
        labels[d] = chosen
        put_in(words[part], said[part], lengths[d], chosen, turned.T, totals, sizes)
    counts[:] = turned.T
    return done


@njit(cache=True, nogil=True)
def score_documents(indptr, words, said, lengths, counts, totals, beta, scores):
    """Write the log-probability of every document given those of each cluster, documents × clusters."""
    turned, product, moderate = np.ascontiguousarray(counts.T), np.empty(len(totals)), is_moderate(counts, beta)
    for d in range(len(lengths)):
        part = slice(indptr[d], indptr[d + 1])
        log_predictives(words[part], said[part], lengths[d], turned, totals, beta, moderate, product, scores[d])


@njit(cache=True, nogil=True)
def seat_documents(items, indptr, words, said, lengths, discount, beta, uniforms, given, second, counts, totals, sizes):
    """Assign documents to two rows, the first to row 0 and the next to row 1; return the log-probability.

    The others follow in order, each with the probabilities (1) given the current contents of the two rows. If `given`,
    `second` is True for those in row 1; otherwise it is written, by the uniform numbers.
    """
    found = 0.0
    for place in range(len(items)):
        d, row = items[place], place
        part = slice(indptr[d], indptr[d + 1])
        if place >= 2:
            odds = math.log((sizes[1] - discount) / (sizes[0] - discount))
            odds += log_predictive(words[part], said[part], lengths[d], counts[1], totals[1], beta)
            odds -= log_predictive(words[part], said[part], lengths[d], counts[0], totals[0], beta)
            if not given:
                second[place - 2] = uniforms[place - 2] < 1.0 / (1.0 + math.exp(min(-odds, 700.0)))
            row = 1 if second[place - 2] else 0
            away = -odds if row == 1 else odds
            found -= max(away, 0.0) + math.log1p(math.exp(-abs(away)))
        put_in(words[part], said[part], lengths[d], row, counts, totals, sizes)
    return found
