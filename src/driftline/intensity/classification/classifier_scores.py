"""Log-probabilities from any classifier, and the mean of posteriors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, softmax

from driftline.base.checked_matrices import checked_features
from driftline.core.arrays import Floats, Matrix

LEAST_PROBABILITY = 1e-12
"""Smallest posterior probability before combination, so that no single method can exclude a class."""


class Evidence(NamedTuple):
    """A classifier's own log-probabilities, and the calibrated log p(document | class); documents × classes."""

    log_proba: Floats
    log_likelihood: Floats


def log_proba_of(estimator: object, X: Matrix) -> Floats:
    """Return a fitted classifier's log-probabilities, or its decision scores converted to them."""
    method = method_of(estimator)
    return as_log_proba(getattr(estimator, method)(checked_features(X)), method)


def method_of(estimator: object) -> str:
    """Return the most informative method: log-probabilities, otherwise probabilities, otherwise decision scores."""
    for name in ("predict_log_proba", "predict_proba"):
        if hasattr(estimator, name):
            return name
    return "decision_function"


def as_log_proba(scores: npt.ArrayLike, method: str) -> Floats:
    """Return the method's output as log-probabilities, documents × classes."""
    scores = np.asarray(scores, dtype=np.float64)
    if method == "predict_log_proba":
        found: Floats = np.maximum(scores, -1e3)
        return found
    if method == "predict_proba":
        found = np.log(np.maximum(scores, 1e-300))
        return found
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    found = log_softmax(scores, axis=1)
    return found


def geometric_mean(posteriors: Sequence[Floats]) -> Floats:
    """Return the normalised geometric mean of posteriors; none of them can exclude a class.

    >>> geometric_mean([np.array([[0.5, 0.5]]), np.array([[0.8, 0.2]])]).round(2)
    array([[0.67, 0.33]])
    """
    logs = [np.log(np.maximum(posterior, LEAST_PROBABILITY)) for posterior in posteriors]
    found: Floats = softmax(np.mean(logs, axis=0), axis=1)
    return found
