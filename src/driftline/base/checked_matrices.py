"""Checks of matrices that are passed to functions, the same as those of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from driftline.core.arrays import Matrix
from driftline.core.errors import InvalidInput
from driftline.core.matrices import canonical_rows, check_structure, check_values


def checked_counts(X: Matrix, name: str = "X", *, least: int = 1) -> sp.csr_matrix:
    """Return documents × words as a canonical CSR matrix of float64: finite, not negative, not extremely large.

    There must be at least `least` documents.

    >>> checked_counts([[0, 2], [1, 0]]).indices
    array([1, 0], dtype=int32)
    """
    X = check_array(safe_rows(X, name), accept_sparse="csr", dtype=np.float64, ensure_min_samples=0, input_name=name)
    if X.shape[0] < least:
        raise InvalidInput(f"there is no document in the data passed to {name}; pass at least one row")
    rows = canonical_rows(X)
    check_values(rows.data, name)
    check_not_negative(rows, name)
    return rows


def safe_rows(X: Any, name: str = "X") -> Any:
    """Return sparse numbers as canonical rows for scikit-learn; anything else but a corpus unchanged."""
    refuse_corpus(X, name)
    if sp.issparse(X) and X.dtype.kind in "biuf":
        return canonical_rows(X, name)
    check_structure(X, name)
    return X


def refuse_corpus(X: object, name: str = "X") -> None:
    """Raise an error if a corpus is passed instead of its counts: NumPy would take it for a list of corpora."""
    if hasattr(X, "counts") and hasattr(X, "vocabulary"):
        raise InvalidInput(
            f"{name} is a {type(X).__name__}; pass its .counts, and its .times as times= where they matter"
        )


def checked_features(X: Matrix) -> Matrix:
    """Return input for a foreign estimator: matrices checked and in float64, anything else unchanged.

    Sparse matrices become canonical CSR. That estimator decides whether NaN is allowed in dense ones.
    """
    refuse_corpus(X)
    if sp.issparse(X):
        X = sp.csr_matrix(safe_rows(X), dtype=np.float64)
        check_values(X.data)
    elif isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        X = X.astype(np.float64, copy=False)
        check_values(X[np.isfinite(X)])
    return X


def check_not_negative(rows: sp.csr_matrix, name: str) -> None:
    """Raise `InvalidInput` if a count is negative; `name` is the receiver of the data."""
    if rows.nnz and rows.data.min() < 0:
        row = int(np.searchsorted(rows.indptr, int(np.argmin(rows.data)), side="right")) - 1
        raise InvalidInput(
            f"Negative values in data passed to {name}: document {row} counts a word "
            f"{rows.data.min():g} times; pass counts"
        )


def row_not_finite(X: Matrix) -> int | None:
    """Return the first row with NaN or infinity; None if there is none, or X is not a matrix of numbers.

    >>> row_not_finite([[1.0], [float("nan")]]), row_not_finite([[1.0]]), row_not_finite([["a"]])
    (1, None, None)
    """
    try:
        if sp.issparse(X):
            entries = sp.coo_matrix(X)
            rows = entries.row[~np.isfinite(entries.data)]
        else:
            rows = np.nonzero(~np.isfinite(np.atleast_1d(np.asarray(X, dtype=np.float64))))[0]
    except (TypeError, ValueError):
        return None
    return int(rows.min()) if len(rows) else None
