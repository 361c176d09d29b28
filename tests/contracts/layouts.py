"""The same matrix in every layout that callers hand over, and sparse matrices that point outside of themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp


def _raw(kind: Any, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """Return a compressed matrix whose parts SciPy has not looked at."""
    made = kind(shape, dtype=np.asarray(data).dtype)
    made.data, made.indices, made.indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
    return made


def _with_zeros(X: Any) -> Any:
    """Store three zeros in every row, at its end, so that the indices are neither sorted nor unique."""
    parts = [(np.append(row.data, np.zeros(3)), np.append(row.indices, [0, 5, 5])) for row in X]
    data, indices = (np.concatenate(column) for column in zip(*parts))
    return _raw(sp.csr_matrix, data, indices.astype(np.int32), X.indptr + 3 * np.arange(X.shape[0] + 1), X.shape)


def _reversed(X: Any) -> Any:
    """Store every row backwards, in a matrix that claims to be sorted."""
    order = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in zip(X.indptr, X.indptr[1:])])
    made = _raw(sp.csr_matrix, X.data[order], X.indices[order], X.indptr.copy(), X.shape)
    made.has_sorted_indices = made.has_canonical_format = True
    return made


def _doubled_coordinates(X: Any) -> Any:
    """Store every value as two halves."""
    X = X.tocoo()
    rows, columns = np.tile(X.row, 2), np.tile(X.col, 2)
    return sp.coo_matrix((np.tile(X.data / 2, 2), (rows, columns)), shape=X.shape)


def _unused_end(X: Any) -> Any:
    """Leave room behind the last value, as matrices that grow do."""
    return _raw(sp.csr_matrix, np.append(X.data, [7.0, np.nan]), np.append(X.indices, [1, 99]), X.indptr, X.shape)


def _apart(X: Any) -> Any:
    """Let the parts be every second entry of longer arrays."""
    parts = [np.repeat(part, 2)[::2] for part in (X.data, X.indices, X.indptr)]
    return _raw(sp.csr_matrix, *parts, X.shape)


def _read_only(X: Any) -> Any:
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def _wide_indices(X: Any) -> Any:
    return _raw(sp.csr_matrix, X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64), X.shape)


def _worst(X: Any) -> Any:
    """Do all of it at once: zeros, duplicates, disorder, wide indices, an unused end, and no right to write."""
    return _read_only(_unused_end(_wide_indices(_with_zeros(_reversed(X)))))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "CSR array": sp.csr_array,
    "CSC": sp.csc_matrix,
    "COO with duplicates": _doubled_coordinates,
    "explicit zeros": _with_zeros,
    "unsorted indices": _reversed,
    "unused end": _unused_end,
    "64-bit indices": _wide_indices,
    "int32": lambda X: X.astype(np.int32),
    "int64": lambda X: X.astype(np.int64),
    "float32": lambda X: X.astype(np.float32),
    "blocks": lambda X: X.tobsr((2, 3)),
    "lists": lambda X: X.tolil(),
    "not contiguous": _apart,
    "read-only": _read_only,
    "all at once": _worst,
}
DENSE: dict[str, Callable[[Any], Any]] = {
    "dense, rows first": lambda X: np.ascontiguousarray(X.toarray()),
    "dense, columns first": lambda X: np.asfortranarray(X.toarray()),
    "dense, every second": lambda X: np.repeat(np.repeat(X.toarray(), 2, axis=0), 2, axis=1)[::2, ::2],
    "dense, big-endian": lambda X: X.toarray().astype(">f8"),
    "dense, read-only": lambda X: _frozen(X.toarray()),
}


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def _changed(part: str, place: int, value: int, kind: Any = sp.csr_matrix) -> Callable[[Any], Any]:
    def changed(X: Any) -> Any:
        X = kind(X)
        parts = {name: getattr(X, name).copy() for name in ("data", "indices", "indptr")}
        parts[part][place] = value
        return _raw(kind, parts["data"], parts["indices"], parts["indptr"], X.shape)

    return changed


def _bad_coordinates(X: Any) -> Any:
    X = X.tocoo()
    X.col = X.col + 2**30
    return X


MALFORMED: dict[str, Callable[[Any], Any]] = {
    "an index beyond the columns": _changed("indices", 3, 10**9),
    "an index just beyond": _changed("indices", -1, 12),
    "a negative index": _changed("indices", 3, -(10**9)),
    "a pointer beyond the values": _changed("indptr", -1, 10**9),
    "a falling pointer": _changed("indptr", 5, 10**6),
    "a negative pointer": _changed("indptr", 5, -(10**6)),
    "a first pointer that is not 0": _changed("indptr", 0, 2),
    "CSC, an index beyond the rows": _changed("indices", 3, 10**9, sp.csc_matrix),
    "CSC, a pointer beyond the values": _changed("indptr", -1, 10**9, sp.csc_matrix),
    "too few pointers": lambda X: _raw(sp.csr_matrix, X.data, X.indices, X.indptr[:-4], X.shape),
    "too few values": lambda X: _raw(sp.csr_matrix, X.data[:-9], X.indices, X.indptr, X.shape),
    "pointers that are not integers": lambda X: _raw(sp.csr_matrix, X.data, X.indices, X.indptr / 1.0, X.shape),
    "coordinates outside": _bad_coordinates,
}
