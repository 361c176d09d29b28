"""Posting lists: the occurrences of every term, and counts of terms that are adjacent or near each other.

The postings of term t are ``docs[term_offsets[t] : term_offsets[t + 1]]``, ascending; posting p has the ascending
positions ``positions[position_offsets[p] : position_offsets[p + 1]]`` in its document.
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def gather_postings(terms, offsets, places, n_terms):
    """Return the posting lists of documents of numbered terms: document d has ``terms[offsets[d] : offsets[d + 1]]``.

    `places` has the position of every token in its document. Returns the four arrays described above.
    """
    n_uses, n_docs, last = np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64), np.full(n_terms, -1, np.int64)
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            n_uses[terms[i]] += 1
            if last[terms[i]] != d:
                n_docs[terms[i]] += 1
                last[terms[i]] = d
    term_offsets = np.zeros(n_terms + 1, np.int64)
    term_offsets[1:] = np.cumsum(n_docs)
    docs, position_offsets = np.empty(term_offsets[-1], np.int32), np.zeros(term_offsets[-1] + 1, np.int64)
    positions = np.empty(len(terms), np.int32)
    next_posting, next_place = term_offsets[:-1].copy(), np.cumsum(n_uses) - n_uses
    last[:] = -1
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            term = terms[i]
            if last[term] != d:
                docs[next_posting[term]] = d
                next_posting[term] += 1
                last[term] = d
            positions[next_place[term]] = places[i]
            next_place[term] += 1
            position_offsets[next_posting[term]] = next_place[term]
    return term_offsets, docs, position_offsets, positions


@njit(cache=True, nogil=True)
def _matched_exactly(starts, ends, shifts, positions):
    """Return the number of times that all terms occur at their distance from the first one."""
    found, at = 0, starts.copy()
    while at[0] < ends[0]:
        together = True
        for k in range(1, len(starts)):
            wanted = positions[at[0]] + shifts[k]
            while at[k] < ends[k] and positions[at[k]] < wanted:
                at[k] += 1
            if at[k] == ends[k]:
                return found
            if positions[at[k]] != wanted:
                together = False
                break
        found += together
        at[0] += 1
    return found


@njit(cache=True, nogil=True)
def _matched_nearby(starts, ends, width, positions):
    """Return the number of disjoint windows, taken from the left, of at most `width` tokens with all terms in them."""
    found, at = 0, starts.copy()
    while True:
        first, low, high = 0, positions[at[0]], positions[at[0]]
        for k in range(1, len(starts)):
            place = positions[at[k]]
            if place < low:
                first, low = k, place
            high = max(high, place)
        if high - low < width:
            found += 1
            for k in range(len(starts)):
                while at[k] < ends[k] and positions[at[k]] <= high:
                    at[k] += 1
        else:
            at[first] += 1
        for k in range(len(starts)):
            if at[k] == ends[k]:
                return found


@njit(cache=True, nogil=True)
def count_together(terms, shifts, width, term_offsets, docs, position_offsets, positions):
    """Return the documents in which several terms occur together, in ascending order, and the number of times.

    Together means at the distances `shifts` from the first one if `width` is 0; otherwise within `width` tokens, in any
    order, in which case the terms must differ.
    """
    n = len(terms)
    at, ends = term_offsets[terms], term_offsets[terms + 1]
    shortest = 0
    for k in range(n):
        if ends[k] - at[k] < ends[shortest] - at[shortest]:
            shortest = k
    most = ends[shortest] - at[shortest]
    found, counts, n_found = np.empty(most, np.int32), np.empty(most, np.int32), 0
    starts, stops = np.empty(n, np.int64), np.empty(n, np.int64)
    for p in range(at[shortest], ends[shortest]):
        doc, everywhere = docs[p], True
        for k in range(n):
            step = 1
            while at[k] + step < ends[k] and docs[at[k] + step] < doc:  # gallop, then search backwards
                at[k] += step
                step *= 2
            while step > 0:
                if at[k] + step < ends[k] and docs[at[k] + step] < doc:
                    at[k] += step
                step //= 2
            if at[k] < ends[k] and docs[at[k]] < doc:
                at[k] += 1
            if at[k] == ends[k] or docs[at[k]] != doc:
                everywhere = False
                break
            starts[k], stops[k] = position_offsets[at[k]], position_offsets[at[k] + 1]
        if not everywhere:
            continue
        if width > 0:
            count = _matched_nearby(starts, stops, width, positions)
        else:
            count = _matched_exactly(starts, stops, shifts, positions)
        if count:
            found[n_found], counts[n_found] = doc, count
            n_found += 1
    return found[:n_found].copy(), counts[:n_found].copy()
