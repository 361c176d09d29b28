"""Passages that many documents share: the loops under `driftline.text.passages`.

A window is a run of `width` consecutive words. Windows are counted in two tables of hashed cells, once per document.
The smaller count of a window's two cells is never below its true number of documents, and above it only if other
windows share both cells by chance.
"""

import numpy as np

from driftline.compute.jit import njit

_MIX_A = np.uint64(0x9E3779B97F4A7C15)
_MIX_B = np.uint64(0xC2B2AE3D27D4EB4F)


@njit(cache=True, nogil=True)
def count_windows(words, offsets, width, first_document, cells):
    """Count the windows of the documents ``words[offsets[d]:offsets[d + 1]]``.

    `cells` has shape (2, size, 3), size a power of two: the number of documents, the first and the last of them. The
    number of the first document is `first_document`.
    """
    mask = np.uint64(cells.shape[1] - 1)
    for d in range(offsets.size - 1):
        document = first_document + d
        for k in range(offsets[d], offsets[d + 1] - width + 1):
            code = _window_code(words, k, width)
            for table in range(2):
                cell = cells[table, (code >> np.uint64(32 * table)) & mask]
                if cell[0] == 0:
                    cell[1] = document
                if cell[0] == 0 or cell[2] != document:
                    cell[0] += 1
                    cell[2] = document


@njit(cache=True, nogil=True)
def mark_windows(words, offsets, width, cells, least_documents, least_spread):
    """Return for each word whether a window around it is in enough documents, far enough apart."""
    mask = np.uint64(cells.shape[1] - 1)
    marked = np.zeros(words.size, np.bool_)
    for d in range(offsets.size - 1):
        for k in range(offsets[d], offsets[d + 1] - width + 1):
            code = _window_code(words, k, width)
            frequent = True
            for table in range(2):
                cell = cells[table, (code >> np.uint64(32 * table)) & mask]
                frequent &= cell[0] >= least_documents and cell[2] - cell[1] >= least_spread
            if frequent:
                marked[k : k + width] = True
    return marked


@njit(cache=True, nogil=True)
def blank_words(data, starts, ends, offsets, marked):
    """Overwrite runs of marked words, and the characters between them, by spaces; return the number of runs."""
    n_runs = 0
    for d in range(offsets.size - 1):
        for k in range(offsets[d], offsets[d + 1]):
            if not marked[k]:
                continue
            follows = k > offsets[d] and marked[k - 1]
            n_runs += not follows
            for i in range(ends[k - 1] if follows else starts[k], ends[k]):
                data[i] = 32
    return n_runs


@njit(cache=True, nogil=True)
def _window_code(words, start, width):
    code = np.uint64(width)
    for k in range(start, start + width):
        code = (code ^ np.uint64(words[k])) * _MIX_A
        code ^= code >> np.uint64(29)
    code *= _MIX_B
    return code ^ (code >> np.uint64(32))
