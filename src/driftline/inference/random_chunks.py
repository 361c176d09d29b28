"""The order in which documents are learned: chunks of runs of neighbours."""

from __future__ import annotations

import numpy as np

CHUNKS = 30
"""Chunks per epoch: with fewer, updates are too rare; with more, each is noisy and synchronisation takes longer."""
LONGEST_RUN, RUNS = 8, 5_000
"""Size of the groups of documents that stay neighbours (drawn at the start), and the minimum number of groups."""
_CHUNK_BYTES = 2**26


def n_chunks(n_documents: int, width: int) -> int:
    """Return the number of chunks: at least 30, more if one would be large in memory.

    >>> n_chunks(1000, 208), n_chunks(7, 208), n_chunks(10_000_000, 1008)
    (30, 7, 1202)
    """
    return max(1, min(n_documents, max(CHUNKS, -(-n_documents * width * 4 // _CHUNK_BYTES) * 2)))


def in_runs(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return 0 … n − 1 in random order of runs of neighbours: contiguous memory is read faster.

    >>> in_runs(np.random.default_rng(0), 10_001)[:6].tolist()
    [5622, 5623, 2110, 2111, 454, 455]
    """
    run = max(1, min(LONGEST_RUN, n // RUNS))
    starts = rng.permutation(-(-n // run)) * run
    order = (starts[:, None] + np.arange(run)).ravel()
    return order[order < n]
