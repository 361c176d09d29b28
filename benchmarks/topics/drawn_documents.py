"""Documents drawn from known topics, as many as wanted, at a cost that does not depend on the number of topics.

The topics of a document follow a Dirichlet distribution with the sum of its parameters :math:`\\alpha_0`, which is
drawn with an urn: token i has the topic of an earlier token, drawn at random, with probability i / (i + α₀), and else
one drawn from all topics.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from driftline.inference.pairs import Pairs

MEAN_LENGTH = 111
SHORTEST, LONGEST = 5, 5000
CONCENTRATION = 5.0
PARTS = 1024


class Distribution(NamedTuple):
    """The distribution functions of topics × words, and for every part of [0, 1] the first word above its beginning."""

    sums: np.ndarray
    firsts: np.ndarray


def distribution(topics):
    """Return the distribution functions of topics × words."""
    sums = np.cumsum(topics, axis=1, dtype=np.float64)
    sums = (sums / sums[:, -1:]).astype(np.float32)
    edges = (np.arange(PARTS + 1) / PARTS).astype(np.float32)
    return Distribution(sums, np.array([np.searchsorted(row, edges, side="right") for row in sums], dtype=np.int32))


def drawn_block(known, n_documents, seed):
    """Draw documents, those with most pairs first."""
    rng = np.random.default_rng(seed)
    lengths = rng.lognormal(np.log(MEAN_LENGTH) - 0.18, 0.6, n_documents)
    lengths = np.clip(lengths, SHORTEST, LONGEST).astype(np.int64)
    return Pairs(*_draw(known.sums, known.firsts, lengths, CONCENTRATION, seed))


def drawn_blocks(known, n_documents, n_blocks):
    """Draw blocks of documents on all cores; the same for the same numbers."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda i: drawn_block(known, n_documents // n_blocks, i), range(n_blocks)))


@njit(nogil=True)
def _draw(sums, firsts, lengths, concentration, seed):
    np.random.seed(seed)  # noqa: NPY002
    n_topics, n_words = sums.shape
    ends = np.zeros(len(lengths) + 1, np.int64)
    words, counts = np.empty(lengths.sum(), np.int32), np.empty(lengths.sum(), np.float32)
    topics, said = np.empty(lengths.max(), np.int32), np.empty(lengths.max(), np.int32)
    end = 0
    for d in range(len(lengths)):
        n = lengths[d]
        for i in range(n):
            if np.random.random() * (i + concentration) < i:  # noqa: NPY002
                topics[i] = topics[int(np.random.random() * i)]  # noqa: NPY002
            else:
                topics[i] = int(np.random.random() * n_topics)  # noqa: NPY002
            place = np.float32(np.random.random())  # noqa: NPY002
            part = min(int(place * PARTS), PARTS - 1)
            low, high = firsts[topics[i], part], firsts[topics[i], part + 1]
            while low < high:
                middle = (low + high) // 2
                if sums[topics[i], middle] > place:
                    high = middle
                else:
                    low = middle + 1
            said[i] = min(low, n_words - 1)
        of_document = np.sort(said[:n])
        for i in range(n):
            if i > 0 and of_document[i] == of_document[i - 1]:
                counts[end - 1] += 1
            else:
                words[end], counts[end] = of_document[i], 1
                end += 1
        ends[d + 1] = end
    order = np.argsort(ends[:-1] - ends[1:], kind="mergesort")
    indptr, sorted_words, sorted_counts = np.zeros_like(ends), np.empty(end, np.int32), np.empty(end, np.float32)
    for i in range(len(order)):
        start, end = ends[order[i]], ends[order[i] + 1]
        indptr[i + 1] = indptr[i] + end - start
        sorted_words[indptr[i] : indptr[i + 1]] = words[start:end]
        sorted_counts[indptr[i] : indptr[i + 1]] = counts[start:end]
    return indptr, sorted_words, sorted_counts
