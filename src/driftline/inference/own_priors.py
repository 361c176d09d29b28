r"""A prior of the topics for every document of a fit: :math:`\theta_d \sim \mathrm{Dir}(\alpha_d)`.

:math:`\alpha_d = \alpha + e_d`: a part that all documents share, and additions for each document, which are mostly zero
and stored as (topic, addition) pairs. Rows are expanded for one chunk of documents at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.pairs import Pairs

IMPOSSIBLE = 1e-20
"""Shared prior of a topic that some documents exclude: the compiled loops treat zero as padding."""


class DividedPriors(NamedTuple):
    """α, shared by all documents, and the additions of each document, as pairs of topics and additions."""

    shared: Floats
    own: Pairs


def divided_priors(rows: npt.ArrayLike, n_documents: int, n_topics: int) -> DividedPriors:
    """Divide the rows α_d of documents × topics, dense or sparse, into a shared part and additions.

    >>> shared, own = divided_priors([[0.5, 0.5], [0.5, 3.5]], 2, 2)
    >>> shared, own.indptr, own.words, own.counts
    (array([0.5, 0.5]), array([0, 0, 1]), array([1], dtype=int32), array([3.], dtype=float32))
    """
    given = _checked(rows, n_documents, n_topics)
    empty = np.flatnonzero(np.asarray(given.sum(axis=1)).ravel() <= 0)
    if len(empty):
        raise InvalidInput(
            f"document_prior excludes all topics of document {empty[0]}; at least one must be above zero"
        )
    if sp.issparse(given):
        return DividedPriors(np.full(n_topics, IMPOSSIBLE), added_priors(given))
    shared = given.min(axis=0, initial=np.inf) if n_documents else np.full(n_topics, IMPOSSIBLE)
    return DividedPriors(np.maximum(shared, IMPOSSIBLE), added_priors(sp.csr_array(given - shared)))


def given_counts(rows: npt.ArrayLike, n_documents: int, n_topics: int) -> Pairs:
    """Return counts of documents × topics, dense or sparse, as pairs of topics and additions."""
    return added_priors(sp.csr_array(_checked(rows, n_documents, n_topics)))


def rows_of_priors(own: Pairs, n_topics: int) -> sp.csr_array:
    """Return additions as a sparse matrix of documents × topics.

    >>> rows_of_priors(given_counts([[0.0, 2.0], [0.0, 0.0]], 2, 2), 2).toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    return sp.csr_array((own.counts.astype(np.float64), own.words, own.indptr), shape=(own.n_documents, n_topics))


def _checked(rows: npt.ArrayLike, n_documents: int, n_topics: int) -> np.ndarray | sp.csr_array:
    given = sp.csr_array(rows, dtype=np.float64) if sp.issparse(rows) else np.asarray(rows, dtype=np.float64)
    if given.shape != (n_documents, n_topics):
        raise InvalidInput(
            f"document_prior must have a row per document and a column per topic, {n_documents} × {n_topics}; "
            f"its shape is {given.shape}"
        )
    values = np.asarray(given.data if sp.issparse(given) else given)
    if not np.isfinite(values).all() or (values < 0).any():
        raise InvalidInput("document_prior must contain finite numbers that are not negative")
    return given


def added_priors(rows: sp.csr_array) -> Pairs:
    """Return additions to the prior, documents × topics, as pairs."""
    rows = sp.csr_array(rows, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return Pairs(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data.astype(np.float32))


def prior_rows(alpha: np.ndarray, own: Pairs | None, rows: Ints) -> np.ndarray:
    """Return α for the compiled loops: one row for all documents, or one for each of `rows` if they have own priors."""
    if own is None:
        return alpha
    found: np.ndarray = current_kernels().lda_memory.aligned((len(rows), len(alpha)))
    found[:] = alpha
    mine = own.take(rows)
    found[np.repeat(np.arange(len(rows)), np.diff(mine.indptr)), mine.words] += mine.counts
    return found


def prior_part(alpha: np.ndarray, part: slice) -> np.ndarray:
    """Return the rows of some documents out of those of `prior_rows`."""
    return alpha if alpha.ndim == 1 else alpha[part]


def prior_mass(own: Pairs | None, rows: Ints) -> Floats:
    """Return the sum of the additions of some documents."""
    if own is None:
        return np.zeros(len(rows))
    running = np.append(0.0, np.cumsum(own.counts, dtype=np.float64))
    found: Floats = running[own.indptr[1:]][rows] - running[own.indptr[:-1]][rows]
    return found
