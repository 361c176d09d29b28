"""Logistic regressions of documents weighted by their age, and their average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from driftline.core.arrays import Counts, Floats, Ints
from driftline.local.forward.reach import Reach
from driftline.local.logistic.local_fit import Linear, Objective, Rows, Training, fit_window


class ReachFit(NamedTuple):
    """A fitted model, and whether the fit converged."""

    model: Linear
    converged: bool


def fit_reach(
    training: Training, reach: Reach, objective: Objective, before: Linear | None = None, base: Linear | None = None
) -> ReachFit:
    """Fit to the documents within a reach, starting from an earlier solution if there is one.

    With weights that fall with age the penalty shrinks coefficients towards those of `base`, the fit to all documents.
    Otherwise it shrinks them towards zero, unless a class is absent within the reach, which may return; a reach that is
    to be fitted alone is always shrunk towards zero.
    """
    n, n_columns = training.X.shape
    first, weights = reach.weights(training.times)
    if reach.kind == "all" or reach.alone or (reach.kind != "kernel" and not lacks_a_class(training, reach)):
        base = None
    rows = Rows(training, first, n, by_column=objective.l1_ratio > 0)
    start = np.zeros((len(rows.present) + 1, training.n_outputs))
    coefficients = np.zeros((training.n_outputs, n_columns)) if base is None else base.coefficients.copy()
    if before is not None:
        start = np.vstack([before.coefficients[:, rows.present].T, before.intercepts])
    pulled: Floats | None = None
    if base is not None:
        pulled = np.asarray(training.X[first:] @ base.coefficients.T + base.intercepts)
        start[:] = 0.0
        objective = replace(objective, center="global")
    fit = fit_window(rows, first, weights, objective, start, base, pulled)
    coefficients[:, rows.present] += fit.solution[:-1].T
    return ReachFit(Linear(coefficients, fit.intercepts), fit.converged)


def lacks_a_class(training: Training, reach: Reach) -> bool:
    """Return whether a class of the documents does not occur within a reach."""
    first, _ = reach.weights(training.times)
    return len(np.unique(training.labels[first:])) < len(np.unique(training.labels))


def averaged(models: Sequence[Linear]) -> Linear:
    """Return the model whose scores are the average of the models' scores."""
    return Linear(
        np.mean([model.coefficients for model in models], axis=0),
        np.mean([model.intercepts for model in models], axis=0),
    )


def class_scores(X: Counts, model: Linear) -> Floats:
    """Return the scores of documents, one per class, up to a constant per document."""
    scores = np.asarray(X @ model.coefficients.T + model.intercepts)
    return np.column_stack([np.zeros(len(scores)), scores[:, 0]]) if scores.shape[1] == 1 else scores


def log_losses(scores: Floats, labels: Ints) -> Floats:
    """Return the logarithmic loss of every document; the last axis of `scores` is the class."""
    own = np.broadcast_to(labels, scores.shape[:-1])[..., None]
    found: Floats = -np.take_along_axis(log_softmax(scores, axis=-1), own, axis=-1)[..., 0]
    return found
