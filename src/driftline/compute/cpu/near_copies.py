"""Documents that repeat an earlier one of their unit with few other words."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def first_alike(indptr, words, units, n_words, least_similarity, fewest_words, most_compared):
    """Return for every document the first one of its unit that it is a near-copy of, or itself.

    Documents are rows of `words`, each ascending and without repeats; units are in ascending order. Two documents are
    near-copies if the Jaccard similarity of their words is at least `least_similarity` = t. A document of fewer than
    `fewest_words` words is not a copy. A document that is not a copy is the original of later copies; documents are
    compared only with originals.

    Words are numbered from rare to frequent. Of n words of a document, at least t n are in any near-copy, so the two
    share one of their first n - ceil(t n) + 1 words: only originals listed under these words are compared, and under
    each word at most the latest `most_compared`.
    """
    n_rows = len(indptr) - 1
    result = np.arange(n_rows)
    filed = np.zeros((n_words, most_compared), dtype=np.int32)
    n_filed = np.zeros(n_words, dtype=np.int64)
    unit_of_file = np.full(n_words, -1, dtype=np.int64)
    for row in range(n_rows):
        n = indptr[row + 1] - indptr[row]
        if n < fewest_words:
            continue
        n_first = n - int(np.ceil(least_similarity * n - 1e-9)) + 1
        model = row
        for i in range(indptr[row], indptr[row] + n_first):
            word = words[i]
            if unit_of_file[word] != units[row]:
                unit_of_file[word], n_filed[word] = units[row], 0
            for k in range(min(n_filed[word], most_compared)):
                other = filed[word, k]
                if other < model and _alike(indptr, words, row, other, least_similarity):
                    model = other
        result[row] = model
        if model == row:
            for i in range(indptr[row], indptr[row] + n_first):
                filed[words[i], n_filed[words[i]] % most_compared] = row
                n_filed[words[i]] += 1
    return result


@njit(cache=True, nogil=True)
def _alike(indptr, words, one, other, least_similarity):
    i, end_i = indptr[one], indptr[one + 1]
    j, end_j = indptr[other], indptr[other + 1]
    n_one, n_other = end_i - i, end_j - j
    if min(n_one, n_other) < least_similarity * max(n_one, n_other) - 1e-9:
        return False
    shared = 0
    while i < end_i and j < end_j:
        if words[i] == words[j]:
            shared, i, j = shared + 1, i + 1, j + 1
        elif words[i] < words[j]:
            i += 1
        else:
            j += 1
    return shared >= least_similarity * (n_one + n_other - shared) - 1e-9
