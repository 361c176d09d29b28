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

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.evolving.paper.conjugate_gradients import conjugate_gradients
from driftline.evolving.paper.losses import logistic

MOST_STEPS = 50
PRECISION = 1e-13
MOST_DENSE = 1500
"""Number of documents above which systems are solved by conjugate gradients, without the Gram matrix."""


class DualSolution(NamedTuple):
    """The solution for one column of targets.

    `held_out` is the score of each document without its own label, `placements` the rate at which it would be ranked
    correctly against a document of the other class if neither had one (½ for a tie): the mean of the placements of one
    class is the *leave-pair-out* area under the ROC curve.
    """

    duals: Floats
    scores: Floats
    held_out: Floats
    placements: Floats


def solve_dual(gram: Floats, offsets: Floats, targets: Floats, start: Floats) -> DualSolution:
    """Return the minimiser for a Gram matrix G; `targets` are ±1.

    Leaving documents out needs no further fit: at the solution the regression is a linear smoother of its working
    response z = f − ℓ'/ℓ'', and with C = (G + D⁻¹)⁻¹ the scores of the documents S without their labels are

        f_S = z_S − (C_SS)⁻¹ β_S

    >>> found = solve_dual(np.eye(2), np.zeros(2), np.array([1.0, -1.0]), np.zeros(2))
    >>> found.duals.round(3), found.held_out.round(3), found.placements
    (array([ 0.401, -0.401]), array([ 0., -0.]), array([0.5, 0.5]))
    """
    if not len(targets):
        return DualSolution(start, offsets, offsets, offsets)
    system = _DenseSystem(gram)
    solution, curvature = _newton(gram.__matmul__, system.solve, offsets, targets, start)
    scores = offsets + gram @ solution
    inverse = system.inverse(curvature)
    working = scores - logistic(targets, scores).gradient / curvature
    held_out = working - solution / np.diag(inverse)
    return DualSolution(
        solution,
        scores,
        held_out,
        current_kernels().leave_pair_out.pair_placements(inverse, working, solution, targets > 0),
    )


def solve_dual_by_products(
    multiply: Callable[[Floats], Floats], offsets: Floats, targets: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Return dual variables and scores for a Gram matrix given by its products, for very many documents."""
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
            break  # rounding: no step decreases the objective any more
        duals, product, slopes = duals + size * step, product + size * step_product, trial
    return duals, np.maximum(slopes.curvature, 1e-10)


class _DenseSystem:
    """(G + D⁻¹) for changing D, factored as D^−½ (I + D^½ G D^½) D^−½; the last factor is kept."""

    def __init__(self, gram: Floats) -> None:
        self._gram = gram
        self._root = np.zeros(0)

    def solve(self, curvature: Floats, right: Floats) -> Floats:
        """Return x of (D⁻¹ + G) x = D⁻¹ r, from (I + D^½ G D^½)(D^−½ x) = D^−½ r."""
        self._factorise(np.sqrt(curvature))
        found: Floats = self._root * scipy.linalg.cho_solve(
            (self._factor, True), right / self._root, check_finite=False
        )
        return found

    def inverse(self, curvature: Floats) -> Floats:
        """Return (G + D⁻¹)⁻¹; the factor of the last curvature is reused."""
        root = np.sqrt(curvature)
        if not np.array_equal(root, self._root):
            self._factorise(root)
        lower, _ = scipy.linalg.lapack.dpotri(self._factor, lower=1)
        lower = np.tril(lower) * root[:, None] * root
        found: Floats = lower + np.tril(lower, -1).T
        return found

    def _factorise(self, root: Floats) -> None:
        system = self._gram * root[:, None]
        system *= root
        system[np.diag_indices_from(system)] += 1.0
        self._root = root
        self._factor = scipy.linalg.cholesky(system.T, lower=True, overwrite_a=True, check_finite=False)


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
