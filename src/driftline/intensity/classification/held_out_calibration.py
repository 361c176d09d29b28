"""Calibration of a classifier on held-out documents, and its information about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from driftline.core.arrays import Bools, Ints, Labels, Matrix
from driftline.intensity.classification.classifier_scores import as_log_proba, method_of
from driftline.intensity.classification.vector_scaling import VectorScaling, fit_vector_scaling, nats_over_shares


class HeldOutCalibration(NamedTuple):
    """A calibration, and the nats by which its probabilities of held-out documents beat the shares of the classes.

    `wrong` are the errors of the uncalibrated and the calibrated classifier on these documents; None if a class has too
    few of them.
    """

    scaling: VectorScaling
    signal: float
    wrong: tuple[Bools, Bools] | None = None


def calibrate(base: object, X: Matrix, y: Labels, columns: Ints, *, cv: int, n_jobs: int | None) -> HeldOutCalibration:
    """Calibrate by cross-validation; `columns` are the indices of the labels `y` among the classes.

    With fewer than two classes, or fewer than two documents of one, scores are unchanged and the signal is zero.
    """
    counts = np.bincount(columns)
    n_folds = min(cv, int(counts.min()))
    if len(counts) < 2 or n_folds < 2:
        return HeldOutCalibration(VectorScaling(1.0, np.zeros(len(counts))), 0.0)
    held_out = cross_val_predict(clone(base), X, y, cv=folds(n_folds), method=method_of(base), n_jobs=n_jobs)
    log_proba = as_log_proba(held_out, method_of(base))
    scaling = fit_vector_scaling(log_proba, columns)
    wrong = (log_proba.argmax(axis=1) != columns, scaling.scores(log_proba).argmax(axis=1) != columns)
    return HeldOutCalibration(scaling, nats_over_shares(scaling, log_proba, columns), wrong)


def folds(n: int) -> StratifiedKFold:
    """Return the folds of the cross-validation, the same every time."""
    return StratifiedKFold(n, shuffle=True, random_state=0)
