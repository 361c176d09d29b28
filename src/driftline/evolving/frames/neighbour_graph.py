r"""The neighbour graph of the documents of one frame, its weights, and its Laplacian.

Documents are compared by the angle between them, :math:`d(x, y) = \arccos \cos(x, y)` (19). Each is connected to its
nearest neighbours; an edge exists if either end selected the other. A document without words has no edge.

>>> X = sp.csr_matrix(np.array([[1.0, 1, 0], [1, 0.8, 0], [0, 0, 1], [0, 0, 0]]))
>>> graph = neighbour_graph(X, n_neighbors=1, weights="cosine_squared")
>>> graph.toarray().round(3)
array([[0.   , 0.988, 0.   , 0.   ],
       [0.988, 0.   , 0.   , 0.   ],
       [0.   , 0.   , 0.   , 0.   ],
       [0.   , 0.   , 0.   , 0.   ]])
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.engines.threads import map_in_threads

Weights: TypeAlias = Literal["gaussian", "cosine_squared"]
Matrix: TypeAlias = Any
"""A SciPy CSR matrix, or a NumPy array."""

COMMON_SHARE = 0.2
"""Document frequency above which a word is common; its posting list is scanned only if that is cheaper."""
LARGEST_SEARCH = 8192
"""Maximum number of documents among which `neighbours_in_groups` searches."""
_BLOCK = 512


def neighbour_graph(
    X: Matrix,
    n_neighbors: int = 10,
    *,
    weights: Weights = "gaussian",
    width: float | None = None,
    n_jobs: int | None = None,
) -> sp.csr_matrix:
    r"""Return the symmetric weights of the graph on the rows of `X`, by cosine.

    ``weights="gaussian"`` gives :math:`\exp(-d^2 / 2\sigma^2)` (3) of the angle (19), where :math:`\sigma` is `width`
    or otherwise the median distance of neighbours; ``"cosine_squared"`` gives :math:`\max(\cos, 0)^2`.
    """
    return weighted(cosine_neighbours(X, n_neighbors, n_jobs=n_jobs), weights=weights, width=width)


def cosine_neighbours(X: Matrix, n_neighbors: int, *, n_jobs: int | None = None) -> sp.csr_matrix:
    """Return the cosines of each row's nearest rows, as a matrix with at most `n_neighbors` entries per row.

    The search is exact. Only positive cosines are included, and no row is its own neighbour.
    """
    X = _unit_rows(X)
    n = X.shape[0]
    k = min(n_neighbors, n - 1)
    if k < 1 or X.nnz == 0:
        return sp.csr_matrix((n, n))
    rare, common = _split_by_frequency(X)
    common_norms = np.sqrt(np.asarray(common.multiply(common).sum(axis=1)).ravel())
    index = (_triple(rare), _triple(rare.tocsc()), _triple(common), _triple(common.tocsc()), common_norms)
    blocks = [(*index, first, min(first + _BLOCK, n), k) for first in range(0, n, _BLOCK)]
    found = map_in_threads(current_kernels().neighbours.nearest_rows, blocks, n_jobs=n_jobs)
    rows = np.concatenate([part[0] for part in found])
    cosines = np.concatenate([part[1] for part in found])
    return _as_matrix(rows, cosines)


def neighbours_in_groups(X: Matrix, n_neighbors: int, *, n_jobs: int | None = None) -> sp.csr_matrix:
    """Return `cosine_neighbours` within random groups of at most `LARGEST_SEARCH` rows; smaller matrices are one group.

    The cost then grows with the number of rows, not with its square. The groups are the same in every run.
    """
    n = X.shape[0]
    if n <= LARGEST_SEARCH:
        return cosine_neighbours(X, n_neighbors, n_jobs=n_jobs)
    shuffled = np.random.default_rng(0).permutation(n)
    groups = [np.sort(part) for part in np.array_split(shuffled, -(-n // LARGEST_SEARCH))]
    found = [cosine_neighbours(X[group], n_neighbors, n_jobs=n_jobs).tocoo() for group in groups]
    rows = np.concatenate([group[part.row] for group, part in zip(groups, found, strict=True)])
    columns = np.concatenate([group[part.col] for group, part in zip(groups, found, strict=True)])
    cosines = np.concatenate([part.data for part in found])
    return sp.csr_matrix((cosines, (rows, columns)), shape=(n, n))


def kernel_neighbours(kernel: Floats, n_neighbors: int) -> sp.csr_matrix:
    """Do the same for documents given by their kernel: the cosine is K_ij / √(K_ii K_jj)."""
    n = kernel.shape[0]
    k = min(n_neighbors, n - 1)
    if k < 1:
        return sp.csr_matrix((n, n))
    lengths = np.sqrt(np.maximum(np.diag(kernel), 0.0))
    inverse = np.divide(1.0, lengths, out=np.zeros(n), where=lengths > 0)
    cosines = kernel * inverse[:, None] * inverse
    np.fill_diagonal(cosines, -np.inf)
    # A stable sort breaks ties by the lower row number, like the sparse search.
    rows = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return _as_matrix(rows, np.maximum(np.take_along_axis(cosines, rows, axis=1), 0.0))


def weighted(neighbours: sp.csr_matrix, *, weights: Weights, width: float | None = None) -> sp.csr_matrix:
    """Turn cosines of neighbours into symmetric edge weights."""
    edges = neighbours.maximum(neighbours.T).tocsr()
    cosines = np.minimum(edges.data, 1.0)
    if weights == "cosine_squared":
        edges.data = cosines**2
        return edges
    distances = np.arccos(cosines)
    if width is None:
        width = float(np.median(distances)) if distances.size else 1.0
    # If neighbours are identical up to rounding (arccos turns 1e-16 into 1e-8), every weight is 1.
    edges.data = np.exp(-((distances / width) ** 2) / 2) if width > 1e-7 else np.ones_like(distances)
    return edges


def laplacian(graph: sp.csr_matrix, *, normalised: bool = False) -> sp.csr_matrix:
    """Return L = D − W, or D^−½ (D − W) D^−½; documents without an edge have zero rows in both."""
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    result = sp.diags_array(degrees) - graph
    if normalised:
        scale = sp.diags_array(inverse_root(degrees))
        result = scale @ result @ scale
    return sp.csr_matrix(result)


def inverse_root(degrees: Floats) -> Floats:
    """Return d^−½, and 0 where d is 0."""
    return np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)


def _unit_rows(X: Matrix) -> sp.csr_matrix:
    X = sp.csr_matrix(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sp.csr_matrix(sp.diags_array(scale) @ X)


def _split_by_frequency(X: sp.csr_matrix) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Return the words in few documents, and those in many."""
    is_common = np.bincount(X.indices, minlength=X.shape[1]) > COMMON_SHARE * X.shape[0]
    return X[:, np.flatnonzero(~is_common)].tocsr(), X[:, np.flatnonzero(is_common)].tocsr()


def _triple(matrix: Matrix) -> tuple[np.ndarray, np.ndarray, Floats]:
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


def _as_matrix(rows: np.ndarray, cosines: Floats) -> sp.csr_matrix:
    n = len(rows)
    kept = cosines > 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    matrix = sp.csr_matrix((cosines[kept], rows[kept], starts), shape=(n, n))
    matrix.sort_indices()
    return matrix
