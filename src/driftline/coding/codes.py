"""Codes of contexts under given topics, computed for many documents at a time."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.coding.local_contexts import Contexts, arrays_of
from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.engines.contract import Engine

MOST_ACTIVE = 12
"""Largest number of topics per context in mini-batch learning; multiplied by the bandwidth if that is above 1."""


class Penalties(NamedTuple):
    """Penalties and tolerances, with the names of the estimator's parameters."""

    loss: str = "squared"
    alpha: float = 1e-2
    rho: float = 1e-4
    tol: float = 1e-6
    most_rounds: int = 20
    most_active: int = 2**31 - 1
    threshold: float = 0.0

    def of_batches(self, bandwidth: float) -> Penalties:
        """Return those of mini-batch learning: fewer rounds, a wider tolerance, few topics per context."""
        few = min(self.most_active, int(MOST_ACTIVE * max(1.0, min(bandwidth, 1e6))))
        return self._replace(most_rounds=2, tol=10 * self.tol, most_active=few)


class Codes(NamedTuple):
    """Contexts × topics, and the loss of every context."""

    matrix: sp.csr_matrix
    losses: Floats


class Dictionary:
    """Topics on the current device, ready for coding: by topic, by word, and (if there are few) all their products."""

    def __init__(self, topics: sp.csr_matrix) -> None:
        self.topics = topics
        place = current_kernels().memory.place
        self.rows = tuple(map(place, arrays_of(topics)))
        self.postings = tuple(map(place, arrays_of(topics.tocsc())))
        few = topics.shape[0] <= current_kernels().sparse_coding.GRAM_TOPICS
        self.gram = place(np.ascontiguousarray((topics @ topics.T).toarray()) if few else np.zeros((0, 0)))

    def code(
        self, contexts: Contexts, penalties: Penalties, engine: Engine, start: sp.csr_matrix | None = None
    ) -> Codes:
        """Return the codes that minimise (2), starting from `start` (the same contexts × topics) or from zero."""
        cuts = _cuts(contexts.offsets)
        tasks = [(contexts, penalties, start, first, last) for first, last in itertools.pairwise(cuts)]
        found = engine.map(self._code_documents, tasks)
        n_topics = self.topics.shape[0]
        if not found:
            return Codes(sp.csr_matrix((0, n_topics)), np.empty(0))
        sizes = np.cumsum([0] + [len(codes[1]) for codes, _ in found])
        indptr = np.concatenate([codes[0][:-1] + size for (codes, _), size in zip(found, sizes)] + [sizes[-1:]])
        indices, data = (np.concatenate([codes[part] for codes, _ in found]) for part in (1, 2))
        matrix = sp.csr_matrix((data, indices, indptr), shape=(contexts.matrix.shape[0], n_topics))
        return Codes(matrix, np.concatenate([losses for _, losses in found]))

    def _code_documents(
        self, contexts: Contexts, penalties: Penalties, start: sp.csr_matrix | None, first: int, last: int
    ) -> tuple[tuple[np.ndarray, ...], Floats]:
        rows = slice(contexts.offsets[first], contexts.offsets[last])
        offsets = contexts.offsets[first : last + 1] - rows.start
        given = _part(contexts.arrays, rows)
        n_topics = self.topics.shape[0]
        before: tuple[np.ndarray, ...]
        before = (np.zeros(rows.stop - rows.start + 1, dtype=np.int64), np.empty(0, np.int32), np.empty(0))
        if start is not None:
            before = _part(arrays_of(start), rows)
        weights = (float(penalties.alpha), float(penalties.rho))
        if penalties.loss == "squared":
            limits = (int(penalties.most_rounds), int(penalties.most_active))
            found: tuple[tuple[np.ndarray, ...], Floats] = current_kernels().sparse_coding.code_documents(
                given, offsets, self.rows, self.postings, self.gram, before, weights, float(penalties.tol), limits
            )
            return found
        most = (int(penalties.most_rounds), 500, int(penalties.most_active))
        found = current_kernels().hellinger.code_documents(
            given,
            offsets,
            self.postings,
            n_topics,
            before,
            weights,
            float(penalties.tol),
            most,
            float(penalties.threshold),
        )
        return found


def document_means(codes: sp.csr_matrix, contexts: Contexts, pooling: str = "mean") -> sp.csr_matrix:
    """Return documents × topics: the mean (7) or the largest code of each document; zero for an empty document."""
    n = len(contexts.offsets) - 1
    lengths = np.diff(contexts.offsets)
    documents = np.repeat(np.arange(n), lengths)
    if pooling == "mean":
        spread = sp.csr_matrix(
            (1.0 / np.repeat(np.maximum(lengths, 1), lengths), (documents, np.arange(len(documents)))),
            shape=(n, len(documents)),
        )
        means = sp.csr_matrix(spread @ codes)
    else:
        of_entry = np.repeat(documents, np.diff(codes.indptr))
        order = np.lexsort((-codes.data, codes.indices, of_entry))
        rows, columns = of_entry[order], codes.indices[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
        kept = (codes.data[order][first], (rows[first], columns[first]))
        means = sp.csr_matrix(kept, shape=(n, codes.shape[1]))
    means.sort_indices()
    return means


def objective(codes: Codes, contexts: Contexts, penalties: Penalties) -> float:
    """Return (5): losses, the coupling of the codes of a document, and the L1 penalty."""
    weights = contexts.weights
    sums = np.asarray(codes.matrix.sum(axis=1)).ravel()
    means = document_means(codes.matrix, contexts)
    squares = codes.matrix.copy()
    squares.data **= 2
    apart = float(squares.sum()) - float(
        np.diff(contexts.offsets) @ np.asarray(means.multiply(means).sum(axis=1)).ravel()
    )
    return float(weights @ (codes.losses + penalties.alpha * sums)) + penalties.rho * max(apart, 0.0)


def _part(arrays: tuple[np.ndarray, ...], rows: slice) -> tuple[np.ndarray, ...]:
    indptr, indices, data = arrays
    first, last = indptr[rows.start], indptr[rows.stop]
    return np.ascontiguousarray(indptr[rows.start : rows.stop + 1] - first), indices[first:last], data[first:last]


def _cuts(offsets: np.ndarray) -> list[int]:
    """Return the bounds of tasks of documents that have about as many contexts as the device codes in one call."""
    n, size = len(offsets) - 1, current_kernels().sparse_coding.CONTEXTS
    if n == 0:
        return [0]
    wanted = np.arange(size, offsets[-1], size)
    cuts = np.unique(np.concatenate([[0], np.searchsorted(offsets, wanted), [n]]))
    return [int(cut) for cut in cuts if cut <= n]
