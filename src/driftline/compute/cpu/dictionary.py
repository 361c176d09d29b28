"""Topics on the simplex: projections, and one sweep of block-coordinate descent over sparse topics."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def project_rows(rows):
    """Replace every row by the nearest point of the simplex Σ_v D_vk = 1, D ≥ 0, in place."""
    for k in range(rows.shape[0]):
        _project(rows[k])


@njit(cache=True, nogil=True)
def _project(values):
    ordered = np.sort(values)[::-1]
    total, threshold = 0.0, 0.0
    for i in range(ordered.shape[0]):
        total += ordered[i]
        if ordered[i] * (i + 1) > total - 1.0:
            threshold = (total - 1.0) / (i + 1)
    for i in range(values.shape[0]):
        values[i] = max(0.0, values[i] - threshold)


@njit(cache=True, nogil=True)
def sweep_topics(topics, sizes, words, pairs, context_words, n_words, least):
    """Replace every used topic by its optimum given the current others, in place.

    With A = Σββᵀ and B = Σβφᵀ the loss (8) is tr(DᵀDA) − 2tr(DᵀB) + const; as a function of D_j alone it is A_jj ‖D_j −
    u‖² + const with u = D_j + (B_j − Σ_k A_jk D_k) / A_jj, so its minimum is the projection of u. Only words of the
    topic, or with an entry in its row of B, are considered. Shares below `least` are pruned, and the rest renormalised.

    `topics` and `words` are topics × capacity: the shares of a topic and their words, `sizes[j]` of them;
    `pairs` and `context_words` are A and B as (indptr, indices, data).
    """
    buffer = np.zeros(n_words)
    met = np.zeros(n_words, dtype=np.bool_)
    touched = np.empty(n_words, dtype=np.int64)
    room = topics.shape[1]
    for j in range(topics.shape[0]):
        own = 0.0
        for p in range(pairs[0][j], pairs[0][j + 1]):
            if pairs[1][p] == j:
                own = pairs[2][p]
        if own <= 0.0:
            continue
        count = 0
        for p in range(sizes[j]):
            word = words[j, p]
            met[word] = True
            touched[count] = word
            buffer[word] = topics[j, p]
            count += 1
        for p in range(context_words[0][j], context_words[0][j + 1]):
            word = context_words[1][p]
            if not met[word]:
                met[word] = True
                touched[count] = word
                buffer[word] = 0.0
                count += 1
            buffer[word] += context_words[2][p] / own
        for p in range(pairs[0][j], pairs[0][j + 1]):
            k, weight = pairs[1][p], pairs[2][p] / own
            for q in range(sizes[k]):
                if met[words[k, q]]:
                    buffer[words[k, q]] -= weight * topics[k, q]
        values = np.empty(count)
        for p in range(count):
            values[p] = buffer[touched[p]]
            buffer[touched[p]] = 0.0
            met[touched[p]] = False
        _project(values)
        floor = least
        if count > room:
            floor = max(floor, np.sort(values)[count - room])
        total, size = 0.0, 0
        for p in range(count):
            if values[p] >= floor and values[p] > 0.0 and size < room:
                total += values[p]
                words[j, size] = touched[p]
                topics[j, size] = values[p]
                size += 1
        if size == 0:
            largest = np.argmax(values)
            words[j, 0], topics[j, 0], total, size = touched[largest], 1.0, 1.0, 1
        for p in range(size):
            topics[j, p] /= total
        sizes[j] = size
