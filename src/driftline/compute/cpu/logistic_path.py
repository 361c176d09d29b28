"""Evaluation of a path of local fits: scores of documents each at its own time, and the variances of coefficients."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.logistic import curvature_of, probabilities_of
from driftline.compute.jit import njit

MOST_STEPS = 2000
"""Largest number of steps of the conjugate gradients."""


@njit(cache=True, nogil=True)
def coefficient_variances(starts, columns, values, weights, scores, ridge, places, accuracy):
    """Return the variances of penalised estimates: e'H⁻¹ J H⁻¹e, with J = Σ w² Cov(residual) the slope's variance.

    A row of `places` is a column within the window (the last is the intercept) and an output; a negative `ridge` marks
    coefficients held fixed. The H⁻¹e of all places are solved together, each until its residual is `accuracy` of e.
    """
    n_systems = places.shape[0]
    n_classes = scores.shape[1]
    chances = np.empty(scores.shape)
    probabilities_of(scores, chances)
    penalty = np.maximum(ridge, 0.0)
    diagonal = np.empty(ridge.shape)
    curvature_of(starts, columns, values, weights, chances, penalty, diagonal)
    for j in range(ridge.shape[0]):
        for k in range(n_classes):
            if ridge[j, k] < 0.0:
                diagonal[j, k] = 0.0
    answers = unit_solutions(starts, columns, values, weights, chances, penalty, diagonal, places, accuracy)
    variances = np.zeros(n_systems)
    along = np.empty((n_classes, n_systems))
    mean = np.empty(n_systems)
    for i in range(scores.shape[0]):
        products(starts[i], starts[i + 1], columns, values, answers, along)
        mean[:] = 0.0
        for k in range(n_classes):
            for b in range(n_systems):
                mean[b] += chances[i, k] * along[k, b]
        for k in range(n_classes):
            share = weights[i] * weights[i] * chances[i, k]
            for b in range(n_systems):
                variances[b] += share * along[k, b] * (along[k, b] - mean[b])
    return variances


@njit(cache=True, nogil=True)
def unit_solutions(starts, columns, values, weights, chances, ridge, diagonal, places, accuracy):
    """Solve H s = e for the unit vectors of all places by conjugate gradients, preconditioned by the diagonal.

    One pass over the documents serves all systems; a solved system no longer changes, so that its solution does not
    depend on the others. Entries whose diagonal is zero (coefficients held fixed) stay zero.
    """
    n_systems = places.shape[0]
    shape = (diagonal.shape[0], diagonal.shape[1], n_systems)
    solution, residual, direction, bent = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.empty(shape)
    sizes, goals, along, lengths, turns = np.zeros((5, n_systems))
    for b in range(n_systems):
        j, k = places[b]
        if diagonal[j, k] > 0.0:
            residual[j, k, b] = 1.0
            direction[j, k, b] = 1.0 / diagonal[j, k]
            sizes[b] = direction[j, k, b]
            goals[b] = sizes[b] * accuracy * accuracy
    for _ in range(MOST_STEPS):
        if not np.any(sizes > goals):
            break
        curvature_times_many(starts, columns, values, weights, chances, ridge, direction, bent)
        along[:] = 0.0
        for j in range(shape[0]):
            for k in range(shape[1]):
                for b in range(n_systems):
                    along[b] += direction[j, k, b] * bent[j, k, b]
        for b in range(n_systems):
            lengths[b] = sizes[b] / along[b] if sizes[b] > goals[b] and along[b] > 0.0 else 0.0
        turns[:] = sizes
        sizes[:] = 0.0
        for j in range(shape[0]):
            for k in range(shape[1]):
                scale = 1.0 / diagonal[j, k] if diagonal[j, k] > 0.0 else 0.0
                for b in range(n_systems):
                    solution[j, k, b] += lengths[b] * direction[j, k, b]
                    residual[j, k, b] -= lengths[b] * bent[j, k, b]
                    sizes[b] += residual[j, k, b] * residual[j, k, b] * scale
        for b in range(n_systems):
            if lengths[b] == 0.0:
                sizes[b] = goals[b]
            turns[b] = sizes[b] / turns[b] if lengths[b] > 0.0 else 0.0
        for j in range(shape[0]):
            for k in range(shape[1]):
                scale = 1.0 / diagonal[j, k] if diagonal[j, k] > 0.0 else 0.0
                for b in range(n_systems):
                    direction[j, k, b] = residual[j, k, b] * scale + turns[b] * direction[j, k, b]
    return solution


@njit(cache=True, nogil=True)
def curvature_times_many(starts, columns, values, weights, chances, ridge, v, out):
    """Write H v into `out` for the systems in the last axis of `v`, in one pass over the documents."""
    m, n_classes, n_systems = v.shape[0] - 1, v.shape[1], v.shape[2]
    for j in range(m + 1):
        for k in range(n_classes):
            for b in range(n_systems):
                out[j, k, b] = ridge[j, k] * v[j, k, b]
    s_of = np.empty((n_classes, n_systems))
    mean = np.empty(n_systems)
    flat, result = s_of.reshape(-1), out.reshape(m + 1, n_classes * n_systems)
    for i in range(starts.shape[0] - 1):
        products(starts[i], starts[i + 1], columns, values, v, s_of)
        mean[:] = 0.0
        for k in range(n_classes):
            for b in range(n_systems):
                mean[b] += chances[i, k] * s_of[k, b]
        for k in range(n_classes):
            share = weights[i] * chances[i, k]
            for b in range(n_systems):
                s_of[k, b] = share * (s_of[k, b] - mean[b])
        for c in range(flat.shape[0]):
            result[m, c] += flat[c]
        for e in range(starts[i], starts[i + 1]):
            for c in range(flat.shape[0]):
                result[columns[e], c] += values[e] * flat[c]


@njit(cache=True, nogil=True)
def products(first, last, columns, values, v, s_of):
    """Write ⟨x, v⟩ + v of the intercept into `s_of`, for the entries first … last - 1 of one document."""
    m = v.shape[0] - 1
    flat, wide = s_of.reshape(-1), v.reshape(m + 1, s_of.size)
    for c in range(flat.shape[0]):
        flat[c] = wide[m, c]
    for e in range(first, last):
        for c in range(flat.shape[0]):
            flat[c] += values[e] * wide[columns[e], c]


@njit(cache=True, nogil=True)
def scores_by_group(indptr, indices, data, order, group, share, path_indptr, path_indices, path_data, scores):
    """Add share_i ⟨x_i, β_g⟩ to the scores of every document i, where g is its group: a row of the path per class.

    `order` lists the documents so that those of a group are together. The coefficients of group g and class k are row
    g · n_classes + k of the path, which is sparse.
    """
    n_classes = scores.shape[1]
    n_columns = 0
    for e in range(path_indices.shape[0]):
        n_columns = max(n_columns, path_indices[e] + 1)
    dense = np.zeros((n_columns, n_classes))
    current = -1
    for at in range(order.shape[0]):
        i = order[at]
        if share[i] == 0.0:
            continue
        if group[i] != current:
            if current >= 0:
                _spread(dense, current, path_indptr, path_indices, path_data, False)
            current = group[i]
            _spread(dense, current, path_indptr, path_indices, path_data, True)
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] < n_columns:
                for k in range(n_classes):
                    scores[i, k] += share[i] * data[e] * dense[indices[e], k]


@njit(cache=True, nogil=True)
def _spread(dense, group, path_indptr, path_indices, path_data, fill):
    """Write one group's coefficients into the dense scratch, or zeros in their place."""
    n_classes = dense.shape[1]
    for k in range(n_classes):
        row = group * n_classes + k
        for e in range(path_indptr[row], path_indptr[row + 1]):
            dense[path_indices[e], k] = path_data[e] if fill else 0.0
