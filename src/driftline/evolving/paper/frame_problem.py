r"""One frame's optimisation problem, for a classifier that is linear in some features, and its solution.

.. math:: J(w) = \sum_{i\ labelled} \ell(y_i, f_i) + \frac{\gamma_I}{n^2} f^\top L f + \gamma_A \|w - w_{t-1}\|^2,
          \qquad f = F w                                                                                   \tag{12}

With the rows of :math:`F` the documents themselves this is the primal form. With any other kernel, F is a factor of
the kernel matrix, :math:`K = F F^\top`, and the same problem is (12) under the representer constraint (14).
Without a past, :math:`w_{t-1} = 0`: plain manifold regularisation (1).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.evolving.frames.neighbour_graph import Matrix
from driftline.evolving.paper.conjugate_gradients import conjugate_gradients
from driftline.evolving.paper.document_kernels import factor
from driftline.evolving.paper.losses import LossName, Slopes, logistic, smoothed_hinge, squared

MOST_NEWTON_STEPS = 100
MOST_MULTIPLIER_STEPS = 60
MOST_REDUCED = 20_000_000
"""Largest number of values (labelled documents × features) held in memory for the hinge loss."""
PRECISION = 1e-15
"""Relative decrease of the objective below which Newton's method stops."""

SlopesAt = Callable[[Floats], Slopes]


class FrameProblem(NamedTuple):
    """The parts of (12): the documents, their graph, the labels (±1 per class), and the past."""

    features: Matrix
    laplacian: sp.csr_matrix
    labelled: Ints
    targets: Floats
    """Labelled documents × classes."""
    previous: Floats
    """Features × classes."""
    gamma_a: float
    gamma_i: float

    @property
    def spatial_weight(self) -> float:
        """The factor of fᵀL f: γ_I / n²."""
        return float(self.gamma_i / max(self.features.shape[0], 1) ** 2)


class Quadratic(Protocol):
    """Interface of the regularisers, a quadratic function of the weights, for the solvers."""

    rows: Matrix
    """The features of the labelled documents."""

    def multiply(self, weights: Floats) -> Floats:
        """Return the product of the regularisers' Hessian with weights."""
        ...

    def solver(self, curvature: Floats) -> Callable[[Floats], Floats]:
        """Return a solver for the Hessian of losses with this curvature plus that of the regularisers."""
        ...


def solve(problem: FrameProblem, loss: LossName) -> Floats:
    """Return the weights that minimise (12): features × classes."""
    quadratic = _SparseQuadratic(problem) if sp.issparse(problem.features) else _DenseQuadratic(problem)
    pull = 2 * problem.gamma_a * problem.previous
    return minimise(quadratic, loss, problem.targets, start=problem.previous, pull=pull)


def minimise(quadratic: Quadratic, loss: LossName, targets: Floats, *, start: Floats, pull: Floats) -> Floats:
    """Minimise the losses plus ½ wᵀQw − pullᵀw, where Q is the Hessian of the regularisers, for every column."""
    if loss == "squared":
        # (18), and its primal form: one Newton step, shared by all classes.
        slopes = squared(targets, quadratic.rows @ start)
        gradient = quadratic.rows.T @ slopes.gradient + quadratic.multiply(start) - pull
        return start - quadratic.solver(np.full(len(targets), 2.0))(gradient)
    if not start.shape[1]:
        return start.copy()
    if loss == "hinge" and quadratic.rows.shape[0] * quadratic.rows.shape[1] <= MOST_REDUCED:
        return _minimise_hinge_by_documents(quadratic, targets, pull)
    columns = []
    for c in range(start.shape[1]):
        if loss == "hinge":
            columns.append(_solve_hinge(quadratic, targets[:, c], start[:, c], pull[:, c]))
        else:
            columns.append(_newton(quadratic, partial(logistic, targets[:, c]), start[:, c], pull[:, c]))
    return np.stack(columns, axis=1)


class _SparseQuadratic:
    """The two regularisers as an operator on weights; systems are solved by conjugate gradients."""

    def __init__(self, problem: FrameProblem) -> None:
        self._features, self._laplacian = problem.features, problem.laplacian
        self.rows = problem.features[problem.labelled]
        self._gamma_a, self._spatial = problem.gamma_a, problem.spatial_weight
        squares = problem.features.multiply(problem.features)
        # The diagonal of FᵀLF without its cross terms: enough for a preconditioner.
        self._diagonal = 2 * (self._gamma_a + self._spatial * (squares.T @ problem.laplacian.diagonal()))
        self._row_squares = squares[problem.labelled]

    def multiply(self, weights: Floats) -> Floats:
        scores = self._features @ weights
        found: Floats = 2 * (self._gamma_a * weights + self._spatial * (self._features.T @ (self._laplacian @ scores)))
        return found

    def solver(self, curvature: Floats) -> Callable[[Floats], Floats]:
        diagonal = self._diagonal + self._row_squares.T @ curvature

        def multiply(weights: Floats) -> Floats:
            found: Floats = self.multiply(weights) + self.rows.T @ (curvature[:, None] * (self.rows @ weights))
            return found

        def divide(right: Floats) -> Floats:
            columns = right if right.ndim == 2 else right[:, None]
            solution = conjugate_gradients(multiply, columns, precondition=lambda r: r / diagonal[:, None])
            return solution.reshape(right.shape)

        return divide


class _DenseQuadratic:
    """The same for few dense features; systems are solved by Cholesky's method."""

    def __init__(self, problem: FrameProblem) -> None:
        F = problem.features
        self.rows = F[problem.labelled]
        self._matrix = 2 * problem.spatial_weight * (F.T @ (problem.laplacian @ F))
        self._matrix[np.diag_indices_from(self._matrix)] += 2 * problem.gamma_a

    def multiply(self, weights: Floats) -> Floats:
        found: Floats = self._matrix @ weights
        return found

    def solver(self, curvature: Floats) -> Callable[[Floats], Floats]:
        if not self._matrix.size:
            return lambda right: right
        factor = scipy.linalg.cho_factor(self._matrix + self.rows.T @ (curvature[:, None] * self.rows))
        return lambda right: scipy.linalg.cho_solve(factor, right)


class _Reduced:
    """Scores of the labelled documents alone, f = s + F θ with the regulariser ½ ‖θ‖²."""

    def __init__(self, features: Floats) -> None:
        self.rows = features

    def multiply(self, weights: Floats) -> Floats:
        return weights

    def solver(self, curvature: Floats) -> Callable[[Floats], Floats]:
        system = self.rows.T @ (curvature[:, None] * self.rows)
        system[np.diag_indices_from(system)] += 1.0
        return partial(np.linalg.solve, system)


def _minimise_hinge_by_documents(quadratic: Quadratic, targets: Floats, pull: Floats) -> Floats:
    """Minimise with the hinge loss in as many unknowns as there are labelled documents.

    The solution is w = Q⁻¹ (pull + Σ_i α_i x_i): systems with Q are solved once, for all documents and classes.
    """
    divide = quadratic.solver(np.zeros(len(targets)))
    rows = quadratic.rows.toarray() if sp.issparse(quadratic.rows) else quadratic.rows
    spread, weights = divide(np.ascontiguousarray(rows.T)), divide(pull)
    factored, offsets = factor(rows @ spread), rows @ weights
    reduced, nothing = _Reduced(factored.features), np.zeros(factored.features.shape[1])
    for c in range(targets.shape[1]):
        theta = _solve_hinge(reduced, targets[:, c], nothing, nothing, offsets[:, c])
        weights[:, c] += spread[:, factored.pivots] @ factored.expansion(theta)
    return weights


def _solve_hinge(
    quadratic: Quadratic, targets: Floats, start: Floats, pull: Floats, offsets: Floats | float = 0.0
) -> Floats:
    """Minimise with the hinge loss by the method of multipliers: a few smooth problems, each sharper than the last."""
    weights, penalty = start, 1.0
    multipliers = np.full(len(targets), 0.5)
    for _ in range(MOST_MULTIPLIER_STEPS):
        slopes_at = partial(_smoothed_hinge_at, targets, multipliers, penalty, offsets)
        weights = _newton(quadratic, slopes_at, weights, pull)
        slack = 1 - targets * (offsets + quadratic.rows @ weights)
        updated = np.clip(multipliers + penalty * slack, 0.0, 1.0)
        change = float(np.abs(updated - multipliers).max(initial=0.0))
        multipliers, penalty = updated, min(penalty * 4, 1e4)
        if change < 1e-11:
            break
    return weights


def _smoothed_hinge_at(
    targets: Floats, multipliers: Floats, penalty: float, offsets: Floats | float, scores: Floats
) -> Slopes:
    return smoothed_hinge(targets, offsets + scores, multipliers, penalty)


def _newton(quadratic: Quadratic, slopes_at: SlopesAt, start: Floats, pull: Floats) -> Floats:
    """Minimise a smooth loss plus the regularisers, by Newton's method with step halving."""
    weights, scores = start, quadratic.rows @ start
    for _ in range(MOST_NEWTON_STEPS):
        slopes = slopes_at(scores)
        product = quadratic.multiply(weights)
        gradient = quadratic.rows.T @ slopes.gradient + product - pull
        step = -quadratic.solver(slopes.curvature)(gradient)
        decrease = -float(gradient @ step)
        value = float(slopes.value.sum() + 0.5 * weights @ product - pull @ weights)
        if decrease <= PRECISION * (1.0 + abs(value)):
            break
        step_scores, step_product = quadratic.rows @ step, quadratic.multiply(step)
        along, bend = float((product - pull) @ step), float(step @ step_product)
        size = 1.0
        while size > 1e-10:
            trial = float(slopes_at(scores + size * step_scores).value.sum() - slopes.value.sum())
            if trial + size * along + 0.5 * size**2 * bend <= -1e-4 * size * decrease:
                break
            size *= 0.5
        else:
            break  # rounding: no step decreases the objective any more
        weights, scores = weights + size * step, scores + size * step_scores
    return weights
