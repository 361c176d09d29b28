r"""Weighted logistic regression with an L1 or elastic-net penalty: proximal Newton steps by coordinate descent.

.. math:: \min_u\; \sum_i w_i\, \ell(y_i,\, o_i + \langle x_i, u\rangle + b)
          + \sum_j \lambda_j |u_j| + \tfrac12 \sum_j \rho_j u_j^2

A step minimises the penalised quadratic model over the coefficients that may move, then a line search on the true
objective determines its length. Three safeguards keep warm starts in saturated windows (all probabilities near 0 or 1)
from diverging: the curvature has a lower bound, the change of a coordinate is bounded, and a step that does not
decrease the objective is rejected.

Besides rows (see `compute.cpu.logistic`) the entries are needed by column: (lows, highs, rows, entries, shift), where
column j has the entries lows[j] … highs[j] - 1, and entry e belongs to row rows[e] - shift.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.logistic import ARMIJO, HALVINGS, STALLED, SUM, probabilities_of, scores_of, weighted_loss
from driftline.compute.jit import njit

CURVATURE_FLOOR = 1e-4
"""Minimum p(1 - p) of a row in the quadratic model."""

MOVE_CAP = 8.0
"""Largest change of any row's score by one coordinate update."""

SWEEPS = 100


@njit(cache=True, nogil=True)
def columns_of(starts, columns, values, n_columns):
    """Turn rows into columns: returns where each column starts (uint64), its rows (uint32) and its values."""
    tops = np.zeros(n_columns + 1, np.uint64)
    for e in range(columns.shape[0]):
        tops[columns[e] + 1] += np.uint64(1)
    for j in range(n_columns):
        tops[j + 1] += tops[j]
    at = tops[:-1].copy()
    rows = np.empty(columns.shape[0], np.uint32)
    entries = np.empty(columns.shape[0], np.float64)
    for i in range(starts.shape[0] - 1):
        for e in range(starts[i], starts[i + 1]):
            j = columns[e]
            rows[at[j]] = i
            entries[at[j]] = values[e]
            at[j] += np.uint64(1)
    return tops, rows, entries


@njit(cache=True, nogil=True)
def slide(tops, rows, first, last, lows, highs):
    """Advance each column's range to the rows first … last - 1; neither bound may ever decrease."""
    for j in range(lows.shape[0]):
        end = tops[j + 1]
        low = lows[j]
        while low < end and rows[low] < first:
            low += np.uint64(1)
        high = max(highs[j], low)
        while high < end and rows[high] < last:
            high += np.uint64(1)
        lows[j] = low
        highs[j] = high


@njit(cache=True, nogil=True)
def soft(x, threshold):
    """Shrink x towards zero by the threshold."""
    if x > threshold:
        return x - threshold
    if x < -threshold:
        return x + threshold
    return 0.0


@njit(cache=True, nogil=True)
def least_slope(u, slope, lasso):
    """Return the subgradient of smallest size: zero at a solution."""
    if u > 0.0:
        return slope + lasso
    if u < 0.0:
        return slope - lasso
    return soft(slope, lasso)


@njit(cache=True, nogil=True)
def move_of(here, slope, bend, lasso, scale):
    """Return the change of one coordinate: to the minimum of its own model, but at most the cap."""
    delta = soft(here - slope / bend, lasso / bend) - here
    cap = MOVE_CAP / scale
    return min(max(delta, -cap), cap)


@njit(cache=True, nogil=True)
def penalty_of(u, lasso, ridge):
    """Return Σ λ|u| + ½ Σ ρ u²; a coefficient with negative λ is fixed and has no cost."""
    total = 0.0
    for j in range(u.shape[0]):
        if lasso[j] >= 0.0:
            for k in range(u.shape[1]):
                total += lasso[j] * abs(u[j, k]) + 0.5 * ridge[j] * u[j, k] * u[j, k]
    return total


@njit(cache=True, nogil=True, fastmath=SUM)
def slope_and_bend(first, last, rows, entries, shift, residual, curve):
    """Return Σ x r and Σ x² c over the entries of one column."""
    g = 0.0
    h = 0.0
    for e in range(first, last):
        i = rows[e] - shift
        g += entries[e] * residual[i]
        h += entries[e] * entries[e] * curve[i]
    return g, h


@njit(cache=True, nogil=True)
def survey(by_column, residual, curve, u, lasso, ridge, slope, bend, active):
    """Write slope and curvature of every coefficient, list those that may change, and measure the convergence.

    `residual` and `curve` are (class, row). Returns √(Σ g²/h) over the least subgradients g, and the length of the list
    (flat numbers column · classes + class). Columns without entries become zero.
    """
    lows, highs, rows, entries, shift = by_column
    n_classes = u.shape[1]
    m = u.shape[0] - 1
    n_active = 0
    violation = 0.0
    for j in range(m + 1):
        if lasso[j] < 0.0:
            continue
        for k in range(n_classes):
            if j == m:
                g, h = residual[k].sum(), curve[k].sum()
            elif lows[j] == highs[j]:
                u[j, k] = 0.0
                continue
            else:
                g, h = slope_and_bend(lows[j], highs[j], rows, entries, shift, residual[k], curve[k])
            g += ridge[j] * u[j, k]
            h += ridge[j]
            if h <= 0.0:
                continue
            slope[j, k] = g
            bend[j, k] = h
            gap = least_slope(u[j, k], g, lasso[j])
            violation += gap * gap / h
            if u[j, k] != 0.0 or abs(g) > 0.5 * lasso[j] or j == m:
                active[n_active] = j * n_classes + k
                n_active += 1
    return np.sqrt(violation), n_active


@njit(cache=True, nogil=True, fastmath=SUM)
def bent_slope(first, last, rows, entries, shift, curve, moved):
    """Return Σ x c s over the entries of one column: the change of the slope when the scores change by s."""
    total = 0.0
    for e in range(first, last):
        i = rows[e] - shift
        total += entries[e] * curve[i] * moved[i]
    return total


@njit(cache=True, nogil=True)
def descend_binary(by_column, curve, u, lasso, ridge, slope, bend, active, scale, goal):
    """Minimise the penalised quadratic model by coordinate descent: returns the step and its change of the scores.

    After a first sweep only nonzero coefficients are swept; the next survey finds others that should change.
    """
    lows, highs, rows, entries, shift = by_column
    m = u.shape[0] - 1
    step = np.zeros(u.shape)
    moved = np.zeros(curve.shape[0])
    n_active = active.shape[0]
    for _ in range(SWEEPS):
        change = 0.0
        kept = 0
        for a in range(n_active):
            j = active[a]
            g = slope[j, 0] + ridge[j] * step[j, 0]
            if j == m:
                g += (curve * moved).sum()
            else:
                g += bent_slope(lows[j], highs[j], rows, entries, shift, curve, moved)
            delta = move_of(u[j, 0] + step[j, 0], g, bend[j, 0], lasso[j], scale[j])
            if delta != 0.0:
                step[j, 0] += delta
                change += bend[j, 0] * delta * delta
                if j == m:
                    moved += delta
                else:
                    for e in range(lows[j], highs[j]):
                        moved[rows[e] - shift] += delta * entries[e]
            if u[j, 0] + step[j, 0] != 0.0:
                active[kept] = j
                kept += 1
        n_active = kept
        if change <= goal:
            break
    return step, moved


@njit(cache=True, nogil=True)
def descend(by_column, weights, chances, u, lasso, ridge, slope, bend, active, scale, goal):
    """Do the same as `descend_binary` for several classes.

    The model's curvature between classes is exact: w p_k (s_k - Σ_l p_l s_l), with s the change of the scores, plus the
    contribution of the floor to the diagonal.
    """
    lows, highs, rows, entries, shift = by_column
    n_rows, n_classes = chances.shape
    m = u.shape[0] - 1
    step = np.zeros(u.shape)
    moved = np.zeros(chances.shape)
    mean = np.zeros(n_rows)
    n_active = active.shape[0]
    for _ in range(SWEEPS):
        change = 0.0
        kept = 0
        for a in range(n_active):
            j = active[a] // n_classes
            k = active[a] % n_classes
            g = slope[j, k] + ridge[j] * step[j, k]
            if j == m:
                for i in range(n_rows):
                    g += bent_row(i, k, weights, chances, moved, mean)
            else:
                for e in range(lows[j], highs[j]):
                    g += entries[e] * bent_row(rows[e] - shift, k, weights, chances, moved, mean)
            delta = move_of(u[j, k] + step[j, k], g, bend[j, k], lasso[j], scale[j])
            if delta != 0.0:
                step[j, k] += delta
                change += bend[j, k] * delta * delta
                if j == m:
                    for i in range(n_rows):
                        moved[i, k] += delta
                        mean[i] += chances[i, k] * delta
                else:
                    for e in range(lows[j], highs[j]):
                        i = rows[e] - shift
                        moved[i, k] += delta * entries[e]
                        mean[i] += chances[i, k] * delta * entries[e]
            if u[j, k] + step[j, k] != 0.0:
                active[kept] = active[a]
                kept += 1
        n_active = kept
        if change <= goal:
            break
    return step, moved


@njit(cache=True, nogil=True)
def bent_row(i, k, weights, chances, moved, mean):
    """Return the change of the residual of row i and class k when the scores change."""
    p = chances[i, k]
    extra = max(CURVATURE_FLOOR - p * (1.0 - p), 0.0)
    return weights[i] * (p * (moved[i, k] - mean[i]) + extra * moved[i, k])


@njit(cache=True, nogil=True)
def largest_entries(by_column, n_columns):
    """Return max |x| of every column; 1 for the intercept and for columns without entries."""
    lows, highs, _, entries, _ = by_column
    scale = np.ones(n_columns + 1)
    for j in range(n_columns):
        largest = 0.0
        for e in range(lows[j], highs[j]):
            largest = max(largest, abs(entries[e]))
        if largest > 0.0:
            scale[j] = largest
    return scale


@njit(cache=True, nogil=True)
def proximal_newton(starts, columns, values, by_column, labels, weights, offsets, start, lasso, ridge, tol, max_iter):
    """Minimise the objective from `start`; arguments and results are those of `logistic.newton`, plus `lasso`.

    `lasso` (λ) and `ridge` (ρ) have one entry per column and one for the intercept; a negative λ fixes a coefficient.
    No conjugate-gradient steps are counted.
    """
    n_rows = starts.shape[0] - 1
    n_classes = start.shape[1]
    scale = largest_entries(by_column, start.shape[0] - 1)
    u = start.copy()
    scores = np.empty((n_rows, n_classes))
    chances = np.empty((n_rows, n_classes))
    residual = np.empty((n_classes, n_rows))
    curve = np.empty((n_classes, n_rows))
    trial = np.empty((n_rows, n_classes))
    slope = np.empty(u.shape)
    bend = np.empty(u.shape)
    active = np.empty(u.size, np.int64)
    scores_of(starts, columns, values, u, scores)
    scores += offsets
    objective = 0.0
    for iteration in range(max_iter):
        probabilities_of(scores, chances)
        for i in range(n_rows):
            for k in range(n_classes):
                p = chances[i, k]
                is_class = labels[i] == 1 if n_classes == 1 else labels[i] == k
                residual[k, i] = weights[i] * (p - (1.0 if is_class else 0.0))
                curve[k, i] = weights[i] * max(p * (1.0 - p), CURVATURE_FLOOR)
        violation, n_active = survey(by_column, residual, curve, u, lasso, ridge, slope, bend, active)
        if iteration == 0:
            objective = weighted_loss(scores, labels, weights) + penalty_of(u, lasso, ridge)
        if violation <= tol:
            return u, objective, iteration, 0, True
        goal = (0.1 * violation) ** 2 if violation > 10.0 * tol else (0.1 * tol) ** 2
        listed = active[:n_active]
        if n_classes == 1:
            step, moves = descend_binary(by_column, curve[0], u, lasso, ridge, slope, bend, listed, scale, goal)
            moved = moves.reshape((n_rows, 1))
        else:
            step, moved = descend(by_column, weights, chances, u, lasso, ridge, slope, bend, listed, scale, goal)
        promise = penalty_of(u + step, lasso, ridge) - penalty_of(u, lasso, ridge)
        for i in range(n_rows):
            for k in range(n_classes):
                promise += residual[k, i] * moved[i, k]
        length = 1.0
        paid = False
        for _ in range(HALVINGS):
            for i in range(n_rows):
                for k in range(n_classes):
                    trial[i, k] = scores[i, k] + length * moved[i, k]
            candidate = weighted_loss(trial, labels, weights) + penalty_of(u + length * step, lasso, ridge)
            if candidate <= objective + ARMIJO * length * min(promise, 0.0) + STALLED * abs(objective):
                paid = True
                break
            length *= 0.5
        if not paid:
            return u, objective, iteration, 0, violation <= 100.0 * tol
        u += length * step
        scores, trial = trial, scores
        stalled = length == 1.0 and objective - candidate <= STALLED * abs(objective)
        objective = candidate
        if stalled:
            return u, objective, iteration + 1, 0, violation <= 100.0 * tol
    return u, objective, max_iter, 0, False
