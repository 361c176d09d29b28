r"""Online collapsed variational inference for LDA, one (document, word) pair at a time.

With :math:`M_{wk}` the expected number of tokens of word w in topic k, :math:`n_k = \sum_w M_{wk}`, and
:math:`n_{dk}` that of document d, a pair's initial and final assignments are

.. math::
    g^0_k \propto (M_{wk} + \beta)\,(n_{dk} + \alpha_k) / (n_k + V\beta), \qquad (1)

    g_k \propto (M_{wk} + \beta)\,(\max(n_{dk} - g^0_k, 0) + \alpha_k) / (n_k + V\beta): \qquad (2)

the accuracy comes from leaving the pair's own mass out of the document's counts. These are the counts of this pass,
plus those of the last pass in proportion to the remaining part of the document:

.. math:: n_{dk} = n^{new}_{dk} + (\ell_d / L_d)\, n^{old}_{dk}, \qquad (3)

:math:`L_d` being its length and :math:`\ell_d` that of the remaining part. This takes half as many passes as
:math:`n^{old}` alone.

All arrays of topics are float32, padded with zeros to a multiple of 16 and aligned to 64 bytes, so that the inner loops
become full vector instructions. Sums may be reordered for this purpose (``reassoc``); no other rule of floating-point
arithmetic is relaxed.
"""

import numpy as np

from driftline.compute.jit import njit

SUMS = {"reassoc", "contract", "nsz"}


MANY_WORDS, PER_PAIR = 50_000, 150
"""Sorting pairs costs as much as counting through this number of words, and this number more per pair."""


def arrange(rows, indptr, words, counts, n_words, n_blocks):
    """Sort the pairs of some documents by (word % n_blocks, word), so that the row of a word stays in the cache.

    Returns word, number within `rows`, and count of every pair, where each block of words begins (and the last ends),
    and the lengths of the documents. Two blocks never share a word.
    """
    if n_words > MANY_WORDS:
        n_pairs = int((indptr[rows + 1] - indptr[rows]).sum())
        if n_words > MANY_WORDS + PER_PAIR * n_pairs:
            return arrange_few(rows, indptr, words, counts, n_words, n_blocks)
    return arrange_many(rows, indptr, words, counts, n_words, n_blocks)


def arrange_few(rows, indptr, words, counts, n_words, n_blocks):
    """`arrange` in a time that depends on the pairs alone."""
    sizes = indptr[rows + 1] - indptr[rows]
    ends = np.cumsum(sizes)
    documents = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    pairs = np.arange(len(documents)) + np.repeat(indptr[rows] - (ends - sizes), sizes)
    height = max((n_words + n_blocks - 1) // n_blocks, 1)
    keys = (words[pairs] % n_blocks).astype(np.int64) * height + words[pairs] // n_blocks
    order = np.argsort(keys, kind="stable")
    bounds = np.searchsorted(keys[order], np.arange(n_blocks + 1) * height)
    lengths = np.zeros(len(rows), np.float32)
    np.add.at(lengths, documents, counts[pairs])  # one after the other, as below: the rounding is the same
    sorted_pairs = pairs[order]
    return words[sorted_pairs], documents[order], counts[sorted_pairs], bounds, lengths


@njit(cache=True, nogil=True)
def arrange_many(rows, indptr, words, counts, n_words, n_blocks):
    """`arrange` by counting, in a time that also depends on the number of words."""
    height = max((n_words + n_blocks - 1) // n_blocks, 1)
    place = np.zeros(height * n_blocks + 1, np.int64)
    for row in rows:
        for p in range(indptr[row], indptr[row + 1]):
            place[(words[p] % n_blocks) * height + words[p] // n_blocks + 1] += 1
    for i in range(1, len(place)):
        place[i] += place[i - 1]
    bounds = place[::height].copy()
    n = place[-1]
    by_word, by_document, by_count = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.float32)
    lengths = np.zeros(len(rows), np.float32)
    for i in range(len(rows)):
        for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
            key = (words[p] % n_blocks) * height + words[p] // n_blocks
            q = place[key]
            place[key] += 1
            by_word[q], by_document[q], by_count[q] = words[p], i, counts[p]
            lengths[i] += counts[p]
    return by_word, by_document, by_count, bounds, lengths


@njit(cache=True, nogil=True, fastmath=SUMS)
def learn_pairs(words, documents, counts, M, inverse, alpha, beta, scale, step, old, new, lengths, left, scratch):
    """Add every pair's assignment (2) to its document's new counts and, times `step`, to its word's row of `M`.

    The true counts of a word are ``scale * M``; `inverse` is 1 / (n_k + Vβ), and `alpha` is α: one row each, or one per
    document; `old` are the documents' counts of the last pass, `left` is the remaining length of each document.
    """
    K = M.shape[1]
    a, g, n_d = scratch[0], scratch[1], scratch[2]
    zero, one = np.float32(0), np.float32(1)
    for p in range(len(words)):
        d = documents[p]
        row, last, out = M[words[p]], old[d], new[d]
        rest = left[d] / lengths[d]
        prior = alpha if alpha.ndim == 1 else alpha[d]
        smaller = inverse if inverse.ndim == 1 else inverse[d]
        total = zero
        for k in range(K):
            n_d[k] = last[k] * rest + out[k]  # Eq. 3
            a[k] = (scale * row[k] + beta) * smaller[k]
            g[k] = a[k] * (n_d[k] + prior[k])  # Eq. 1
            total += g[k]
        share = one / total
        total = zero
        for k in range(K):  # Eq. 2
            others = n_d[k] - g[k] * share
            others = others if others > zero else zero
            g[k] = a[k] * (others + prior[k])
            total += g[k]
        share = counts[p] / total
        for k in range(K):
            out[k] += g[k] * share
            row[k] += g[k] * (share * step)
        left[d] -= counts[p]


@njit(cache=True, nogil=True)
def fetch_rows(kept, rows, out):
    """Copy some rows of `kept` to `out`."""
    for i in range(len(rows)):
        row = kept[rows[i]]
        for k in range(len(row)):
            out[i, k] = row[k]


@njit(cache=True, nogil=True)
def store_rows(kept, rows, values):
    """Copy `values` to some rows of `kept`."""
    for i in range(len(rows)):
        row = kept[rows[i]]
        for k in range(len(row)):
            row[k] = values[i, k]


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_up(old, new, totals):
    """Add the columns of `new` to `totals`; return the sum of all absolute differences from `old`."""
    moved = 0.0
    for d in range(len(new)):
        row, last = new[d], old[d]
        here = np.float32(0)
        for k in range(len(row)):
            here += abs(row[k] - last[k])
            totals[k] += row[k]
        moved += here
    return moved


@njit(cache=True, nogil=True, fastmath=SUMS)
def warm_documents(rows, indptr, words, counts, M, inverse, alpha, beta, scale, passes, n_documents, scratch):
    """Initialise the documents' counts by some passes of Eq. 1 with fixed topics; in place.

    `inverse` and `alpha` are one row each, or one for each of `rows`.
    """
    K = M.shape[1]
    g, out = scratch[0], scratch[1]
    for i in range(len(rows)):
        n_d = n_documents[i]
        prior = alpha if alpha.ndim == 1 else alpha[i]
        smaller = inverse if inverse.ndim == 1 else inverse[i]
        for _ in range(passes):
            out[:] = 0
            for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
                row = M[words[p]]
                total = np.float32(0)
                for k in range(K):
                    g[k] = (scale * row[k] + beta) * smaller[k] * (n_d[k] + prior[k])
                    total += g[k]
                share = counts[p] / total
                for k in range(K):
                    out[k] += g[k] * share
            for k in range(K):
                n_d[k] = out[k]
