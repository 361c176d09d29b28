"""Scores of a classifier's probabilities: accuracy, log-loss, Brier score, calibration, by class and over time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Bools, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import labelled_values
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, columns_of, counted
from driftline.core.times import Instant, TimeAxis
from driftline.evaluation.accuracy_interval import accuracy_interval
from driftline.smoothing.unit_mean import Interval, unit_mean
from driftline.streams.units import units_on_axis

LEAST_CHANCE = 1e-15
"""Lower bound of the probabilities in a log-loss."""

ROUNDING = 1e-6
"""Largest excess of a probability over one that is accepted as a rounding error."""

BINS = 10
"""Number of bins of the calibration."""

PERIODS = 10
"""Number of periods of the scores over time."""


@dataclass(frozen=True)
class ClassScore:
    """Scores of one label: the numbers of documents with this true and predicted label, precision, recall and F1."""

    label: str
    n_documents: int
    n_predicted: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class CalibrationBin:
    """Documents whose predicted label had a probability in one range: the mean probability, and the accuracy."""

    low: float
    high: float
    n_documents: int
    mean_probability: float
    accuracy: float


@dataclass(frozen=True)
class PeriodScore:
    """Accuracy in one period, with its interval by days; `first` and `last` are times of documents."""

    first: Instant
    last: Instant
    n_documents: int
    accuracy: float
    low: float
    high: float
    log_loss: float | None


@dataclass(frozen=True, repr=False)
class ClassificationScores(Result):
    """Result of `classification_scores`.

    `accuracy` counts a label that the model never saw as an error; `log_loss`, `brier` and the calibration leave these
    `n_unseen` documents out. `calibration_error` is the mean distance between probability and accuracy over the bins,
    weighted by their numbers of documents. Intervals are 95 % intervals that treat units (days) as independent.
    `baseline` is the accuracy of always predicting the most frequent label.
    """

    n_documents: int
    n_unseen: int
    unseen_labels: list[str]
    accuracy: Interval
    baseline: float
    log_loss: Interval | None
    brier: Interval | None
    calibration_error: float | None
    calibration: list[CalibrationBin]
    classes: list[ClassScore]
    periods: list[PeriodScore]
    unit: str
    n_units: int

    def _columns(self) -> Columns:
        return columns_of(self.classes, ClassScore)

    def _summary(self) -> str:
        documents = counted(self.n_documents, "document")
        return f"{documents}, {counted(len(self.classes), 'class', 'classes')}, accuracy {self.accuracy.mean:.1%}"

    def _picture(self) -> Picture:
        periods = self.periods
        low, high = ([getattr(period, end) for period in periods] for end in ("low", "high"))
        accuracy = [period.accuracy for period in periods]
        bands = (np.array(values, dtype=np.float64) for values in (accuracy, low, high))
        return Curves([Series("accuracy", np.arange(float(len(periods))), *bands)])

    def _preview(self) -> Columns:
        return self._columns()


def classification_scores(
    truth: Iterable[object],
    probabilities: object,
    classes: Iterable[object],
    *,
    times: Times = None,
    n_periods: int = PERIODS,
) -> ClassificationScores:
    """Score probabilities (documents × classes) against the true labels, one for every document.

    >>> found = classification_scores(["a", "a", "b"], [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], ["a", "b"])
    >>> round(found.accuracy.mean, 3), round(found.log_loss.mean, 3), found.classes[1].precision
    (0.667, 0.415, 0.5)
    """
    chances = np.asarray(probabilities, dtype=np.float64)
    classes, given = _listed(classes), _listed(truth)
    names = np.array([str(label) for label in classes])
    true = _named(given, dict(zip(classes, names.tolist())))
    if chances.ndim != 2 or chances.shape != (len(true), len(names)):
        raise InvalidInput(
            f"there are {len(true)} labels and {len(names)} classes, but probabilities of shape {chances.shape}"
        )
    if not len(true):
        raise InvalidInput("there is no labelled document to score; pass at least one")
    if not len(names):
        raise InvalidInput("there is no class; pass the labels of the columns of the probabilities")
    if not ((chances >= 0) & (chances <= 1 + ROUNDING)).all():
        raise InvalidInput("the probabilities must lie between 0 and 1, and some do not or are missing")
    known = labelled_values(np.array(given, dtype=object), len(given), classes=np.array(classes, dtype=object))[1]
    missing = np.flatnonzero(~known)
    if len(missing):
        raise InvalidInput(f"document {missing[0]} has no label; pass only labelled documents")
    axis = TimeAxis.of(times)
    at = axis.values(times, n=len(true))
    units = units_on_axis(axis, at)
    order = np.argsort(names, kind="stable")
    place = np.minimum(np.searchsorted(names[order], true), len(names) - 1)
    code = order[place]
    seen: Bools = names[code] == true
    guess = chances.argmax(axis=1)
    right = seen & (guess == code)
    losses = -np.log(np.maximum(chances[np.arange(len(true)), code], LEAST_CHANCE))
    hits = np.zeros_like(chances)
    hits[np.arange(len(true)), code] = 1.0
    squares = ((chances - hits) ** 2).sum(axis=1)
    bins = _calibration(chances.max(axis=1)[seen], right[seen])
    n_seen = int(seen.sum())
    error = sum(each.n_documents * abs(each.mean_probability - each.accuracy) for each in bins)
    return ClassificationScores(
        n_documents=len(true),
        n_unseen=len(true) - n_seen,
        unseen_labels=sorted(set(true[~seen].tolist())),
        accuracy=Interval(float(right.mean()), *accuracy_interval(right, units.index)),
        baseline=float(np.unique(true, return_counts=True)[1].max() / len(true)),
        log_loss=unit_mean(losses[seen], units.index[seen]) if n_seen else None,
        brier=unit_mean(squares[seen], units.index[seen]) if n_seen else None,
        calibration_error=error / n_seen if n_seen else None,
        calibration=bins,
        classes=_by_class(names, code, seen, guess),
        periods=_by_period(axis, at, units.index, right, losses, seen, n_periods),
        unit=units.kind,
        n_units=units.n,
    )


def _listed(labels: Iterable[object]) -> list[object]:
    """Return labels as Python values; those of an Arrow array are scalars of their own."""
    return labels.to_pylist() if isinstance(labels, pa.Array | pa.ChunkedArray) else list(labels)


def _named(labels: list[object], names: dict[object, str]) -> np.ndarray:
    """Return labels as strings; one that equals a class, such as 1.0 or True the class 1, has its name."""
    return np.array([names.get(label, str(label)) if isinstance(label, Hashable) else str(label) for label in labels])


def _calibration(confidence: Floats, right: Bools) -> list[CalibrationBin]:
    number = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    found = []
    for k in np.unique(number):
        inside = number == k
        found.append(
            CalibrationBin(
                float(k / BINS),
                float((k + 1) / BINS),
                int(inside.sum()),
                float(confidence[inside].mean()),
                float(right[inside].mean()),
            )
        )
    return found


def _by_class(names: np.ndarray, code: Ints, seen: Bools, guess: Ints) -> list[ClassScore]:
    found = []
    for c, name in enumerate(names.tolist()):
        of_class, predicted = seen & (code == c), guess == c
        both = int((of_class & predicted).sum())
        n, m = int(of_class.sum()), int(predicted.sum())
        found.append(
            ClassScore(
                name, n, m, both / m if m else None, both / n if n else None, 2 * both / (n + m) if n + m else None
            )
        )
    return found


def _by_period(
    axis: TimeAxis, at: Floats, unit: Ints, right: Bools, losses: Floats, seen: Bools, n_periods: int
) -> list[PeriodScore]:
    """Divide the documents into periods of about equal size, without dividing a unit."""
    order = np.argsort(at, kind="stable")
    by_unit = np.unique(unit[order], return_index=True)[1]
    starts = np.unique(by_unit[np.searchsorted(by_unit, np.arange(n_periods) * len(at) / n_periods, side="right") - 1])
    found = []
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(at)]):
        rows = order[first:last]
        known = rows[seen[rows]]
        ends = axis.restore(at[rows[[0, -1]]])
        found.append(
            PeriodScore(
                ends[0],
                ends[1],
                len(rows),
                float(right[rows].mean()),
                *accuracy_interval(right[rows], unit[rows]),
                float(losses[known].mean()) if len(known) else None,
            )
        )
    return found
