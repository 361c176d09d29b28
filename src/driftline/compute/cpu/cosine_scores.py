"""Cosine scores of words over time: the projection of a word's residuals on each cosine of the position in time."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def cosine_scores(indptr, units, counts, cells, table, shares, token_scores, which):
    """Return Σ_i (c_iw - n_i p_w) φ_k(u_i) for every word w and cosine k: shape (words, cosines).

    Counts c and tokens n are already weighted. `table` contains φ at every cell of the position, `cells` the cell of
    every unit (permuted under the null), and row `which[w]` of `token_scores` is Σ_i n_i φ_k(u_i) for the weights of
    word w.
    """
    n_words, n_cosines = len(indptr) - 1, table.shape[1]
    result = np.empty((n_words, n_cosines))
    total = np.empty(n_cosines)
    for w in range(n_words):
        total[:] = 0.0
        for i in range(indptr[w], indptr[w + 1]):
            row = table[cells[units[i]]]
            for k in range(n_cosines):
                total[k] += counts[i] * row[k]
        for k in range(n_cosines):
            result[w, k] = total[k] - shares[w] * token_scores[which[w], k]
    return result
