"""Exact nearest neighbours by cosine among sparse rows: posting lists, and bounds that avoid the longest of them.

Rows have unit length. A few *common* words have the longest lists, which would take most of the time, and the smallest
weights. A row x is therefore first compared with the others through its *rare* words only:

    cos(x, y) = Σ_rare x_v y_v + Σ_common x_v y_v ≤ Σ_rare x_v y_v + ‖x_common‖ ‖y_common‖        (Cauchy–Schwarz)

and the second sum is computed only for rows whose bound reaches the k-th best cosine known so far, unless their number
is so large that the lists are cheaper. Both methods give the cosines of the full product X Xᵀ, summed in one order;
ties are broken in favour of the lower row number.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

SLACK = 1e-12
"""Tolerance for rounding in the bounds: candidates this close to the threshold are examined."""
LOOK_COST = 4.0
"""Cost of a random-access product with one row per common word, in steps along a posting list."""


@njit(cache=True, nogil=True)
def nearest_rows(rare, rare_lists, common, common_lists, common_norms, first, last, k):
    """Return the k nearest rows of each row in first … last − 1, and their cosines, the nearest first.

    `rare` and `common` are (indptr, indices, data) of CSR matrices with one row per document, `rare_lists` and
    `common_lists` the same matrices by columns; `common_norms` are the lengths of the common parts. Only positive
    cosines count; where there are fewer than k, the row number is −1 and the cosine 0.
    """
    n = common_norms.shape[0]
    through_rare, through_common = np.zeros(n), np.zeros(n)
    query = np.zeros(common_lists[0].shape[0] - 1)
    rows = np.full((last - first, k), -1, dtype=np.int64)
    cosines = np.zeros((last - first, k))
    for i in range(first, last):
        through_rare[:] = 0.0
        _walk(rare, rare_lists, i, through_rare)
        through_rare[i] = -2.0  # a row is not its own neighbour
        _set_query(common, i, query, True)
        best_rows, best = rows[i - first], cosines[i - first]
        size = _seed(through_rare, common, query, best_rows, best)
        threshold = best[0] if size == k else 0.0
        n_candidates = _count_within_reach(through_rare, common_norms[i], common_norms, threshold)
        list_length = _list_length(common, common_lists, i)
        look = LOOK_COST * (common[1].shape[0] / n + 1.0)
        best_rows[:], best[:] = -1, 0.0
        if n_candidates * look < list_length + n:
            size = _look_at_candidates(through_rare, common, common_norms, i, query, threshold, best_rows, best)
        else:
            through_common[:] = 0.0
            _walk(common, common_lists, i, through_common)
            size = 0
            for j in range(n):
                total = through_rare[j] + through_common[j]
                if size < k or total > best[0]:
                    size = _offer(best_rows, best, size, j, total)
        _set_query(common, i, query, False)
        _sort_heap(best_rows, best, size)
    return rows, cosines


@njit(cache=True, nogil=True)
def _walk(part, lists, i, sums):
    """Add up the products of row i with all rows that share a word with it."""
    pointers, words, values = part
    list_pointers, list_rows, list_values = lists
    for position in range(pointers[i], pointers[i + 1]):
        word, value = words[position], values[position]
        for entry in range(list_pointers[word], list_pointers[word + 1]):
            sums[list_rows[entry]] += value * list_values[entry]


@njit(cache=True, nogil=True)
def _set_query(common, i, query, on):
    pointers, words, values = common
    for position in range(pointers[i], pointers[i + 1]):
        query[words[position]] = values[position] if on else 0.0


@njit(cache=True, nogil=True)
def _seed(through_rare, common, query, best_rows, best):
    """Find k good neighbours by rare words alone, and their true cosines: a threshold for all others."""
    k = best.shape[0]
    head_rows, head = np.full(k, -1, dtype=np.int64), np.zeros(k)
    n_head = 0
    for j in range(through_rare.shape[0]):
        if through_rare[j] > 0.0 and (n_head < k or through_rare[j] > head[0]):
            n_head = _offer(head_rows, head, n_head, j, through_rare[j])
    size = 0
    for place in range(n_head):
        j = head_rows[place]
        size = _offer(best_rows, best, size, j, through_rare[j] + _dot(common, j, query))
    return size


@njit(cache=True, nogil=True)
def _count_within_reach(through_rare, norm, norms, threshold):
    count = 0
    for j in range(through_rare.shape[0]):
        count += through_rare[j] + norm * norms[j] + SLACK >= threshold
    return count


@njit(cache=True, nogil=True)
def _list_length(common, common_lists, i):
    pointers, words = common[0], common[1]
    list_pointers = common_lists[0]
    total = 0
    for position in range(pointers[i], pointers[i + 1]):
        total += list_pointers[words[position] + 1] - list_pointers[words[position]]
    return total


@njit(cache=True, nogil=True)
def _look_at_candidates(through_rare, common, norms, i, query, threshold, best_rows, best):
    """Compute the cosines of the rows whose bounds reach the threshold; return the number of neighbours."""
    size, k = 0, best.shape[0]
    for j in range(norms.shape[0]):
        if through_rare[j] + norms[i] * norms[j] + SLACK >= threshold:
            total = through_rare[j] + _dot(common, j, query)
            size = _offer(best_rows, best, size, j, total)
            if size == k and best[0] > threshold:
                threshold = best[0]
    return size


@njit(cache=True, nogil=True)
def _dot(common, j, query):
    pointers, words, values = common
    total = 0.0
    for position in range(pointers[j], pointers[j + 1]):
        total += query[words[position]] * values[position]
    return total


@njit(cache=True, nogil=True)
def _worse(cosine, row, other_cosine, other_row):
    return cosine < other_cosine or (cosine == other_cosine and row > other_row)


@njit(cache=True, nogil=True)
def _offer(rows, cosines, size, row, cosine):
    """Insert a row into the heap of the best (the worst on top) if it is among them; return the heap's size."""
    if cosine <= 0.0:
        return size
    if size == rows.shape[0]:
        if _worse(cosines[0], rows[0], cosine, row):
            _sift(rows, cosines, size, row, cosine)
        return size
    place = size
    while place > 0:
        parent = (place - 1) // 2
        if not _worse(cosine, row, cosines[parent], rows[parent]):
            break
        cosines[place], rows[place] = cosines[parent], rows[parent]
        place = parent
    cosines[place], rows[place] = cosine, row
    return size + 1


@njit(cache=True, nogil=True)
def _sift(rows, cosines, size, row, cosine):
    """Replace the top of the heap and restore its order."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _worse(cosines[child + 1], rows[child + 1], cosines[child], rows[child]):
            child += 1
        if not _worse(cosines[child], rows[child], cosine, row):
            break
        cosines[place], rows[place] = cosines[child], rows[child]
        place = child
    cosines[place], rows[place] = cosine, row


@njit(cache=True, nogil=True)
def _sort_heap(rows, cosines, size):
    """Turn the heap into a list with the nearest first."""
    for end in range(size - 1, 0, -1):
        row, cosine = rows[end], cosines[end]
        rows[end], cosines[end] = rows[0], cosines[0]
        _sift(rows, cosines, end, row, cosine)
