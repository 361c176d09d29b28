r"""Collapsed Gibbs sampling for LDA, all topics of a token at once in vector instructions.

The topic of a token of word w in document d is drawn, all others being held fixed, with

.. math:: p(k) \propto (M_{wk} + \beta)\,(n_{dk} + \alpha_k) / (n_k + V\beta), \qquad (1)

counts being without the token itself. All products are computed at once; the draw then passes over whole registers of
16 topics before it looks into one. Arrays of topics are as in `lda_online`. A token may weigh other than one, when
counts are no whole numbers.
"""

import numpy as np
from numba import njit

SUMS = {"reassoc", "contract", "nsz"}
LANES = 16


@njit(cache=True, nogil=True)
def next_random(state):
    """Return a number in [0, 1) and the next state of a small generator (xorshift64*)."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    value = (state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(40)
    return np.float32(value) * np.float32(2.0**-24), state


@njit(cache=True, nogil=True)
def begin_random(seed, number):
    """Return the state of an independent generator for the piece of work with this number (splitmix64)."""
    value = np.uint64(seed) + (np.uint64(number) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value if value != np.uint64(0) else np.uint64(1)


@njit(cache=True, nogil=True, fastmath=SUMS)
def weigh(row, n_d, inverse, alpha, beta, p):
    """Write Eq. 1 to `p` and return its sum."""
    total = np.float32(0)
    for k in range(len(row)):
        p[k] = (row[k] + beta) * (n_d[k] + alpha[k]) * inverse[k]
        total += p[k]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def pick(p, n, point):
    """Return the topic at `point` of the running sum of the first `n` values, by whole registers first."""
    last = 0
    for b in range(0, n, LANES):
        whole = np.float32(0)
        for j in range(LANES):
            whole += p[b + j]
        if point < whole:
            for k in range(b, b + LANES):
                if p[k] > 0:
                    last = k
                    if point < p[k]:
                        return k
                point -= p[k]
            return last
        point -= whole
    # Rounding ran past the end: the last topic that is possible at all.
    for k in range(n):
        if p[k] > 0:
            last = k
    return last


@njit(cache=True, nogil=True)
def start_tokens(words, documents, M, inverse, alpha, beta, n_documents, z, seed, number, scratch):
    """Draw a topic for every token from the variational answer: Eq. 1 with expected counts, nothing left out."""
    state = begin_random(seed, number)
    p = scratch[0]
    for i in range(len(words)):
        total = weigh(M[words[i]], n_documents[documents[i]], inverse, alpha, beta, p)
        u, state = next_random(state)
        z[i] = pick(p, len(alpha), u * total)


@njit(cache=True, nogil=True)
def count_documents(documents, weights, z, n_documents):
    """Add every token to the counts of its document."""
    for i in range(len(z)):
        n_documents[documents[i], z[i]] += weights[i]


@njit(cache=True, nogil=True)
def count_words(words, weights, z, M):
    """Add every token to the counts of its word."""
    for i in range(len(z)):
        M[words[i], z[i]] += weights[i]


@njit(cache=True, nogil=True)
def sweep_tokens(
    words, documents, weights, z, M, totals, smoothing, alpha, beta, n_documents, lengths, seed, number, scratch
):
    r"""Draw every token's topic anew (1), in place; return the sum of :math:`\ln p(w | \text{all other tokens})`.

    `totals` (n_k) is this piece's own copy; `smoothing` is Vβ; `lengths` are those of the documents plus Σα.
    """
    state = begin_random(seed, number)
    p, inverse = scratch[0], scratch[1]
    inverse[:] = 0
    for k in range(len(totals)):
        if alpha[k] > 0:
            inverse[k] = 1.0 / (totals[k] + smoothing)
    likelihood = 0.0
    for i in range(len(words)):
        row, n_d, c, k = M[words[i]], n_documents[documents[i]], weights[i], z[i]
        row[k] -= c
        n_d[k] -= c
        totals[k] -= c
        inverse[k] = 1.0 / (totals[k] + smoothing)
        total = weigh(row, n_d, inverse, alpha, beta, p)
        likelihood += c * np.log(np.float64(total / (lengths[documents[i]] - c)))
        u, state = next_random(state)
        k = pick(p, len(alpha), u * total)
        z[i] = k
        row[k] += c
        n_d[k] += c
        totals[k] += c
        inverse[k] = 1.0 / (totals[k] + smoothing)
    return likelihood
