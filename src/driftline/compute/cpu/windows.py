"""Windows of time in which a word is most unusual, and the counts inside and outside given windows.

Counts are the columns of a CSC matrix: for word w the units ``units[indptr[w]:indptr[w + 1]]`` and the numbers of their
documents that have the word. ``cells`` contains the cell of every unit, -1 for one that is omitted.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def best_windows(indptr, units, counts, cells, exposure, longest, second_edge, rises_only):
    """Return for every word the window of at most `longest` cells with the greatest likelihood ratio.

    With c of a word's C documents in a window with the share s of the exposure, the ratio is that of two Poisson
    rates to one,

        g = c log(c / (C s)) + (C - c) log((C - c) / (C (1 - s)))                                                   (1)

    A window that touches neither end of the stream has two edges; the second costs `second_edge`. The result has shape
    (words, 3): first cell, cell after the last, and 1 where the word is more frequent inside, -1 where it is less
    frequent, 0 where no window is better than none. Of equal windows the shortest is chosen; `rises_only` ignores those
    in which the word is less frequent.
    """
    n_words, n_cells = len(indptr) - 1, len(exposure)
    result = np.zeros((n_words, 3), dtype=np.int64)
    edge_exposure = np.zeros(n_cells + 1)
    for k in range(n_cells):
        edge_exposure[k + 1] = edge_exposure[k] + exposure[k]
    total_exposure = edge_exposure[n_cells]
    edge = np.zeros(n_cells + 1)
    for w in range(n_words):
        edge[:] = 0.0
        for i in range(indptr[w], indptr[w + 1]):
            if cells[units[i]] >= 0:
                edge[cells[units[i]] + 1] += counts[i]
        for k in range(n_cells):
            edge[k + 1] += edge[k]
        total, best = edge[n_cells], 0.0
        for start in range(n_cells):
            for end in range(start + 1, min(n_cells, start + longest) + 1):
                inside = edge[end] - edge[start]
                s = edge_exposure[end] - edge_exposure[start]
                if s <= 0.0 or s >= total_exposure:
                    continue
                expected = total * s / total_exposure
                rises = inside > expected
                if rises_only and not rises:
                    continue
                outside = total - inside
                g = 0.0  # Eq. 1
                if inside > 0.0:
                    g += inside * np.log(inside / expected)
                if outside > 0.0:
                    g += outside * np.log(outside / (total - expected))
                if start > 0 and end < n_cells:
                    g -= second_edge
                tie = 1e-9 * (1.0 + best)
                shorter = end - start < result[w, 1] - result[w, 0]
                if g > best + tie or (g > best - tie and shorter and result[w, 2] != 0):
                    best = g
                    result[w, 0], result[w, 1], result[w, 2] = start, end, 1 if rises else -1
    return result


@njit(cache=True, nogil=True)
def window_sums(indptr, units, counts, cells, sizes, windows):
    """Return Σ c, Σ c² and Σ c n over the units inside each word's window, then outside: shape (words, 6).

    c is the number of documents of a unit with the word, n (`sizes`) the number of all its documents.
    """
    n_words = len(indptr) - 1
    result = np.zeros((n_words, 6))
    for w in range(n_words):
        for i in range(indptr[w], indptr[w + 1]):
            cell = cells[units[i]]
            if cell < 0:
                continue
            at = 0 if windows[w, 0] <= cell < windows[w, 1] else 3
            result[w, at] += counts[i]
            result[w, at + 1] += counts[i] * counts[i]
            result[w, at + 2] += counts[i] * sizes[units[i]]
    return result
