r"""Document completion: the topics of one half of a document predict its other half.

All topic models are scored in this way. The predicted half is not used to find the document's topics, so models of any
kind and size can be compared: the score depends only on the share of every word in every topic and the prior of the
topics in a document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.engines.contract import Engine
from driftline.inference.own_priors import prior_part, prior_rows
from driftline.inference.pairs import Pairs

MAX_PASSES = 100
TOLERANCE = 1e-3


class KnownTopics(NamedTuple):
    """Topics for the compiled loops: the share of every word (row) in every topic, and the topics' prior."""

    shares: np.ndarray
    prior: np.ndarray
    n_topics: int

    @classmethod
    def of(cls, components: np.ndarray, prior: np.ndarray) -> KnownTopics:
        """Convert topics × words, rows summing to one, and the prior of the topics in a document (zero for none)."""
        components = np.asarray(components)
        n_topics = components.shape[0]
        width = current_kernels().lda_memory.padded(n_topics)
        prior = np.broadcast_to(np.asarray(prior, dtype=np.float32), (n_topics,))
        return cls(
            current_kernels().lda_memory.pad_columns(components.T, width),
            current_kernels().lda_memory.pad_columns(prior, width),
            n_topics,
        )


def document_shares(
    topics: KnownTopics, pairs: Pairs, engine: Engine, own: Pairs | None = None, *, max_passes: int = MAX_PASSES
) -> Floats:
    """Return the topic shares of every document, rows summing to one; an empty one has those of the prior.

    `own` are additions of the documents' own priors to the topics' prior.
    """
    prior = prior_rows(topics.prior, own, np.arange(pairs.n_documents))
    expected = _settled(topics._replace(prior=prior), pairs, engine, max_passes)[:, : topics.n_topics].astype(
        np.float64
    )
    expected += prior[..., : topics.n_topics]
    totals = expected.sum(axis=1, keepdims=True)
    found: Floats = np.divide(expected, totals, out=np.full_like(expected, 1.0 / topics.n_topics), where=totals > 0)
    return found


def completion(topics: KnownTopics, X: Counts, engine: Engine) -> tuple[Floats, Floats]:
    """Return the log-likelihood of every document's second half and the number of words in it."""
    given, asked = halves(X)
    expected = _settled(topics, Pairs.of(given), engine, MAX_PASSES)
    if not topics.prior.any():
        blank = ~expected.any(axis=1)
        expected[blank, : topics.n_topics] = 1.0 / topics.n_topics
    asked_pairs = Pairs.of(asked)
    result, shares = np.zeros(asked_pairs.n_documents), engine.share(topics.shares)
    engine.map(
        current_kernels().document_completion.predicted,
        [
            (rows, *asked_pairs, shares, topics.prior, expected[rows[0] : rows[-1] + 1], result[rows[0] :])
            for rows in _tasks(asked_pairs.n_documents)
        ],
    )
    return result, np.asarray(asked.sum(axis=1)).ravel()


def halves(X: Counts) -> tuple[Counts, Counts]:
    """Divide the tokens of every document between two matrices, each token at random.

    The random numbers depend only on the document's words: the same document is always divided in the same way.

    >>> given, asked = halves(sp.csr_matrix([[4.0, 0.0, 6.0]]))
    >>> (given + asked).toarray()
    array([[4., 0., 6.]])
    """
    first = current_kernels().document_completion.toss(
        X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.float64)
    )
    parts = []
    for data in (first, X.data - first):
        part = sp.csr_matrix((data, X.indices, X.indptr), shape=X.shape, copy=True)
        part.eliminate_zeros()
        parts.append(part)
    return parts[0], parts[1]


def _settled(topics: KnownTopics, pairs: Pairs, engine: Engine, max_passes: int) -> np.ndarray:
    width = topics.shares.shape[1]
    expected: np.ndarray = current_kernels().lda_memory.aligned((pairs.n_documents, width))
    shares = engine.share(topics.shares)
    engine.map(
        current_kernels().document_completion.settle,
        [
            (
                rows,
                *pairs,
                shares,
                prior_part(topics.prior, slice(rows[0], rows[-1] + 1)),
                max_passes,
                np.float32(TOLERANCE),
                expected[rows[0] : rows[-1] + 1],
                current_kernels().lda_memory.scratch_rows(2, width),
            )
            for rows in _tasks(pairs.n_documents)
        ],
    )
    return expected


def _tasks(n: int) -> list[np.ndarray]:
    """Divide documents into tasks of fixed size, independent of the number of threads."""
    size = current_kernels().document_completion.DOCUMENTS
    return [np.arange(start, min(start + size, n)) for start in range(0, n, size)]
