"""Non-negative sparse codes of local contexts by greedy coordinate descent (algorithm 1, corrected).

For one context φ with the document's mean z, the part of (2) that depends on β_j is a β_j² − 2 b β_j + λ β_j with

    a_j = ρ + ‖D_j‖²,    b_j = ρ z_j + D_j·(φ − Σ_{k≠j} D_k β_k),

so its minimum is max(0, b_j − λ/2) / a_j (6), and the change Δ to it lowers the objective by a_j Δ². The topic with the
largest decrease changes first. D and β are not negative, so b_j only decreases while other codes increase from zero: a
topic with D_j·φ + ρ z_j ≤ λ/2 can never be active, and is screened out without a loss.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

CONTEXTS = 2_048
"""Approximate number of contexts per call."""
GRAM_TOPICS = 1024
"""Largest number of topics for which the products of all pairs of topics are precomputed."""
CACHED_ROWS = 64
"""Number of cached Gram-matrix rows per context; few topics ever change."""
MOST_STEPS = 100_000


@njit(cache=True, nogil=True)
def code_documents(contexts, offsets, topics, postings, gram, start, penalties, tol, limits):
    """Return the codes (indptr, indices, data) of all contexts and the squared error of each.

    `contexts`, `topics` and `start` are (indptr, indices, data) of CSR matrices: contexts × words, topics × words, and
    the codes to start from; `postings` are the topics by words (CSC of `topics`). Contexts offsets[d] … offsets[d + 1]
    belong to document d. `gram` is the dense Gram matrix of the topics, or 0 × 0: products are then computed as needed.
    `penalties` are (λ, ρ). Codes and z take turns until ρ‖Δz‖² ≤ `tol`; `limits` are the maximum numbers of these
    rounds, and of active topics in one context.
    """
    alpha, rho = penalties
    most_rounds, most_active = limits
    n_topics = topics[0].shape[0] - 1
    n_words = postings[0].shape[0] - 1
    n = contexts[0].shape[0] - 1
    squares = _squares(topics)
    indptr = np.zeros(n + 1, dtype=np.int64)
    indices = np.empty(max(4 * n, 16), dtype=np.int32)
    data = np.empty(indices.shape[0])
    errors = np.zeros(n)
    z = np.zeros(n_topics)
    place = np.full(n_topics, -1, dtype=np.int64)
    candidates = np.empty(n_topics, dtype=np.int64)
    products, b, beta = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    scattered = np.zeros(n_words)
    cache = np.empty((CACHED_ROWS, n_topics if gram.shape[0] == 0 else 0))
    cached = np.full(n_topics, -1, dtype=np.int64)
    size = 0
    for d in range(offsets.shape[0] - 1):
        first, last = offsets[d], offsets[d + 1]
        if first == last:
            continue
        base = size
        old_ptr, old_indices, old_data = codes_between(start[0], start[1], start[2], first, last)
        move_mean(old_indices, old_data, last - first, z)
        for turn in range(most_rounds):
            size = base
            for i in range(first, last):
                count = _screen(contexts, i, postings, z, alpha, rho, place, candidates, products)
                for p in range(old_ptr[i - first], old_ptr[i - first + 1]):
                    j = old_indices[p]
                    if place[j] < 0:
                        place[j] = count
                        candidates[count] = j
                        products[count] = _product(topics, j, contexts, i, scattered)
                        count += 1
                for c in range(count):
                    b[c] = products[c] + rho * z[candidates[c]]
                    beta[c] = 0.0
                    cached[c] = -1
                n_cached, n_active = 0, 0
                for p in range(old_ptr[i - first], old_ptr[i - first + 1]):
                    c = place[old_indices[p]]
                    by = old_data[p]
                    n_cached = _move(c, by, candidates, count, topics, gram, b, cache, cached, n_cached, scattered)
                    beta[c] = old_data[p]
                    n_active += 1
                for _ in range(MOST_STEPS):
                    best, best_decrease, best_beta = -1, tol, 0.0
                    for c in range(count):
                        if beta[c] == 0.0 and n_active >= most_active:
                            continue
                        a = rho + squares[candidates[c]]
                        wanted = max(0.0, b[c] - 0.5 * alpha) / a  # Eq. 6
                        decrease = a * (wanted - beta[c]) ** 2
                        if decrease > best_decrease:
                            best, best_decrease, best_beta = c, decrease, wanted
                    if best < 0:
                        break
                    by = best_beta - beta[best]
                    n_active += (best_beta > 0.0) - (beta[best] > 0.0)
                    beta[best] = best_beta
                    n_cached = _move(best, by, candidates, count, topics, gram, b, cache, cached, n_cached, scattered)
                error = 0.0
                for p in range(contexts[0][i], contexts[0][i + 1]):
                    error += contexts[2][p] ** 2
                indices, data = with_capacity(indices, data, size + count)
                for c in range(count):
                    j = candidates[c]
                    place[j] = -1
                    if beta[c] > 0.0:
                        error -= beta[c] * (products[c] - rho * z[j] + b[c] - squares[j] * beta[c])
                        indices[size] = j
                        data[size] = beta[c]
                        size += 1
                errors[i] = max(error, 0.0)
                indptr[i + 1] = size
            if rho == 0.0:
                break
            moved = rho * move_mean(indices[base:size], data[base:size], last - first, z)
            if moved <= tol or turn + 1 == most_rounds:
                break
            indptr[first] = base
            old_ptr, old_indices, old_data = codes_between(indptr, indices, data, first, last)
        indptr[last] = size
    return packed_codes(indptr, indices, data, size), errors


@njit(cache=True, nogil=True)
def with_capacity(indices, data, n):
    """Return the arrays of codes, longer if they have fewer than n places."""
    if n > indices.shape[0]:
        return longer(indices, n), longer(data, n)
    return indices, data


@njit(cache=True, nogil=True)
def packed_codes(indptr, indices, data, size):
    """Return the codes of all contexts without spare places; documents without contexts have left zeros in `indptr`."""
    for i in range(indptr.shape[0] - 1):
        indptr[i + 1] = max(indptr[i + 1], indptr[i])
    return indptr, indices[:size].copy(), data[:size].copy()


@njit(cache=True, nogil=True)
def codes_between(indptr, indices, data, first, last):
    """Return a copy of the codes of contexts `first` … `last` - 1, with row pointers that begin at zero."""
    low, high = indptr[first], indptr[last]
    return indptr[first : last + 1] - low, indices[low:high].copy(), data[low:high].copy()


@njit(cache=True, nogil=True)
def move_mean(indices, data, n, z):
    """Set z to the mean of the codes of a document's n contexts; return the squared distance from the old one."""
    mean, share = np.zeros(z.shape[0]), 1.0 / n
    for p in range(indices.shape[0]):
        mean[indices[p]] += data[p] * share  # Eq. 7
    moved = 0.0
    for j in range(z.shape[0]):
        moved += (mean[j] - z[j]) ** 2
        z[j] = mean[j]
    return moved


@njit(cache=True, nogil=True)
def _squares(topics):
    squares = np.zeros(topics[0].shape[0] - 1)
    for j in range(squares.shape[0]):
        for p in range(topics[0][j], topics[0][j + 1]):
            squares[j] += topics[2][p] ** 2
    return squares


@njit(cache=True, nogil=True)
def _screen(contexts, i, postings, z, alpha, rho, place, candidates, products):
    """Collect the topics with D_j·φ + ρ z_j > λ/2; `place` is the position of each among them."""
    count = 0
    for p in range(contexts[0][i], contexts[0][i + 1]):
        word, weight = contexts[1][p], contexts[2][p]
        for q in range(postings[0][word], postings[0][word + 1]):
            j = postings[1][q]
            if place[j] < 0:
                place[j] = count
                candidates[count] = j
                products[count] = 0.0
                count += 1
            products[place[j]] += weight * postings[2][q]
    if rho > 0.0:
        for j in range(z.shape[0]):
            if rho * z[j] > 0.5 * alpha and place[j] < 0:
                place[j] = count
                candidates[count] = j
                products[count] = 0.0
                count += 1
    kept = 0
    for c in range(count):
        j = candidates[c]
        if products[c] + rho * z[j] > 0.5 * alpha:
            candidates[kept], products[kept], place[j] = j, products[c], kept
            kept += 1
        else:
            place[j] = -1
    return kept


@njit(cache=True, nogil=True)
def _product(topics, j, contexts, i, scattered):
    for p in range(contexts[0][i], contexts[0][i + 1]):
        scattered[contexts[1][p]] = contexts[2][p]
    total = 0.0
    for p in range(topics[0][j], topics[0][j + 1]):
        total += topics[2][p] * scattered[topics[1][p]]
    for p in range(contexts[0][i], contexts[0][i + 1]):
        scattered[contexts[1][p]] = 0.0
    return total


@njit(cache=True, nogil=True)
def _move(c, change, candidates, count, topics, gram, b, cache, cached, n_cached, scattered):
    """Update b of all other topics after the change of one code: b ← b − Δβ_j (DᵀD − diag) e_j."""
    j = candidates[c]
    if gram.shape[0]:
        for k in range(count):
            if k != c:
                b[k] -= change * gram[j, candidates[k]]
        return n_cached
    row = cached[c]
    if row < 0:
        row = min(n_cached, CACHED_ROWS - 1)
        if n_cached < CACHED_ROWS - 1:
            cached[c] = row
            n_cached += 1
        for p in range(topics[0][j], topics[0][j + 1]):
            scattered[topics[1][p]] = topics[2][p]
        for k in range(count):
            total = 0.0
            for p in range(topics[0][candidates[k]], topics[0][candidates[k] + 1]):
                total += topics[2][p] * scattered[topics[1][p]]
            cache[row, k] = total
        for p in range(topics[0][j], topics[0][j + 1]):
            scattered[topics[1][p]] = 0.0
    for k in range(count):
        if k != c:
            b[k] -= change * cache[row, k]
    return n_cached


@njit(cache=True, nogil=True)
def longer(values, needed):
    """Return a longer array with the same values: at least the requested length, and at least double."""
    found = np.empty(max(2 * values.shape[0], needed), dtype=values.dtype)
    found[: values.shape[0]] = values
    return found
