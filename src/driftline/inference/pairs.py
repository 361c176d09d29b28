"""Documents as pairs: the words of each with their counts, or the topics of each with their additions to its prior."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Counts, Floats, Ints


class Pairs(NamedTuple):
    """Documents as (word, count) pairs in the types of the compiled loops."""

    indptr: np.ndarray
    words: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, X: Counts) -> Pairs:
        """Convert a CSR matrix."""
        return cls(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32))

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.indptr) - 1

    def take(self, rows: Ints) -> Pairs:
        """Return documents in another order.

        >>> import scipy.sparse as sp
        >>> Pairs.of(sp.csr_matrix([[1.0, 0.0], [2.0, 3.0]])).take([1, 0]).counts
        array([2., 3., 1.], dtype=float32)
        """
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Pairs(indptr, self.words[places], self.counts[places])

    def part(self, start: int, end: int) -> Pairs:
        """Return some consecutive documents."""
        where = slice(self.indptr[start], self.indptr[end])
        return Pairs(self.indptr[start : end + 1] - self.indptr[start], self.words[where], self.counts[where])


def document_lengths(pairs: Pairs) -> Floats:
    """Return the number of words in every document."""
    running: Floats = np.concatenate([[0.0], np.cumsum(pairs.counts, dtype=np.float64)])
    lengths: Floats = running[pairs.indptr[1:]] - running[pairs.indptr[:-1]]
    return lengths
