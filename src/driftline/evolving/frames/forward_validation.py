"""Selection of parameters by forward validation: the labels of each frame are predicted from the frames before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import indexable

from driftline.core.arrays import Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import classes_of, codes_of, labelled_values
from driftline.core.progress import track
from driftline.core.results import Results
from driftline.core.times import TimeAxis
from driftline.streams.frames import frame_bounds


class ForwardScore(NamedTuple):
    """Prediction scores of some parameters: mean log-loss (less is better), accuracy, and number of labels."""

    parameters: dict[str, object]
    log_loss: float
    accuracy: float
    n_labels: int


def forward_validation(
    classifier: Any,
    X: Matrix,
    y: Labels,
    grid: Mapping[str, Sequence[object]] | Sequence[Mapping[str, Sequence[object]]],
    *,
    times: Times = None,
    every: object,
) -> Results[ForwardScore]:
    """Evaluate every combination in `grid`, and return them with their scores, the best (by log-loss) first.

    Each labelled document is predicted once, by a model that has learned only the frames before its own.

    >>> from driftline.evolving.estimators.evolutionary_classifier import EvolutionaryClassifier
    >>> X = np.tile([[2, 0, 1], [0, 2, 1]], (6, 1))
    >>> scores = forward_validation(
    ...     EvolutionaryClassifier(method="paper"), X, [0, 1] * 6, {"gamma_a": [0.01, 100.0]}, every=3
    ... )
    >>> scores[0].parameters, scores[0].n_labels
    ({'gamma_a': 0.01}, 8)
    """
    X, _ = indexable(X, y)
    X = X if hasattr(X, "shape") else np.asarray(X)
    values, labelled = labelled_values(y, X.shape[0])
    axis = TimeAxis.of(times)
    moments = axis.values(times, n=X.shape[0])
    order = np.argsort(moments, kind="stable")
    _, bounds = frame_bounds(axis.restore(moments[order]), every)
    frames = [order[a:b] for a, b in pairwise(bounds)]
    classes = classes_of(values[labelled])
    all_codes = codes_of(values, labelled, classes)
    if not len(classes) or not labelled[np.concatenate([order[:0], *frames[1:]])].any():
        raise InvalidInput("no frame after the first has a label to predict; label some, or use shorter frames")
    scores = []
    for parameters in track(list(ParameterGrid(grid)), "validating forwards"):
        model = clone(classifier).set_params(**parameters)
        losses: list[float] = []
        right = 0
        for t, rows in enumerate(frames):
            known = rows[labelled[rows]]
            if t and len(known):
                probabilities = model.predict_proba(X[known])
                codes = all_codes[known]
                losses += (-np.log(np.maximum(probabilities[np.arange(len(known)), codes], 1e-12))).tolist()
                right += int((np.argmax(probabilities, axis=1) == codes).sum())
            model.partial_fit(X[rows], values[rows], classes=classes)
        scores.append(ForwardScore(parameters, float(np.mean(losses)), right / len(losses), len(losses)))
    ranked = sorted(scores, key=lambda score: score.log_loss)
    return Results(ForwardScore, ranked, name="parameters", quantity="log_loss")
