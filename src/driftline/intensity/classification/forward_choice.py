r"""Choice of the methods of a stream by forward validation, and the check that a stream resembles the validation.

At each origin the documents before it are learned and those after it are predicted, by the uncalibrated classifier, by
the calibrated one, and by models of the stream. All errors are added up over the origins, and every comparison is that
of `clearly_better`: by more than one standard error of the difference.

1. The *simpler answer* is the uncalibrated classifier, unless the calibrated one is clearly better.
2. Among the models of the stream it is the combination, unless another is clearly better.
3. This model is chosen if it is clearly better than the simpler answer, otherwise the simpler answer is.

A validation cannot show changes that begin after it. If the model overrules the simpler answer on :math:`s n'` of the
:math:`n'` documents after the last origin, it may overrule it on :math:`d` of :math:`n` documents of a new stream while

.. math:: d \le 2 s n + 2\sqrt{2 s n} + 1 \qquad (1)

and if it overrules more often, the simpler answer is given; the same rule holds for calibration and the uncalibrated
classifier.

Validation cannot show the benefit of calibration if a class has hardly any documents before the origins. If the simpler
answer is the uncalibrated classifier, calibration therefore replaces it if it is better by 1.5 standard errors on the
cross-validated training documents, which are not later ones, and makes no more errors after the origins. The answers
that the model overrules are still those of the uncalibrated classifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Ints
from driftline.intensity.classification.clearly_better import clearly_better

COMBINED = ("tracker", "chain", "neighbours")
"""The methods whose geometric mean had the lowest error in trials."""

CANDIDATES: Mapping[str, tuple[str, ...]] = {
    "base": ("base",),
    "calibration": ("calibration",),
    "shares": ("shares",),
    "chain": ("chain",),
    "tracker": ("tracker",),
    "combined": COMBINED,
}
"""Validated candidates and the methods of each, the simplest first."""

OF_STREAM = ("shares", "chain", "tracker")
"""Models of the stream that may replace the combination."""

ORIGINS = (0.5, 0.75)
"""Shares of the training documents, in order of time, that are learned at each origin."""

MOST_OVERRULED = 2.0
"""Factor by which a model of the stream may overrule the simpler answer more often than in validation."""

HELD_OUT_ERRORS = 1.5
"""Number of standard errors by which calibration must be better on cross-validated documents."""


class Predicted(NamedTuple):
    """The true columns of the documents after an origin, and those that each candidate predicts."""

    truth: Ints
    columns: Mapping[str, Ints]


class Choice(NamedTuple):
    """The chosen candidate, the simpler answer, errors of each candidate, and the rates of overruled answers.

    `overruled` is the share of documents after the last origin on which the choice differs from the simpler answer of
    the origins, `compared` ("chosen"), and the calibrated classifier from the uncalibrated one ("calibration"; one
    if calibration is the simpler answer by the cross-validated documents, which are uninformative about later ones).
    """

    chosen: str
    simpler: str
    errors: dict[str, int]
    overruled: dict[str, float]
    compared: str


def choose(origins: Sequence[Predicted], held_out: tuple[Bools, Bools] | None = None) -> Choice:
    """Return the choice from the predictions after each origin, the last origin last.

    `held_out` are the errors of the uncalibrated and the calibrated classifier on cross-validated training documents.

    >>> truth = np.repeat([0, 1], 20)
    >>> weak = np.where(np.arange(40) % 4 == 0, 1 - truth, truth)
    >>> columns = {name: weak for name in CANDIDATES} | {"combined": truth}
    >>> choose([Predicted(truth, columns)])[:2], choose([Predicted(truth, columns)]).overruled["chosen"]
    (('combined', 'base'), 0.25)
    """
    wrong = {name: np.concatenate([each.columns[name] != each.truth for each in origins]) for name in CANDIDATES}
    errors = {name: int(each.sum()) for name, each in wrong.items()}
    compared = clearly_better(wrong["base"], {"calibration": wrong["calibration"]}) or "base"
    model = clearly_better(wrong["combined"], {name: wrong[name] for name in OF_STREAM}) or "combined"
    chosen = clearly_better(wrong[compared], {model: wrong[model]}) or compared
    last = origins[-1].columns
    overruled = {
        "chosen": float((last[chosen] != last[compared]).mean()),
        "calibration": float((last["calibration"] != last["base"]).mean()),
    }
    simpler = compared
    if compared == "base" and held_out is not None and errors["calibration"] <= errors["base"]:
        simpler = clearly_better(held_out[0], {"calibration": held_out[1]}, HELD_OUT_ERRORS) or "base"
    if simpler != compared:
        overruled["calibration"] = 1.0
        chosen = simpler if chosen == compared else chosen
    return Choice(chosen, simpler, errors, overruled, compared)


def overrules_too_often(differs: Bools, share: float) -> bool:
    """Return whether predictions differ on more documents of a stream than Eq. 1 allows, given their share before.

    >>> overrules_too_often(np.arange(400) < 90, 0.1), overrules_too_often(np.arange(400) < 90, 0.05)
    (False, True)
    """
    expected = MOST_OVERRULED * share * len(differs)
    return bool(differs.sum() > expected + 2 * np.sqrt(expected) + 1)  # Eq. 1
