"""Counts → tf-idf rows of unit length, with document frequencies of the past only."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats


def document_frequencies(counts: Counts) -> Floats:
    """Return the number of documents with each word."""
    return np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1]).astype(np.float64)


def tfidf(counts: Counts, frequencies: Floats, n_documents: int) -> sp.csr_matrix:
    r"""Return rows of unit length with entries :math:`\ln(1 + c)\,(1 + \ln\frac{1 + n}{1 + d})`; empty rows stay empty.

    `frequencies` are the numbers of documents d with each word among the n documents seen so far.

    >>> tfidf(sp.csr_matrix(np.array([[1.0, 1.0], [0.0, 0.0]])), np.array([1.0, 3.0]), 3).toarray().round(2)
    array([[0.86, 0.51],
           [0.  , 0.  ]])
    """
    rarity = 1 + np.log((1 + n_documents) / (1 + frequencies))
    rows = counts.copy()
    rows.data = np.log1p(rows.data) * rarity[rows.indices]
    return unit_length(rows)


def unit_length(rows: sp.csr_matrix) -> sp.csr_matrix:
    """Return the rows divided by their lengths."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sp.csr_matrix(sp.diags_array(scale) @ rows)


def are_counts(X: Any) -> bool:
    """Return whether documents are word counts rather than vectors such as embeddings.

    Vectors have a negative value, or are dense and have fractions. Later checks refuse other objects.

    >>> are_counts([[2, 0], [0, 1]]), are_counts([[0.5, 0.1]]), are_counts(sp.csr_matrix([[0.5, 0.1]]))
    (True, False, True)
    """
    try:
        if sp.issparse(X) and X.format in ("lil", "dok"):
            X = X.tocoo()
        values = np.asarray(X.data if sp.issparse(X) else X)
    except ValueError:
        return True
    if values.dtype.kind not in "iuf":
        return True
    if (values < 0).any():
        return False
    return sp.issparse(X) or values.dtype.kind != "f" or bool((values == np.floor(values)).all())
