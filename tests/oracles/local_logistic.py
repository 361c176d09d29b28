"""Local logistic regression written out: the objective as one expression, solved by a general-purpose optimiser."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax


def losses(scores, labels):
    """Return ℓ(y, score) of every row, for one column of scores (labels 0 and 1) or one per class."""
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
    return -log_softmax(scores, axis=1)[np.arange(len(labels)), labels]


def objective(u, X, labels, weights, offsets, lasso, ridge):
    """Return Σ w ℓ + Σ λ|u| + ½ Σ ρ u²; the last row of `u` is the intercept, a negative ridge or λ costs nothing."""
    scores = offsets + X @ u[:-1] + u[-1]
    cost = np.maximum(lasso, 0) * np.abs(u) + 0.5 * np.maximum(ridge, 0) * u**2
    return float(weights @ losses(scores, labels) + cost.sum())


def minimiser(X, labels, weights, offsets, ridge):
    """Return the coefficients (intercept last) that minimise the smooth objective, to many digits."""
    shape = ridge.shape
    nothing = np.zeros(shape)

    def f(flat):
        return objective(flat.reshape(shape), X, labels, weights, offsets, nothing, ridge)

    found = minimize(f, np.zeros(ridge.size), method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    return found.x.reshape(shape)
