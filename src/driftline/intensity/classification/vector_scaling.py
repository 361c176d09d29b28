r"""Vector scaling: calibration of a classifier's log-probabilities.

With :math:`z_k = \ln p_k - \overline{\ln p}` (1) the calibrated probabilities are
:math:`\mathrm{softmax}(s z_k + b_k)` (2): one scale :math:`s > 0` for all classes, one bias each, with a light penalty
on the biases. One scale alone is not enough: naive Bayes on few features gets worse with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from driftline.core.arrays import Floats, Ints

LOWEST = -30.0
"""Lower bound of log-probabilities; greater certainty is not credible."""
PENALTY_ON_BIAS = 1.0
PENALTY_ON_SCALE = 0.01


class VectorScaling(NamedTuple):
    """A fitted calibration.

    >>> calibration = VectorScaling(scale=0.5, bias=np.array([0.0, 0.2]))
    >>> calibration.scores(np.log([[0.8, 0.2]])).round(3)
    array([[ 0.347, -0.147]])
    """

    scale: float
    bias: Floats

    def scores(self, log_proba: Floats) -> Floats:
        """Return s z + b (Eq. 2 before the softmax)."""
        return self.scale * _centred(log_proba) + self.bias


def fit_vector_scaling(log_proba: Floats, y: Ints) -> VectorScaling:
    """Fit scale and biases to log-probabilities that the classifier gave to documents it had not seen.

    `y` are the true columns.
    """
    z = _centred(log_proba)
    n, n_classes = z.shape
    rows = np.arange(n)

    def cost(parameters: Floats) -> tuple[float, Floats]:
        log_scale, bias = parameters[0], parameters[1:]
        logs = log_softmax(np.exp(log_scale) * z + bias, axis=1)
        residual = np.exp(logs)
        residual[rows, y] -= 1
        value = -logs[rows, y].sum() + PENALTY_ON_BIAS / 2 * bias @ bias + PENALTY_ON_SCALE / 2 * log_scale**2
        slope = np.exp(log_scale) * (residual * z).sum() + PENALTY_ON_SCALE * log_scale
        return float(value), np.concatenate([[slope], residual.sum(axis=0) + PENALTY_ON_BIAS * bias])

    found = minimize(
        cost, np.zeros(n_classes + 1), jac=True, method="L-BFGS-B", bounds=[(-10, 5)] + [(-20, 20)] * n_classes
    )
    return VectorScaling(float(np.exp(found.x[0])), found.x[1:])


def nats_over_shares(calibration: VectorScaling, log_proba: Floats, y: Ints) -> float:
    """Return the gain in log-likelihood of the calibrated probabilities over the class shares, on the true classes.

    If the classifier is uninformative, it is half a χ² variable with one degree of freedom, for the scale that was
    fitted: 3 nats or more occur by chance in 1.4 % of cases.

    >>> logs = np.log([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8]])
    >>> round(nats_over_shares(VectorScaling(1.0, np.zeros(2)), logs, np.array([0, 0, 1, 1])), 2)
    1.86
    >>> round(nats_over_shares(VectorScaling(0.0, np.zeros(2)), logs, np.array([0, 0, 1, 1])), 2)
    0.0
    """
    shares = np.bincount(y, minlength=log_proba.shape[1]) / len(y)
    logs = log_softmax(calibration.scores(log_proba), axis=1)
    return float((logs[np.arange(len(y)), y] - np.log(shares[y])).sum())


def _centred(log_proba: Floats) -> Floats:
    z = np.maximum(log_proba, LOWEST)
    found: Floats = z - z.mean(axis=1, keepdims=True)
    return found
