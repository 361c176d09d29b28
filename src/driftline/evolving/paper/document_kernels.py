"""Kernels between documents, and the factor that turns a kernel matrix into features.

A kernel matrix is factored as K = F Fᵀ by Cholesky's method with pivoting, which stops at the rank: the number of
columns of F is the rank of the documents, so no matrix is singular and no jitter is needed. A function in the span of
the documents is f = F θ on them, its squared norm is ‖θ‖², and α = (F_pivots)^−ᵀ θ writes it as a kernel expansion (15)
over the pivot documents alone.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.evolving.frames.neighbour_graph import Matrix

KernelName: TypeAlias = Literal["linear", "rbf", "cosine", "precomputed"]


class KernelFactor(NamedTuple):
    """K = F Fᵀ: the factor, and the documents that span the others."""

    features: Floats
    pivots: Ints

    def coordinates(self, values: Floats) -> Floats:
        """Return θ of functions given by their values on the documents: of their projections onto the span."""
        return _triangular(self._top, values[self.pivots], transposed=False)

    def expansion(self, coordinates: Floats) -> Floats:
        """Return α of the pivot documents (15) from θ."""
        return _triangular(self._top, coordinates, transposed=True)

    @property
    def _top(self) -> Floats:
        return self.features[self.pivots]


def kernel_matrix(kernel: KernelName, X: Matrix, Y: Matrix, scale: float | None) -> Floats:
    """Return the kernel between the rows of `X` and of `Y`; `scale` is the γ of the RBF kernel."""
    if X.shape[0] == 0 or Y.shape[0] == 0:
        return np.zeros((X.shape[0], Y.shape[0]))
    options: dict[str, object] = {"gamma": scale} if kernel == "rbf" else {}
    return np.asarray(pairwise_kernels(X, Y, metric=kernel, **options), dtype=np.float64)


def kernel_scale(X: Matrix) -> float:
    """Return a γ for the RBF kernel: one over the mean squared distance of two documents (1 if they are all equal)."""
    if X.shape[0] == 0:
        return 1.0
    squares = X.multiply(X).sum() if sp.issparse(X) else np.square(X).sum()
    mean = np.asarray(X.mean(axis=0)).ravel()
    spread = 2 * (float(squares) / X.shape[0] - float(mean @ mean))
    return 1 / spread if spread > 1e-12 else 1.0


def factor(kernel: Floats) -> KernelFactor:
    """Factor a positive semi-definite kernel matrix.

    >>> F, pivots = factor(np.array([[4.0, 2.0, 4.0], [2.0, 2.0, 2.0], [4.0, 2.0, 4.0]]))
    >>> F.shape, pivots
    ((3, 2), array([0, 1]))
    >>> F @ F.T
    array([[4., 2., 4.],
           [2., 2., 2.],
           [4., 2., 4.]])
    """
    n = len(kernel)
    if n == 0:
        return KernelFactor(np.zeros((0, 0)), np.zeros(0, dtype=np.int64))
    tolerance = n * np.finfo(np.float64).eps * max(float(np.diag(kernel).max()), 0.0)
    lower, order, rank, _ = scipy.linalg.lapack.dpstrf(kernel, lower=1, tol=tolerance)
    order = order.astype(np.int64) - 1
    features = np.zeros((n, rank))
    features[order] = np.tril(lower)[:, :rank]
    return KernelFactor(features, order[:rank])


def _triangular(top: Floats, right: Floats, *, transposed: bool) -> Floats:
    if not top.size:
        return np.zeros((0, *right.shape[1:]))
    found: Floats = scipy.linalg.solve_triangular(top, right, lower=True, trans=1 if transposed else 0)
    return found


def form_for(kernel: str, form: str | None) -> str:
    """Return the form of the problem: as requested, otherwise the primal one if the kernel has it.

    >>> form_for("linear", None), form_for("rbf", None)
    ('primal', 'dual')
    """
    if form == "primal" and kernel != "linear":
        raise InvalidInput(f"the kernel {kernel!r} has no primal form; omit `form`, or use the dual")
    return form or ("primal" if kernel == "linear" else "dual")
