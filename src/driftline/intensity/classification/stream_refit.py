"""A classifier fitted once more, to its training documents and to a stream with soft labels."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from driftline.base.sklearn_private import safe_indexing
from driftline.core.arrays import Floats, Matrix
from driftline.intensity.classification.classifier_scores import log_proba_of
from driftline.intensity.classification.held_out_calibration import folds
from driftline.intensity.classification.vector_scaling import VectorScaling, fit_vector_scaling

LEAST_SHARE = 1e-3
"""Smallest class probability used in a refit; most documents then count for a single class."""


def refit_on_stream(
    estimator: object,
    training: tuple[Matrix, np.ndarray],
    X: Matrix,
    posterior: Floats,
    calibration: VectorScaling,
    weight: float,
    cv: int,
) -> tuple[Any, VectorScaling]:
    """Fit the classifier once more, and calibrate it again, because the class shares have changed.

    The `posterior` of the stream's documents `X` are their soft labels, each document with the given `weight`. If a
    class has too few training documents, the first `calibration` is kept.
    """
    known, y = training
    classes, columns = np.unique(y, return_inverse=True)
    again = _refitted(estimator, known, y, X, posterior, weight)
    n_folds = min(cv, int(np.bincount(columns).min()))
    if len(classes) < 2 or n_folds < 2:
        return again, calibration
    held_out = np.empty((len(y), len(classes)))
    for rows, others in folds(n_folds).split(np.zeros(len(y)), y):
        part = _refitted(estimator, safe_indexing(known, rows), y[rows], X, posterior, weight)
        held_out[others] = log_proba_of(part, safe_indexing(known, others))
    return again, fit_vector_scaling(held_out, columns)


def _refitted(estimator: Any, known: Matrix, y: np.ndarray, X: Matrix, posterior: Floats, weight: float) -> Any:
    """Fit a copy with the stream's posteriors as soft labels; very small ones are omitted."""
    columns, rows = np.nonzero(posterior.T > LEAST_SHARE)
    guessed = safe_indexing(X, rows)
    labels = np.concatenate([y, estimator.classes_[columns]])
    weights = np.concatenate([np.ones(len(y)), weight * posterior[rows, columns]])
    return clone(estimator).fit(_joined(known, guessed), labels, sample_weight=weights)


def _joined(first: Matrix, second: Matrix) -> Any:
    """Return the rows of both; of two data frames a data frame, whose column names the classifier has learned."""
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([first, second]).tocsr()
    frames = [nw.from_native(part, eager_only=True, pass_through=True) for part in (first, second)]
    if all(isinstance(frame, nw.DataFrame) for frame in frames):
        return nw.concat(frames).to_native()
    return np.concatenate([first, second])
