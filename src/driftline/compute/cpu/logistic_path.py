"""Evaluation of a path of local fits: scores of documents each at its own time, and the variance of a coefficient."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.logistic import conjugate_gradients, curvature_of, probabilities_of, scores_of
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def coefficient_variance(starts, columns, values, weights, scores, ridge, column, output, accuracy):
    """Return the variance of one penalised estimate: e'H⁻¹ J H⁻¹e, with J = Σ w² Cov(residual) the slope's variance.

    `column` counts within the window (the last is the intercept); a negative `ridge` marks coefficients held fixed.
    H⁻¹e is solved until the residual is `accuracy` of e.
    """
    shape = ridge.shape
    chances = np.empty(scores.shape)
    probabilities_of(scores, chances)
    penalty = np.maximum(ridge, 0.0)
    diagonal = np.empty(shape)
    curvature_of(starts, columns, values, weights, chances, penalty, diagonal)
    for j in range(shape[0]):
        for k in range(shape[1]):
            if ridge[j, k] < 0.0:
                diagonal[j, k] = 0.0
    if diagonal[column, output] <= 0.0:
        return 0.0
    unit = np.zeros(shape)
    unit[column, output] = 1.0
    answer, _ = conjugate_gradients(starts, columns, values, weights, chances, penalty, diagonal, unit, accuracy, 2000)
    along = np.empty(scores.shape)
    scores_of(starts, columns, values, answer, along)
    n_classes = scores.shape[1]
    variance = 0.0
    for i in range(scores.shape[0]):
        mean = 0.0
        square = 0.0
        for k in range(n_classes):
            mean += chances[i, k] * along[i, k]
            square += chances[i, k] * along[i, k] * along[i, k]
        variance += weights[i] * weights[i] * (square - mean * mean)
    return variance


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
