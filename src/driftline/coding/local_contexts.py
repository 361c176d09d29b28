"""Local contexts of documents: the words around each position, as sparse distributions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.text.sequences import TokenSequences

KERNELS = ("gaussian", "uniform")
REACH = 3.0
"""Support of the Gaussian kernel on either side, in bandwidths."""


class Contexts(NamedTuple):
    """Contexts of several documents: rows offsets[d] … offsets[d + 1] of `matrix` are those of document d.

    `positions` are their indices among the known words of the document, `weights` the number of positions each
    represents.
    """

    matrix: sp.csr_matrix
    offsets: Ints
    positions: Ints
    weights: Floats

    @property
    def arrays(self) -> tuple[Ints, Ints, Floats]:
        """The arrays of the matrix, for compiled code."""
        return arrays_of(self.matrix)


class ContextMaker(NamedTuple):
    """Options of contexts; `word_weights` is empty, or has the weight of every word."""

    kernel: str
    bandwidth: float
    n_words: int
    word_weights: Floats

    def __call__(self, documents: TokenSequences, most_positions: int | None = None) -> Contexts:
        """Return the contexts of all positions, or of `most_positions` evenly spread ones of longer documents.

        Unknown words are removed first. With an infinite bandwidth all positions of a document have the same context,
        which is included once.
        """
        documents = known_words(documents, self.n_words)
        lengths = documents.lengths()
        if math.isinf(self.bandwidth):
            counts = np.minimum(lengths, 1)
            positions = np.zeros(int(counts.sum()), dtype=np.int64)
            weights = lengths[lengths > 0].astype(np.float64)
            kernel = np.ones(int(lengths.max(initial=1)))
        else:
            counts = lengths if most_positions is None else np.minimum(lengths, most_positions)
            positions = _spread(lengths, counts)
            weights = np.ones(len(positions))
            kernel = kernel_weights(self.kernel, self.bandwidth, int(lengths.max(initial=1)))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        found = current_kernels().local_contexts.gather_contexts(
            documents.ids, documents.offsets, positions, offsets, kernel, self.word_weights
        )
        matrix = sp.csr_matrix((found[2], found[1], found[0]), shape=(len(positions), self.n_words))
        return Contexts(matrix, offsets, positions, weights)


def kernel_weights(kernel: str, bandwidth: float, longest: float = math.inf) -> Floats:
    """Return the weight of a word 0, 1, … places away, before normalisation; no document has more than `longest` words.

    >>> kernel_weights("uniform", 1.0), kernel_weights("gaussian", 0.2), len(kernel_weights("gaussian", 1.0))
    (array([1., 1.]), array([1.]), 4)
    """
    reach = bandwidth if kernel == "uniform" else REACH * bandwidth
    distances = np.arange(min(math.floor(reach) + 1, longest), dtype=np.float64)
    return np.ones(len(distances)) if kernel == "uniform" else np.exp(-0.5 * (distances / max(bandwidth, 1e-300)) ** 2)


def known_words(documents: TokenSequences, n_words: int) -> TokenSequences:
    """Return the documents without the words that are not among the first `n_words`; copied only if there are any."""
    known: Bools = (documents.ids >= 0) & (documents.ids < n_words)
    if known.all():
        return documents
    kept = np.concatenate([[0], np.cumsum(known)])
    return TokenSequences(documents.ids[known], kept[documents.offsets])


def some_documents(documents: TokenSequences, numbers: Iterable[int]) -> TokenSequences:
    """Return the documents with these numbers; numbers beyond the last are ignored."""
    rows = np.asarray([row for row in numbers if row < len(documents)], dtype=np.int64)
    lengths = documents.lengths()[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(offsets[-1]) + np.repeat(documents.offsets[rows] - offsets[:-1], lengths)
    return TokenSequences(documents.ids[places], offsets)


def inverse_document_frequency(documents: TokenSequences, n_words: int) -> Floats:
    """Return log((1 + n) / (1 + df)) + 1 of every word."""
    documents = known_words(documents, n_words)
    n_uses = (documents.to_counts(n_words) > 0).sum(axis=0)
    return np.log((1 + len(documents)) / (1 + np.asarray(n_uses).ravel())) + 1


def arrays_of(matrix: sp.csr_matrix) -> tuple[Ints, Ints, Floats]:
    """Return (indptr, indices, data) with the types that compiled code expects."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.float64, copy=False),
    )


def _spread(lengths: Ints, counts: Ints) -> Ints:
    """Return `counts[d]` evenly spaced positions of each document."""
    which = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return which * np.repeat(lengths, counts) // np.maximum(np.repeat(counts, counts), 1)
