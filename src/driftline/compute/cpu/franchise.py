r"""Gibbs sampling for the Chinese restaurant franchise by direct assignment, over packed documents.

The topic of a token of word w in document d is drawn, given all others, with

.. math:: p(k) \propto (n_{dk} + \alpha_k)\, (M_{wk} + \eta) / (n_k + V\eta), \qquad \alpha_k = \alpha_0 \pi_k     (1)

as in `lda_gibbs`. A slot without tokens has :math:`(M_{wk} + \eta) / (n_k + V\eta) = 1 / V`, so the topics that were
never used are one slot, `rest`, whose :math:`\alpha` is that of all of them. When a token is assigned to it, a new
topic begins, and the loop returns: the caller divides the weight, sets the next `rest`, and calls again.

The number of tables of a topic in a document is drawn by Antoniak's rule: customer i + 1 opens one with probability
:math:`a / (a + i)`, where :math:`a = \alpha_k` (2).
"""

import numpy as np

from driftline.compute.cpu.lda_gibbs import (
    _enter,
    _leave,
    begin_random,
    change,
    next_random,
    pick_by_sums,
    prepare,
    weigh_list,
)
from driftline.compute.jit import njit

LANES = 16


@njit(cache=True, nogil=True)
def sweep_until_birth(
    begin,
    words,
    documents,
    z,
    M,
    totals,
    smoothing,
    alpha,
    eta,
    starts,
    sizes,
    topics,
    uses,
    counts,
    lengths,
    rest_slot,
    seed,
    scratch,
):
    r"""Draw the topics of tokens starting at `begin` (1), in place, until a new topic or the end is reached.

    Returns the next token, and the sum of :math:`\ln p(w | \text{all other tokens})`. `smoothing` is Vη; `lengths` are
    those of the documents plus Σα.
    """
    state = begin_random(seed, 0)
    q, r, inverse, sums, p = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    n, one = len(alpha) // LANES, np.float32(1)
    for k in range(len(totals)):
        inverse[k] = 1.0 / (totals[k] + smoothing)
    likelihood, rest, word = 0.0, 0.0, -1
    for i in range(begin, len(words)):
        d, k = documents[i], z[i]
        row, start = M[words[i]], starts[d]
        sizes[d] -= _leave(topics, uses, counts, start, sizes[d], k, one)
        row[k] -= one
        totals[k] -= 1.0
        inverse[k] = 1.0 / (totals[k] + smoothing)
        if words[i] != word:
            word = words[i]
            rest = prepare(row, inverse[: len(alpha)], alpha, eta, q, r, sums)
        else:
            rest += change(k, row, inverse, alpha, eta, q, r, sums)
        own = weigh_list(topics[start : start + sizes[d]], counts[start : start + sizes[d]], q, p)
        total = own + np.float32(rest)
        likelihood += np.log(np.float64(total / (lengths[d] - one)))
        u, state = next_random(state)
        point = u * total
        if point < own:
            j = 0
            while p[j] <= point and j < sizes[d] - 1:
                point -= p[j]
                j += 1
            k = topics[start + j]
        else:
            k = pick_by_sums(r, sums, n, point - own)
        z[i] = k
        sizes[d] += _enter(topics, uses, counts, start, sizes[d], k, one)
        row[k] += one
        totals[k] += 1.0
        inverse[k] = 1.0 / (totals[k] + smoothing)
        if k == rest_slot:
            return i + 1, likelihood
        rest += change(k, row, inverse, alpha, eta, q, r, sums)
    return len(words), likelihood


@njit(cache=True, nogil=True)
def draw_tables(rows, starts, sizes, topics, uses, alpha, seed, tables):
    """Add the number of tables of every topic in some documents (2)."""
    state = begin_random(seed, 1)
    for d in rows:
        for j in range(starts[d], starts[d] + sizes[d]):
            k, a = topics[j], alpha[topics[j]]
            tables[k] += 1
            for i in range(1, uses[j]):
                u, state = next_random(state)
                if u * (a + i) < a:
                    tables[k] += 1
