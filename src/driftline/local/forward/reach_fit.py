"""Logistic regressions of documents weighted by their age, and their average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from driftline.core.arrays import Counts, Floats, Ints
from driftline.local.forward.reach import Reach
from driftline.local.logistic.local_fit import Linear, Objective, Rows, Training, fit_window

ABSENT_ODDS = 0.5
"""Factor of the odds of a class that is absent within a reach: its share is taken to be the mean of that within the
reach, which is zero, and that of the fit to all documents."""


class ReachFit(NamedTuple):
    """A fitted model, and whether the fit converged."""

    model: Linear
    converged: bool


def fit_reach(
    training: Training, reach: Reach, objective: Objective, before: Linear | None = None, base: Linear | None = None
) -> ReachFit:
    """Fit to the documents within a reach, starting from an earlier solution if there is one.

    With weights that fall with age the penalty shrinks coefficients towards those of `base`, the fit to all documents;
    otherwise it shrinks them towards zero. If a class is absent within the reach, only the others are fitted, shrunk
    towards `base`, because the class may return. A reach that is to be fitted alone is always shrunk towards zero.
    """
    n, n_columns = training.X.shape
    first, weights = reach.weights(training.times)
    lacking = reach.kind != "all" and not reach.alone and lacks_a_class(training, reach)
    if lacking and base is not None:
        return _fit_present_classes(training, first, weights, objective, base)
    if reach.kind != "kernel":
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


def _fit_present_classes(
    training: Training, first: int, weights: Floats, objective: Objective, base: Linear
) -> ReachFit:
    r"""Fit the classes that occur since a document, shrunk towards `base`; absent ones keep its coefficients.

    The documents show how the present classes :math:`P` differ from each other. A softmax over :math:`P` is fitted,

    .. math:: p(k \mid x, P) \propto \exp\left((w_k + d_k)^\top x\right), \qquad k \in P,

    where :math:`w` is `base`, and the ridge penalty of the deviations :math:`d` makes their sum over :math:`P` zero:
    the present classes together keep their level. An absent class keeps its coefficients, and its odds are multiplied
    by `ABSENT_ODDS`.
    """
    present, codes = np.unique(training.labels[first:], return_inverse=True)
    coefficients, intercepts = base.coefficients.copy(), base.intercepts.copy()
    if training.n_outputs == 1:  # one of two classes is present, and intercepts are the log-odds of the second
        return ReachFit(Linear(coefficients, intercepts + math.log(ABSENT_ODDS) * (1 - 2 * present[0])), converged=True)
    converged = True
    if len(present) > 1:
        labels = np.concatenate([np.zeros(first, dtype=codes.dtype), codes])
        within = Linear(base.coefficients[present], base.intercepts[present])
        rows = Rows(training._replace(labels=labels, n_outputs=len(present)), first, len(labels), by_column=False)
        pulled = np.asarray(training.X[first:] @ within.coefficients.T + within.intercepts)
        start = np.zeros((len(rows.present) + 1, len(present)))
        fit = fit_window(rows, first, weights, replace(objective, center="global"), start, within, pulled)
        coefficients[np.ix_(present, rows.present)] += fit.solution[:-1].T
        intercepts[present] = fit.intercepts
        converged = fit.converged
    intercepts[np.setdiff1d(np.arange(training.n_outputs), present)] += math.log(ABSENT_ODDS)
    return ReachFit(Linear(coefficients, intercepts), converged)


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
