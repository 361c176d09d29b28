"""Near-copies within one day: a text that is posted thirty times is one text.

Equal texts are removed before counting (`driftline.streams.duplicates`). Copies with a word added, a syndicated article
with another first line or a form with another name stay in the stream, but thirty of them are not thirty independent
documents, and methods that assume independence count them once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Ints
from driftline.core.errors import InvalidInput

LEAST_SIMILARITY = 0.7
"""Minimum Jaccard similarity of near-copies: two copies of five words may each have one additional word."""
FEWEST_WORDS = 4
"""Minimum number of distinct words of a near-copy: many people write "thank you"."""
BLOCK = 2_000_000
"""Number of entries of the counts that are processed together."""
MOST_COMPARED = 64
"""Maximum number of earlier documents with which a document is compared, per word."""


def distinct_texts(counts: Counts, units: Ints, *, least_similarity: float = LEAST_SIMILARITY) -> Ints:
    """Return the number of each document's text, from zero; near-copies within one unit have the same number.

    Near-copies share most of their distinct words: shared / (shared + others) ≥ `least_similarity`. A document is
    compared with the first of every text, so a chain of small changes does not become one text.

    >>> storm, storm_again, calm = [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    >>> distinct_texts(sp.csr_array([storm, storm_again, calm, storm]), np.array([0, 0, 0, 1]))
    array([0, 0, 1, 2])
    """
    if not 0 < least_similarity <= 1:
        raise InvalidInput(f"least_similarity must be above 0 and at most 1, not {least_similarity!r}")
    rows = sp.csr_array(counts)
    units = np.asarray(units, dtype=np.int64)
    order = np.argsort(units, kind="stable")
    used = rows.indices if rows.data.all() else rows.indices[rows.data != 0]
    frequency = np.bincount(used, minlength=rows.shape[1])
    rank = np.empty(rows.shape[1], dtype=np.int64)
    rank[np.argsort(frequency, kind="stable")] = np.arange(rows.shape[1])
    result = np.empty(len(order), dtype=np.int64)
    for some in _whole_units(order, units, np.diff(rows.indptr)):
        part = rows[some]
        part.eliminate_zeros()
        ranked = sp.csr_array((part.data, rank[part.indices], part.indptr), shape=part.shape)
        ranked.sort_indices()
        first = current_kernels().near_copies.first_alike(
            ranked.indptr.astype(np.int64),
            ranked.indices.astype(np.int64),
            units[some],
            rows.shape[1],
            float(least_similarity),
            FEWEST_WORDS,
            MOST_COMPARED,
        )
        result[some] = some[first]
    return np.unique(result, return_inverse=True)[1]


def _whole_units(order: Ints, units: Ints, sizes: Ints) -> Iterator[Ints]:
    """Yield documents, ordered by unit, in blocks with a maximum number of entries (or one unit)."""
    ends = np.append(np.flatnonzero(np.diff(units[order])) + 1, len(order))
    entries = np.concatenate([[0], np.cumsum(sizes[order])])
    start = 0
    while start < len(order):
        last = int(np.searchsorted(entries[ends], entries[start] + BLOCK, side="right")) - 1
        end = int(ends[max(last, int(np.searchsorted(ends, start, side="right")))])
        yield order[start:end]
        start = end
