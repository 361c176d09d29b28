"""Checks that make external sparse matrices safe for compiled code: valid structure, canonical rows, bounded values.

SciPy trusts the index arrays of a sparse matrix, and compiled loops follow its pointers without checks. Therefore the
structure is checked before any other use, and equal matrices are converted to equal arrays.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Ints
from driftline.core.errors import InvalidInput

LARGEST_VALUE = 1e15
"""Largest absolute value accepted in a matrix. Below it, integers are exact in float64 and squares do not overflow."""


def check_structure(X: Counts, name: str = "X") -> None:
    """Raise `InvalidInput` for a list of texts, or if an index of a sparse matrix is out of range.

    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1, 0], [0, 2]])
    >>> X.indices[1] = 7
    >>> check_structure(X)
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: X is a damaged sparse matrix: an index is 7, outside 0 to 1; build it again
    """
    if _are_texts(X):
        raise InvalidInput(
            f"{name} contains texts, but numbers are needed, documents × words: take the counts of "
            f"Corpus.from_texts(texts, times=...), or put the estimator into a TextModel or TextClassifier"
        )
    if not sp.issparse(X):
        return
    if len(X.shape) != 2:
        raise InvalidInput(f"Expected 2D array, got {name} with {len(X.shape)} dimensions; pass documents × words")
    check = _CHECKS.get(X.format)
    reason = None if check is None else check(X)
    if reason is not None:
        raise InvalidInput(f"{name} is a damaged sparse matrix: {reason}; build it again")


def _are_texts(X: object) -> bool:
    """Return whether the first element of a list or of an array of one dimension is a string."""
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and len(X) > 0 and isinstance(X[0], str)
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], str)


def index_arrays(X: Counts) -> tuple[Ints, Ints]:
    """Return pointers (int64) and indices (int32 if they fit) of compressed rows or columns.

    SciPy chooses the type by the size and the origin of the matrix, and a kernel is compiled again for each type.

    >>> import scipy.sparse as sp
    >>> pointers, indices = index_arrays(sp.csr_array([[1, 0], [0, 2]]))
    >>> pointers.dtype, indices.dtype
    (dtype('int64'), dtype('int32'))
    """
    fits = max(X.shape) <= np.iinfo(np.int32).max
    return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32 if fits else np.int64, copy=False)


def canonical_rows(X: Counts, name: str = "X") -> sp.csr_matrix:
    """Return a dense or sparse matrix as CSR: no stored zeros, no duplicates, sorted indices, plain writable arrays.

    The structure is checked first. Nothing is copied if the matrix already has this form; otherwise a copy is changed
    and `X` is left unchanged. SciPy's cached flags (such as sorted indices) are not trusted.

    >>> import scipy.sparse as sp
    >>> canonical_rows(sp.csr_matrix(([1.0, 0.0, 2.0], [1, 0, 1], [0, 3]), shape=(1, 2))).data
    array([3.])
    """
    check_structure(X, name)
    if not (sp.issparse(X) and X.format == "csr"):
        X = sp.csr_matrix(X if sp.issparse(X) else _plain(np.asarray(X)))
        check_structure(X, name)
    n = int(X.indptr[-1])
    parts = (_plain(part) for part in (X.data[:n], X.indices[:n], X.indptr))
    rows = sp.csr_matrix(tuple(parts), shape=X.shape)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if np.count_nonzero(rows.data) < rows.nnz:
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def check_values(values: np.ndarray, name: str = "X") -> None:
    """Raise `InvalidInput` if a value is not finite or larger than `LARGEST_VALUE`."""
    if not values.size:
        return
    least, most = float(values.min()), float(values.max())
    if not (np.isfinite(least) and np.isfinite(most)):
        raise InvalidInput(f"{name} contains NaN or infinity; replace or remove these values")
    if max(-least, most) > LARGEST_VALUE:
        extreme = most if most > -least else least
        raise InvalidInput(
            f"{name} contains {extreme:g}; values beyond ±{LARGEST_VALUE:g} are not accepted, so scale the data down"
        )


def _plain(part: np.ndarray) -> np.ndarray:
    """Return an array in the form for compiled code: contiguous, aligned, writable, in native byte order."""
    return np.require(part, dtype=part.dtype.newbyteorder("="), requirements=["C", "A", "W"])


def _compressed_fault(X: Counts) -> str | None:
    """Return the fault in pointers and indices of a CSR, CSC or BSR matrix, if there is one."""
    height, width = X.blocksize if X.format == "bsr" else (1, 1)
    n_rows, n_columns = (X.shape[1], X.shape[0]) if X.format == "csc" else X.shape
    if n_rows % height or n_columns % width:
        return f"blocks of {height} × {width} do not fill {X.shape}"
    indptr, indices = X.indptr, X.indices
    fault = _not_integers(indptr, "indptr") or _not_integers(indices, "indices")
    if fault:
        return fault
    if len(indptr) != n_rows // height + 1:
        return f"indptr has {len(indptr)} entries for {n_rows // height} rows"
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        return "indptr does not increase from 0"
    if X.data.ndim != (3 if X.format == "bsr" else 1):
        return f"data has {X.data.ndim} dimensions"
    if int(indptr[-1]) > min(len(indices), len(X.data)):
        return f"indptr ends at {indptr[-1]}, but there are {min(len(indices), len(X.data))} values"
    return _outside(indices[: int(indptr[-1])], n_columns // width)


def _coordinate_fault(X: Counts) -> str | None:
    if X.data.ndim != 1 or not len(X.row) == len(X.col) == len(X.data):
        return f"{len(X.row)} rows, {len(X.col)} columns and {X.data.size} values were stored"
    for part, size in ((X.row, X.shape[0]), (X.col, X.shape[1])):
        fault = _not_integers(part, "coordinates") or _outside(part, size)
        if fault:
            return fault
    return None


def _list_fault(X: Counts) -> str | None:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        return f"{len(X.rows)} lists were stored for {X.shape[0]} rows"
    if any(len(columns) != len(values) for columns, values in zip(X.rows, X.data)):
        return "a row has different numbers of values and columns"
    return None


def _diagonal_fault(X: Counts) -> str | None:
    if X.data.ndim != 2 or X.offsets.ndim != 1 or len(X.data) != len(X.offsets):
        return f"{X.offsets.size} offsets were stored for data of shape {X.data.shape}"
    return _not_integers(X.offsets, "offsets")


_CHECKS = {
    "csr": _compressed_fault,
    "csc": _compressed_fault,
    "bsr": _compressed_fault,
    "coo": _coordinate_fault,
    "lil": _list_fault,
    "dia": _diagonal_fault,
}


def _not_integers(part: np.ndarray, what: str) -> str | None:
    if part.ndim != 1 or part.dtype.kind not in "iu":
        return f"{what} must be one row of integers, not {part.ndim} dimensions of {part.dtype}"
    return None


def _outside(indices: np.ndarray, n: int) -> str | None:
    if not indices.size:
        return None
    least, most = int(indices.min()), int(indices.max())
    if least >= 0 and most < n:
        return None
    return f"an index is {least if least < 0 else most}, outside 0 to {n - 1}"
