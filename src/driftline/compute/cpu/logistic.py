r"""Weighted logistic regression on sparse rows: Newton steps, solved by preconditioned conjugate gradients.

.. math:: \min_u\; \sum_i w_i\, \ell(y_i,\, o_i + \langle x_i, u\rangle + b)
          + \tfrac{\lambda}{2} \|u\|^2 + \tfrac{\lambda_b}{2} b^2

with ``w`` the kernel weights, ``o`` offsets (the scores of the model that is the centre of the penalty, if any), and ℓ
the logistic loss (one column of `u`) or the multinomial one (a column per class). The last row of `u` is the intercept.

Rows are (starts, columns, values): row i has the entries starts[i] … starts[i + 1] - 1. Indices are unsigned, which is
faster because negative ones need not be handled; also for speed, one column of `u` has separate loops.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

ARMIJO = 1e-4
HALVINGS = 40
STALLED = 1e-15
"""Relative decrease of the objective in a full Newton step below which only rounding remains."""

SUM = {"reassoc", "contract"}
"""Relaxations allowed in sums of products: another order, and one rounding instead of two."""


@njit(cache=True, nogil=True)
def compact_rows(indptr, indices, first, last, column_of):
    """Renumber the columns of rows first … last - 1 in order of appearance.

    `column_of` is scratch filled with -1, and is restored on return. Returns starts (uint64, from 0) and columns
    (uint32) of the rows, and the original numbers of these columns.
    """
    offset = indptr[first]
    starts = np.empty(last - first + 1, np.uint64)
    for i in range(last - first + 1):
        starts[i] = indptr[first + i] - offset
    columns = np.empty(indptr[last] - offset, np.uint32)
    present = np.empty(min(columns.shape[0], column_of.shape[0]), np.int32)
    n_present = 0
    for e in range(columns.shape[0]):
        j = indices[offset + e]
        if column_of[j] < 0:
            column_of[j] = n_present
            present[n_present] = j
            n_present += 1
        columns[e] = column_of[j]
    present = present[:n_present].copy()
    for j in present:
        column_of[j] = -1
    return starts, columns, present


@njit(cache=True, nogil=True, fastmath=SUM)
def dot(first, last, columns, values, v):
    """Return Σ x v over the entries of one row."""
    total = 0.0
    for e in range(first, last):
        total += values[e] * v[columns[e]]
    return total


@njit(cache=True, nogil=True)
def scores_of(starts, columns, values, u, scores):
    """Write ⟨x_i, u⟩ + b for every row and class into `scores`."""
    n_classes = u.shape[1]
    m = u.shape[0] - 1
    if n_classes == 1:
        v = u.reshape(-1)
        for i in range(starts.shape[0] - 1):
            scores[i, 0] = v[m] + dot(starts[i], starts[i + 1], columns, values, v)
        return
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            scores[i, k] = u[m, k]
        for e in range(starts[i], starts[i + 1]):
            for k in range(n_classes):
                scores[i, k] += values[e] * u[columns[e], k]


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
        if weights[i] > 0.0:
            total += weights[i] * loss_of(scores, i, labels[i])
    return total


@njit(cache=True, nogil=True)
def probabilities_of(scores, chances):
    """Write the probabilities of the scores into `chances`."""
    n_classes = scores.shape[1]
    for i in range(scores.shape[0]):
        if n_classes == 1:
            small = np.exp(-abs(scores[i, 0]))
            chances[i, 0] = 1.0 / (1.0 + small) if scores[i, 0] > 0 else small / (1.0 + small)
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
def slope_of(starts, columns, values, labels, weights, chances, u, ridge, slope):
    """Write the gradient of the objective."""
    n_classes = u.shape[1]
    m = u.shape[0] - 1
    for j in range(m + 1):
        for k in range(n_classes):
            slope[j, k] = ridge[j, k] * u[j, k]
    flat = slope.reshape(-1)
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            is_class = labels[i] == 1 if n_classes == 1 else labels[i] == k
            r = weights[i] * (chances[i, k] - (1.0 if is_class else 0.0))
            slope[m, k] += r
            if n_classes == 1:
                for e in range(starts[i], starts[i + 1]):
                    flat[columns[e]] += values[e] * r
            else:
                for e in range(starts[i], starts[i + 1]):
                    slope[columns[e], k] += values[e] * r


@njit(cache=True, nogil=True)
def curvature_of(starts, columns, values, weights, chances, ridge, diagonal):
    """Write the diagonal of the Hessian of the objective."""
    n_classes = ridge.shape[1]
    m = ridge.shape[0] - 1
    for j in range(m + 1):
        for k in range(n_classes):
            diagonal[j, k] = ridge[j, k]
    flat = diagonal.reshape(-1)
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            d = weights[i] * chances[i, k] * (1.0 - chances[i, k])
            diagonal[m, k] += d
            if n_classes == 1:
                for e in range(starts[i], starts[i + 1]):
                    flat[columns[e]] += values[e] * values[e] * d
            else:
                for e in range(starts[i], starts[i + 1]):
                    diagonal[columns[e], k] += values[e] * values[e] * d


@njit(cache=True, nogil=True)
def curvature_times(starts, columns, values, weights, chances, ridge, v, out):
    """Write H v into `out`, in one pass over the rows."""
    n_classes = v.shape[1]
    m = v.shape[0] - 1
    for j in range(m + 1):
        for k in range(n_classes):
            out[j, k] = ridge[j, k] * v[j, k]
    if n_classes == 1:
        flat = v.reshape(-1)
        result = out.reshape(-1)
        bent = 0.0
        for i in range(starts.shape[0] - 1):
            s = flat[m] + dot(starts[i], starts[i + 1], columns, values, flat)
            q = weights[i] * chances[i, 0] * (1.0 - chances[i, 0]) * s
            bent += q
            for e in range(starts[i], starts[i + 1]):
                result[columns[e]] += values[e] * q
        result[m] += bent
        return
    s_of = np.empty(n_classes)
    for i in range(starts.shape[0] - 1):
        for k in range(n_classes):
            s_of[k] = v[m, k]
        for e in range(starts[i], starts[i + 1]):
            for k in range(n_classes):
                s_of[k] += values[e] * v[columns[e], k]
        mean = 0.0
        for k in range(n_classes):
            mean += chances[i, k] * s_of[k]
        for k in range(n_classes):
            s_of[k] = weights[i] * chances[i, k] * (s_of[k] - mean)
            out[m, k] += s_of[k]
        for e in range(starts[i], starts[i + 1]):
            for k in range(n_classes):
                out[columns[e], k] += values[e] * s_of[k]


@njit(cache=True, nogil=True, fastmath=SUM)
def inner(a, b):
    """Return Σ a b."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True, fastmath=SUM)
def move_along(length, direction, bent, scale, solution, residual):
    """Take a step of the conjugate gradients in place; return the new size of the residual, Σ r²/h."""
    size = 0.0
    for j in range(direction.shape[0]):
        solution[j] += length * direction[j]
        residual[j] -= length * bent[j]
        size += residual[j] * residual[j] * scale[j]
    return size


@njit(cache=True, nogil=True)
def conjugate_gradients(starts, columns, values, weights, chances, ridge, diagonal, target, accuracy, max_steps):
    """Solve H s = target, preconditioned by the diagonal, until the residual is `accuracy` of the target.

    Entries whose diagonal is zero (coefficients held fixed) stay zero. Returns the solution and the number of steps.
    """
    n = target.size
    solution = np.zeros(target.shape)
    bent = np.empty(target.shape)
    direction = np.empty(target.shape)
    residual = target.copy().reshape(-1)
    scale = np.empty(n)
    flat_diagonal, flat_direction = diagonal.reshape(-1), direction.reshape(-1)
    for j in range(n):
        scale[j] = 1.0 / flat_diagonal[j] if flat_diagonal[j] > 0.0 else 0.0
        flat_direction[j] = residual[j] * scale[j]
    size = inner(residual, flat_direction)
    goal = size * accuracy * accuracy
    steps = 0
    while steps < max_steps and size > goal:
        curvature_times(starts, columns, values, weights, chances, ridge, direction, bent)
        along = inner(flat_direction, bent.reshape(-1))
        if along <= 0.0:
            break
        new_size = move_along(size / along, flat_direction, bent.reshape(-1), scale, solution.reshape(-1), residual)
        turn = new_size / size
        size = new_size
        for j in range(n):
            flat_direction[j] = residual[j] * scale[j] + turn * flat_direction[j]
        steps += 1
    return solution, steps


@njit(cache=True, nogil=True, fastmath=SUM)
def ridge_cost(u, step, length, ridge):
    """Return ½ Σ λ (u + length · step)²."""
    total = 0.0
    flat, flat_step, flat_ridge = u.reshape(-1), step.reshape(-1), ridge.reshape(-1)
    for j in range(flat.shape[0]):
        x = flat[j] + length * flat_step[j]
        total += flat_ridge[j] * x * x
    return 0.5 * total


@njit(cache=True, nogil=True)
def newton(starts, columns, values, labels, weights, offsets, start, ridge, tol, max_iter):
    """Minimise the objective from `start` (columns + 1 for the intercept, by classes).

    `ridge` is λ, of the same shape; a negative one fixes the coefficient at its start. Columns without entries become
    zero. Stops when √(gᵀ diag(H)⁻¹ g) ≤ tol: the objective is then about tol²/2 above its minimum. Returns the
    solution, the objective, the Newton steps, the conjugate-gradient steps and whether it converged.
    """
    n_rows = starts.shape[0] - 1
    n_classes = start.shape[1]
    u = start.copy()
    m = u.shape[0] - 1
    penalty = np.maximum(ridge, 0.0)
    scores = np.empty((n_rows, n_classes))
    chances = np.empty((n_rows, n_classes))
    along = np.empty((n_rows, n_classes))
    trial = np.empty((n_rows, n_classes))
    slope = np.empty(u.shape)
    diagonal = np.empty(u.shape)
    scores_of(starts, columns, values, u, scores)
    scores += offsets
    objective = 0.0
    cg_steps = 0
    size = np.inf
    for iteration in range(max_iter):
        probabilities_of(scores, chances)
        if size > 1.0:  # near the solution the curvature hardly changes
            curvature_of(starts, columns, values, weights, chances, penalty, diagonal)
        if iteration == 0:
            for j in range(m):
                for k in range(n_classes):
                    if diagonal[j, k] == penalty[j, k] and ridge[j, k] > 0.0:
                        u[j, k] = 0.0
            objective = weighted_loss(scores, labels, weights) + ridge_cost(u, u, 0.0, penalty)
        slope_of(starts, columns, values, labels, weights, chances, u, penalty, slope)
        size = 0.0
        stuck = False
        for j in range(m + 1):
            for k in range(n_classes):
                if ridge[j, k] < 0.0:
                    diagonal[j, k] = 0.0
                elif diagonal[j, k] > 0.0:
                    size += slope[j, k] * slope[j, k] / diagonal[j, k]
                elif abs(slope[j, k]) > tol:  # all probabilities are numerically 0 or 1: no step length
                    stuck = True
        size = np.sqrt(size)
        if stuck:
            return u, objective, iteration, cg_steps, False
        if size <= tol:
            return u, objective, iteration, cg_steps, True
        accuracy = max(min(0.1, 0.1 * size), 0.5 * tol / size)
        step, taken = conjugate_gradients(
            starts, columns, values, weights, chances, penalty, diagonal, -slope, accuracy, 2000
        )
        cg_steps += taken
        scores_of(starts, columns, values, step, along)
        descent = inner(slope.reshape(-1), step.reshape(-1))
        length = 1.0
        moved = False
        for _ in range(HALVINGS):
            for i in range(n_rows):
                for k in range(n_classes):
                    trial[i, k] = scores[i, k] + length * along[i, k]
            candidate = weighted_loss(trial, labels, weights) + ridge_cost(u, step, length, penalty)
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
