r"""Logistic regression on few documents of many words, in the dual: one unknown per document.

.. math:: \min_\beta \sum_i \log(1 + e^{-y_i f_i}) + \tfrac12 \beta^\top G \beta, \qquad f = s + G \beta,
          \quad G = X X^\top / \gamma

is :math:`\min_w \sum_i \log(1 + e^{-y_i x_i^\top w}) + \frac\gamma2 \|w - w_0\|^2` with
:math:`w = w_0 + X^\top \beta / \gamma` and :math:`s = X w_0`. Newton's method solves it with the well-conditioned
:math:`I + D^{1/2} G D^{1/2}`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg

from driftline.core.arrays import Floats
from driftline.evolving.conjugate import conjugate_gradients
from driftline.evolving.losses import logistic

MOST_STEPS = 50
PRECISION = 1e-13
MOST_DENSE = 1500
"""Systems of more documents than this are solved by conjugate gradients on products, without the Gram matrix."""


class DualSolution(NamedTuple):
    """The dual variables, the scores of the documents, and what each score would be without the document's label."""

    duals: Floats
    scores: Floats
    held_out: Floats


def solve_dual(gram: Floats, offsets: Floats, targets: Floats, start: Floats) -> DualSolution:
    """Return the minimiser for a Gram matrix G; `targets` are ±1.

    `held_out` is the leave-one-out score by one Newton step from the solution, which needs no refitting.

    >>> found = solve_dual(np.eye(2), np.zeros(2), np.array([1.0, -1.0]), np.zeros(2))
    >>> found.duals.round(3), found.held_out.round(3)
    (array([ 0.401, -0.401]), array([ 0., -0.]))
    """
    solution, curvature = _newton(gram.__matmul__, _cholesky_solver(gram), offsets, targets, start)
    scores = offsets + gram @ solution
    if not len(targets):
        return DualSolution(solution, scores, scores)
    # Of the working response z = f − ℓ'/ℓ'', as for a linear smoother: z_i − β_i / [(G + D⁻¹)⁻¹]_ii.
    root = np.sqrt(curvature)
    inverse = scipy.linalg.cho_solve(_factor(gram, root), np.eye(len(root)))
    leverage = curvature * np.diag(inverse)
    working = scores - logistic(targets, scores).gradient / curvature
    return DualSolution(solution, scores, working - solution / leverage)


def solve_dual_by_products(
    multiply: Callable[[Floats], Floats], offsets: Floats, targets: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Return dual variables and scores for a Gram matrix known only by its products, for very many documents."""
    solution, _ = _newton(multiply, _product_solver(multiply), offsets, targets, start)
    return solution, offsets + multiply(solution)


def _newton(
    multiply: Callable[[Floats], Floats],
    solver: Callable[[Floats, Floats], Floats],
    offsets: Floats,
    targets: Floats,
    start: Floats,
) -> tuple[Floats, Floats]:
    """Return the dual variables, and the curvature of the losses at the solution."""
    duals, product = start, multiply(start)
    slopes = logistic(targets, offsets + product)
    for _ in range(MOST_STEPS):
        curvature = np.maximum(slopes.curvature, 1e-10)
        # Newton's equations divided by G: (D⁻¹ + G) step = −D⁻¹ (β + ℓ').
        step = solver(curvature, -(duals + slopes.gradient))
        step_product = multiply(step)
        slope = float((duals + slopes.gradient) @ step_product)
        bend = float(step @ step_product)
        value = float(slopes.value.sum())
        if -slope <= PRECISION * (1.0 + value):
            break
        size = 1.0
        while size > 1e-8:
            trial = logistic(targets, offsets + product + size * step_product)
            change = float(trial.value.sum()) - value + size * float(duals @ step_product) + 0.5 * size**2 * bend
            if change <= 1e-4 * size * slope:
                break
            size *= 0.5
        else:
            break  # rounding: no step lowers the objective any more
        duals, product, slopes = duals + size * step, product + size * step_product, trial
    return duals, np.maximum(slopes.curvature, 1e-10)


def _factor(gram: Floats, root: Floats) -> tuple[Floats, bool]:
    system = gram * root[:, None] * root
    system[np.diag_indices_from(system)] += 1.0
    return scipy.linalg.cho_factor(system, overwrite_a=True, check_finite=False)


def _cholesky_solver(gram: Floats) -> Callable[[Floats, Floats], Floats]:
    def solve(curvature: Floats, right: Floats) -> Floats:
        # (D⁻¹ + G) x = D⁻¹ r  ⇔  (I + D^½ G D^½)(D^−½ x) = D^−½ r
        if not len(right):
            return right
        root = np.sqrt(curvature)
        return root * scipy.linalg.cho_solve(_factor(gram, root), right / root, check_finite=False)

    return solve


def _product_solver(multiply: Callable[[Floats], Floats]) -> Callable[[Floats, Floats], Floats]:
    def solve(curvature: Floats, right: Floats) -> Floats:
        root = np.sqrt(curvature)

        def system(x: Floats) -> Floats:
            return x + root[:, None] * multiply(root * x[:, 0])[:, None]

        answer = conjugate_gradients(
            system, (right / root)[:, None], precondition=lambda r: r, tolerance=1e-6, max_iterations=500
        )
        return root * answer[:, 0]

    return solve
