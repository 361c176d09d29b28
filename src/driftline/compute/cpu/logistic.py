r"""Weighted logistic regression on a window of sparse rows: Newton steps, solved by preconditioned conjugate gradients.

.. math:: \min_u\; \sum_i w_i\, \ell(y_i,\, o_i + \langle x_i, u\rangle + b)
          + \tfrac{\lambda}{2} \|u\|^2 + \tfrac{\lambda_b}{2} b^2

with ``w`` the kernel weights, ``o`` offsets (the scores of the model that the penalty pulls towards, if any), and ℓ the
logistic loss (one column of `u`) or the multinomial one (a column per class). Only the columns that occur in the window
take part; the last row of `u` is the intercept ``b``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

ARMIJO = 1e-4
HALVINGS = 40
STALLED = 1e-15
"""An objective that falls by less than this share of itself in a whole Newton step has reached rounding."""


@njit(cache=True, nogil=True)
def window_rows(indptr, indices, data, first, weights, column_of):
    """Copy the rows that weigh something, with columns renumbered in order of appearance.

    `weights` belong to rows first, first + 1, …; `column_of` is scratch of all -1, and is so again on return.
    Returns the kept rows, their indptr, columns and data, and which columns of the whole they are.
    """
    n_rows = 0
    n_entries = 0
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            n_rows += 1
            n_entries += indptr[first + i + 1] - indptr[first + i]
    rows = np.empty(n_rows, np.int64)
    starts = np.empty(n_rows + 1, np.int64)
    columns = np.empty(n_entries, np.int32)
    values = np.empty(n_entries, np.float64)
    present = np.empty(min(n_entries, column_of.shape[0]), np.int32)
    n_present = 0
    at = 0
    row = 0
    starts[0] = 0
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            rows[row] = first + i
            for e in range(indptr[first + i], indptr[first + i + 1]):
                j = indices[e]
                if column_of[j] < 0:
                    column_of[j] = n_present
                    present[n_present] = j
                    n_present += 1
                columns[at] = column_of[j]
                values[at] = data[e]
                at += 1
            row += 1
            starts[row] = at
    present = present[:n_present].copy()
    for j in present:
        column_of[j] = -1
    return rows, starts, columns, values, present


@njit(cache=True, nogil=True)
def scores_of(starts, columns, values, u, scores):
    """Write ⟨x_i, u⟩ + b for every row and class into `scores`."""
    n_classes = u.shape[1]
    m = u.shape[0] - 1
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            scores[i, k] = u[m, k]
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            x = values[e]
            for k in range(n_classes):
                scores[i, k] += x * u[j, k]


@njit(cache=True, nogil=True)
def loss_of(scores, i, label):
    """Return ℓ(y, score) of row i; the label is 0 or 1 for one column of scores, else the number of the class."""
    n_classes = scores.shape[1]
    if n_classes == 1:
        z = scores[i, 0] if label == 1 else -scores[i, 0]
        return np.log1p(np.exp(-z)) if z > 0 else np.log1p(np.exp(z)) - z
    top = scores[i, 0]
    for k in range(1, n_classes):
        top = max(top, scores[i, k])
    mass = 0.0
    for k in range(n_classes):
        mass += np.exp(scores[i, k] - top)
    return np.log(mass) + top - scores[i, label]


@njit(cache=True, nogil=True)
def losses_of(scores, labels):
    """Return ℓ(y, score) of every row."""
    losses = np.empty(scores.shape[0])
    for i in range(scores.shape[0]):
        losses[i] = loss_of(scores, i, labels[i])
    return losses


@njit(cache=True, nogil=True)
def weighted_loss(scores, labels, weights):
    """Return Σ w ℓ(y, score)."""
    total = 0.0
    for i in range(scores.shape[0]):
        total += weights[i] * loss_of(scores, i, labels[i])
    return total


@njit(cache=True, nogil=True)
def probabilities_of(scores, chances):
    """Write the probabilities that belong to the scores into `chances`."""
    n_classes = scores.shape[1]
    for i in range(scores.shape[0]):
        if n_classes == 1:
            z = scores[i, 0]
            if z > 0:
                chances[i, 0] = 1.0 / (1.0 + np.exp(-z))
            else:
                small = np.exp(z)
                chances[i, 0] = small / (1.0 + small)
        else:
            top = scores[i, 0]
            for k in range(1, n_classes):
                top = max(top, scores[i, k])
            mass = 0.0
            for k in range(n_classes):
                chances[i, k] = np.exp(scores[i, k] - top)
                mass += chances[i, k]
            for k in range(n_classes):
                chances[i, k] /= mass


@njit(cache=True, nogil=True)
def slope_and_curvature(starts, columns, values, labels, weights, chances, u, ridge, slope, diagonal):
    """Write the gradient of the objective and the diagonal of its Hessian."""
    n_classes = u.shape[1]
    m = u.shape[0] - 1
    for j in range(m + 1):
        for k in range(n_classes):
            slope[j, k] = ridge[j, k] * u[j, k]
            diagonal[j, k] = ridge[j, k]
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            p = chances[i, k]
            is_class = labels[i] == 1 if n_classes == 1 else labels[i] == k
            r = weights[i] * (p - (1.0 if is_class else 0.0))
            d = weights[i] * p * (1.0 - p)
            for e in range(starts[i], starts[i + 1]):
                j = columns[e]
                x = values[e]
                slope[j, k] += x * r
                diagonal[j, k] += x * x * d
            slope[m, k] += r
            diagonal[m, k] += d


@njit(cache=True, nogil=True)
def curvature_times(starts, columns, values, weights, chances, ridge, v, out):
    """Write H v into `out`, in one pass over the rows."""
    n_classes = v.shape[1]
    m = v.shape[0] - 1
    for j in range(m + 1):
        for k in range(n_classes):
            out[j, k] = ridge[j, k] * v[j, k]
    if n_classes == 1:
        for i in range(starts.shape[0] - 1):
            s = v[m, 0]
            for e in range(starts[i], starts[i + 1]):
                s += values[e] * v[columns[e], 0]
            q = weights[i] * chances[i, 0] * (1.0 - chances[i, 0]) * s
            for e in range(starts[i], starts[i + 1]):
                out[columns[e], 0] += values[e] * q
            out[m, 0] += q
        return
    s_of = np.empty(n_classes)
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            s_of[k] = v[m, k]
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            for k in range(n_classes):
                s_of[k] += values[e] * v[j, k]
        mean = 0.0
        for k in range(n_classes):
            mean += chances[i, k] * s_of[k]
        for k in range(n_classes):
            s_of[k] = weights[i] * chances[i, k] * (s_of[k] - mean)
            out[m, k] += s_of[k]
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            for k in range(n_classes):
                out[j, k] += values[e] * s_of[k]


@njit(cache=True, nogil=True)
def conjugate_gradients(starts, columns, values, weights, chances, ridge, diagonal, target, accuracy, max_steps):
    """Solve H s = target, preconditioned by the diagonal, until the residual has shrunk to `accuracy` of the target.

    Entries whose diagonal is zero (columns held fixed) stay zero. Returns the solution and the number of steps.
    """
    shape = target.shape
    solution = np.zeros(shape)
    residual = target.copy()
    bent = np.empty(shape)
    direction = np.empty(shape)
    size = 0.0
    for j in range(shape[0]):
        for k in range(shape[1]):
            if diagonal[j, k] > 0.0:
                direction[j, k] = residual[j, k] / diagonal[j, k]
                size += residual[j, k] * direction[j, k]
            else:
                direction[j, k] = 0.0
    goal = size * accuracy * accuracy
    steps = 0
    while steps < max_steps and size > goal:
        curvature_times(starts, columns, values, weights, chances, ridge, direction, bent)
        along = 0.0
        for j in range(shape[0]):
            for k in range(shape[1]):
                along += direction[j, k] * bent[j, k]
        if along <= 0.0:
            break
        length = size / along
        new_size = 0.0
        for j in range(shape[0]):
            for k in range(shape[1]):
                if diagonal[j, k] > 0.0:
                    solution[j, k] += length * direction[j, k]
                    residual[j, k] -= length * bent[j, k]
                    new_size += residual[j, k] * residual[j, k] / diagonal[j, k]
        turn = new_size / size
        size = new_size
        for j in range(shape[0]):
            for k in range(shape[1]):
                if diagonal[j, k] > 0.0:
                    direction[j, k] = residual[j, k] / diagonal[j, k] + turn * direction[j, k]
        steps += 1
    return solution, steps


@njit(cache=True, nogil=True)
def ridge_cost(u, ridge):
    """Return ½ Σ λ_j u_j²."""
    total = 0.0
    for j in range(u.shape[0]):
        for k in range(u.shape[1]):
            total += ridge[j, k] * u[j, k] * u[j, k]
    return 0.5 * total


@njit(cache=True, nogil=True)
def newton(starts, columns, values, labels, weights, offsets, start, ridge, tol, max_iter):
    """Minimise the objective from `start` (columns + 1 for the intercept, by classes).

    `ridge` is λ, of the same shape; a negative one holds the coefficient at its start.
    Stops when √(gᵀ diag(H)⁻¹ g) ≤ tol, so that about tol²/2 is left of the objective.
    Returns the solution, the objective, the Newton steps, the conjugate-gradient steps and whether it converged.
    """
    n_rows = starts.shape[0] - 1
    n_classes = start.shape[1]
    u = start.copy()
    penalty = np.maximum(ridge, 0.0)
    scores = np.empty((n_rows, n_classes))
    chances = np.empty((n_rows, n_classes))
    along = np.empty((n_rows, n_classes))
    trial = np.empty((n_rows, n_classes))
    slope = np.empty(u.shape)
    diagonal = np.empty(u.shape)
    scores_of(starts, columns, values, u, scores)
    scores += offsets
    objective = weighted_loss(scores, labels, weights) + ridge_cost(u, penalty)
    cg_steps = 0
    for iteration in range(max_iter):
        probabilities_of(scores, chances)
        slope_and_curvature(starts, columns, values, labels, weights, chances, u, penalty, slope, diagonal)
        size = 0.0
        for j in range(u.shape[0]):
            for k in range(n_classes):
                if ridge[j, k] < 0.0:
                    diagonal[j, k] = 0.0
                elif diagonal[j, k] > 0.0:
                    size += slope[j, k] * slope[j, k] / diagonal[j, k]
        size = np.sqrt(size)
        if size <= tol:
            return u, objective, iteration, cg_steps, True
        accuracy = max(min(0.25, np.sqrt(size)), 0.3 * tol / size)
        step, taken = conjugate_gradients(
            starts, columns, values, weights, chances, penalty, diagonal, -slope, accuracy, 2000
        )
        cg_steps += taken
        scores_of(starts, columns, values, step, along)
        descent = 0.0
        for j in range(u.shape[0]):
            for k in range(n_classes):
                descent += slope[j, k] * step[j, k]
        length = 1.0
        moved = False
        for _ in range(HALVINGS):
            for i in range(n_rows):
                for k in range(n_classes):
                    trial[i, k] = scores[i, k] + length * along[i, k]
            candidate = weighted_loss(trial, labels, weights) + ridge_cost(u + length * step, penalty)
            if candidate <= objective + ARMIJO * length * descent + STALLED * abs(objective):
                moved = True
                break
            length *= 0.5
        if not moved:
            return u, objective, iteration, cg_steps, size <= 100.0 * tol
        u += length * step
        scores, trial = trial, scores
        stalled = length == 1.0 and objective - candidate <= STALLED * abs(objective)
        objective = candidate
        if stalled:
            return u, objective, iteration + 1, cg_steps, True
    return u, objective, max_iter, cg_steps, False
