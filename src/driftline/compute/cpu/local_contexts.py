"""Local contexts: the kernel-weighted word distribution around a position of a document, as sparse rows."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def gather_contexts(words, offsets, positions, position_offsets, kernel, word_weights):
    """Return φ(i) of every position as (indptr, indices, data) of a CSR matrix, positions × words.

    Document d has `words[offsets[d]:offsets[d + 1]]`, and its contexts are computed at the positions
    `positions[position_offsets[d]:position_offsets[d + 1]]`, counted from its own beginning. `kernel[r]` is the weight
    of a word r places away (none is further away), `word_weights` the weight of each word (empty: all equal). Words
    beyond the ends of the document are omitted, repeated words are merged, and the rest is normalised to sum to one.
    """
    radius = kernel.shape[0] - 1
    room = 0
    for d in range(offsets.shape[0] - 1):
        length = offsets[d + 1] - offsets[d]
        room += min(2 * radius + 1, length) * (position_offsets[d + 1] - position_offsets[d])
    indptr = np.zeros(positions.shape[0] + 1, dtype=np.int64)
    indices = np.empty(room, dtype=np.int32)
    data = np.empty(room)
    n_words = 0
    for word in words:
        n_words = max(n_words, word + 1)
    place = np.full(n_words, -1, dtype=np.int64)
    size = 0
    for d in range(offsets.shape[0] - 1):
        first, last = offsets[d], offsets[d + 1]
        for i in range(position_offsets[d], position_offsets[d + 1]):
            centre = first + positions[i]
            start, total = size, 0.0
            for j in range(max(centre - radius, first), min(centre + radius + 1, last)):
                word = words[j]
                weight = kernel[abs(j - centre)]
                if word_weights.shape[0]:
                    weight *= word_weights[word]
                if place[word] < 0:
                    place[word] = size
                    indices[size] = word
                    data[size] = 0.0
                    size += 1
                data[place[word]] += weight
                total += weight
            for p in range(start, size):
                place[indices[p]] = -1
                data[p] /= total
            indptr[i + 1] = size
    return indptr, indices[:size].copy(), data[:size].copy()
