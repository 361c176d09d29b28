"""Conjugate gradients for many right-hand sides at once, with any linear operator."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from driftline.core.arrays import Floats


def conjugate_gradients(
    multiply: Callable[[Floats], Floats],
    right: Floats,
    *,
    precondition: Callable[[Floats], Floats],
    tolerance: float = 1e-10,
    max_iterations: int = 2000,
) -> Floats:
    """Return X with ``multiply(X) = right``, for a symmetric positive definite operator, column by column.

    The columns share the products, not the steps: each is solved independently, until its residual is `tolerance` times
    the length of its right-hand side.

    >>> A = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> conjugate_gradients(A.dot, np.array([[3.0], [4.0]]), precondition=lambda r: r).round(12)
    array([[1.],
           [1.]])
    """
    solution = np.zeros_like(right)
    residual = right.copy()
    goal = (tolerance * np.linalg.norm(right, axis=0)) ** 2
    better = precondition(residual)
    direction = better.copy()
    slope = np.sum(residual * better, axis=0)
    for _ in range(max_iterations):
        open_columns = np.sum(residual * residual, axis=0) > goal
        if not open_columns.any():
            return solution
        product = multiply(direction)
        curvature = np.sum(direction * product, axis=0)
        step = np.divide(slope, curvature, out=np.zeros_like(slope), where=open_columns & (curvature > 0))
        if not step.any():
            return solution  # the residual is below rounding error
        solution += step * direction
        residual -= step * product
        better = precondition(residual)
        new_slope = np.sum(residual * better, axis=0)
        growth = np.divide(new_slope, slope, out=np.zeros_like(slope), where=open_columns & (slope > 0))
        direction = better + growth * direction
        slope = new_slope
    left = float(np.max(np.linalg.norm(residual, axis=0) / np.maximum(np.linalg.norm(right, axis=0), 1e-300)))
    warnings.warn(
        f"conjugate gradients stopped after {max_iterations} steps with a relative residual of {left:.1e}; "
        f"regularise more strongly (gamma_a)",
        ConvergenceWarning,
        stacklevel=2,
    )
    return solution
