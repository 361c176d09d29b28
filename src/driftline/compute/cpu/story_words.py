"""The counted words of stories, as sparse rows: row k has the entries ``offsets[k]`` to ``offsets[k + 1]``, ascending.

Counts are added in the order of the documents, and of equal words the one with the smaller column is first, so that
processing a stream in parts gives the same rows and words.
"""

import math

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def add_documents(offsets, columns, amounts, n_rows, owners, first, document_offsets, words, counts, n_words):
    """Return the rows with the counts of more documents: document ``first + i`` goes to row ``owners[i]`` of `n_rows`.

    Documents whose owner is −1 are left out. New rows come last. Returns offsets, columns and amounts.
    """
    heads, nexts = np.full(n_rows, -1, np.int64), np.full(len(owners), -1, np.int64)
    for i in range(len(owners) - 1, -1, -1):
        if owners[i] >= 0:
            nexts[i] = heads[owners[i]]
            heads[owners[i]] = i
    most = len(columns) + document_offsets[first + len(owners)] - document_offsets[first]
    new_offsets = np.zeros(n_rows + 1, np.int64)
    new_columns, new_amounts = np.empty(most, np.int32), np.empty(most, np.float64)
    sums, end = np.zeros(n_words, np.float64), 0
    for k in range(n_rows):
        begin = end
        if k < len(offsets) - 1:
            for i in range(offsets[k], offsets[k + 1]):
                new_columns[end], new_amounts[end] = columns[i], amounts[i]
                end += 1
        if heads[k] >= 0:
            for i in range(begin, end):
                sums[new_columns[i]] = new_amounts[i]
            document = heads[k]
            while document >= 0:
                for i in range(document_offsets[first + document], document_offsets[first + document + 1]):
                    if sums[words[i]] == 0.0:
                        new_columns[end] = words[i]
                        end += 1
                    sums[words[i]] += counts[i]
                document = nexts[document]
            new_columns[begin:end].sort()
            for i in range(begin, end):
                new_amounts[i] = sums[new_columns[i]]
                sums[new_columns[i]] = 0.0
        new_offsets[k + 1] = end
    return new_offsets, new_columns[:end].copy(), new_amounts[:end].copy()


@njit(cache=True, nogil=True)
def select_rows(offsets, columns, amounts, rows):
    """Return some rows, in their order: offsets, columns and amounts."""
    new_offsets, end = np.zeros(len(rows) + 1, np.int64), 0
    for place in range(len(rows)):
        end += offsets[rows[place] + 1] - offsets[rows[place]]
        new_offsets[place + 1] = end
    new_columns, new_amounts = np.empty(end, np.int32), np.empty(end, np.float64)
    for place in range(len(rows)):
        begin, shift = new_offsets[place], offsets[rows[place]]
        for i in range(new_offsets[place + 1] - begin):
            new_columns[begin + i], new_amounts[begin + i] = columns[shift + i], amounts[shift + i]
    return new_offsets, new_columns, new_amounts


@njit(cache=True, nogil=True)
def heaviest_words(offsets, columns, amounts, rows, weights, n):
    """Return the `n` columns of each row with the largest weighted counts, largest first, and these, as unit rows.

    Where a row has fewer columns, −1 and 0 are returned.
    """
    found, values = np.full((len(rows), n), -1, np.int64), np.zeros((len(rows), n), np.float64)
    for place in range(len(rows)):
        n_found = 0
        for i in range(offsets[rows[place]], offsets[rows[place] + 1]):
            value = amounts[i] * weights[columns[i]]
            if n_found == n and value <= values[place, n - 1]:
                continue
            n_found = min(n_found + 1, n)
            at = n_found - 1
            while at > 0 and value > values[place, at - 1]:
                found[place, at], values[place, at] = found[place, at - 1], values[place, at - 1]
                at -= 1
            found[place, at], values[place, at] = columns[i], value
        squares = 0.0
        for at in range(n_found):
            squares += values[place, at] * values[place, at]
        if squares > 0.0:
            for at in range(n_found):
                values[place, at] /= math.sqrt(squares)
    return found, values


@njit(cache=True, nogil=True)
def outline_cosines(columns, values, other_columns, other_values, n_words):
    """Return the cosines of padded unit rows with others, rows × others; columns of −1 are padding."""
    found, held = np.zeros((len(columns), len(other_columns)), np.float64), np.zeros(n_words, np.float64)
    for other in range(len(other_columns)):
        for i in range(other_columns.shape[1]):
            if other_columns[other, i] >= 0:
                held[other_columns[other, i]] = other_values[other, i]
        for row in range(len(columns)):
            for i in range(columns.shape[1]):
                if columns[row, i] >= 0:
                    found[row, other] += values[row, i] * held[columns[row, i]]
        for i in range(other_columns.shape[1]):
            if other_columns[other, i] >= 0:
                held[other_columns[other, i]] = 0.0
    return found
