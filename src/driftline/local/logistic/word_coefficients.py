"""Coefficients of a local classifier's words over time, with their bands."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.core.confidence_levels import check_level
from driftline.core.results import Results
from driftline.local.fit_times import answering_times, blend, window
from driftline.local.logistic.fit_path import Path
from driftline.local.logistic.fitted_path import State, path_coefficients
from driftline.local.logistic.local_fit import HELD, Rows
from driftline.smoothing.curve import Curve
from driftline.text.vocabulary import WordList

CURVE_POINTS = 60
SOLVED = 1e-3
"""Accuracy of the linear systems behind the bands; the error of their widths is below a thousandth."""

NOTHING = 1e-12
"""Distance from the centre of an absolute penalty below which a coefficient counts as unchanged."""


class CoefficientChange(NamedTuple):
    """A word whose coefficient changed: the size of the change, the values, and the curve.

    `word` is the number of the column if there is no vocabulary; `label` is the class favoured by a positive
    coefficient. `early` and `late` are the coefficients at the first and the last time of the curve.
    """

    word: str | int
    column: int
    label: object
    change: float
    early: float
    late: float
    curve: Curve

    @property
    def movement(self) -> float:
        """The old name of `change`."""
        warnings.warn("CoefficientChange.movement is now called change", FutureWarning, stacklevel=2)
        return self.change


def default_times(state: State) -> Floats:
    """Return up to 60 times spread over the documents that are kept."""
    times = state.training.times
    if len(times) == 0 or times[0] == times[-1]:
        return np.array([state.newest])
    return np.linspace(max(times[0], state.remembered_since), times[-1], CURVE_POINTS)


def changed_coefficients(
    state: State, n_words: int, at: Floats, shown: np.ndarray, level: float, words: WordList | None, classes: np.ndarray
) -> Results[CoefficientChange]:
    """Return the words that changed most with their curves at the times `at`, the greatest change first."""
    change = _change(state)
    n_columns = change.shape[1]
    order = np.argsort(-change, axis=None, kind="stable")[:n_words]
    places = [(int(flat % n_columns), int(flat // n_columns)) for flat in order if change.flat[flat] > 0]
    names = None if words is None else [str(word) for word in words]
    found = []
    for (column, output), curve in zip(places, coefficient_curves(state, places, at, shown, level)):
        found.append(
            CoefficientChange(
                word=column if names is None else names[column],
                column=column,
                label=classes[output if state.n_outputs > 1 else 1].item(),
                change=float(change[output, column]),
                early=float(curve.value[0]),
                late=float(curve.value[-1]),
                curve=curve,
            )
        )
    return Results(CoefficientChange, found, name="word", quantity="change")


def coefficient_curves(
    state: State, wanted: list[tuple[int, int]], at: Floats, shown: np.ndarray, level: float
) -> list[Curve]:
    """Return the curves of (column, output) pairs at the times `at`; `shown` are these times in the user's type."""
    check_level(level)
    coefficients, intercepts, _ = state.coefficients(at)
    spread = np.empty((len(wanted), len(at)))
    sizes = np.empty(len(at))
    for i, t in enumerate(at):
        spread[:, i], sizes[i] = _spreads(state, wanted, t, coefficients[i], intercepts[i])
    reach = ndtri(0.5 + level / 2)
    curves = []
    for row, (column, output) in enumerate(wanted):
        value = coefficients[:, output, column]
        half = reach * spread[row]
        curves.append(Curve(shown, value, value - half, value + half, sizes, level))
    return curves


def _change(state: State) -> Floats:
    """Return each coefficient's standard deviation over the documents' times, times the word's root mean square."""
    shape = (state.n_outputs, state.training.X.shape[1])
    path, training = state.path, state.training
    if len(path.times) == 0 and not state.points and np.isfinite(state.bandwidth):
        path = state.fits_for(default_times(state))[0]
    if len(path.times) == 0 or len(training.times) == 0:
        return np.zeros(shape)
    mass = _documents_per_fit(state, path)
    mean = np.zeros(shape)
    square = np.zeros(shape)
    for g in np.flatnonzero(mass):
        here = path_coefficients(path, state.background, int(g))
        mean += mass[g] * here
        square += mass[g] * here**2
    squares = training.X.multiply(training.X).mean(axis=0)
    size = np.sqrt(np.asarray(squares).ravel())
    varied = np.maximum(square - mean**2, 0.0)
    varied[varied <= 1e-12 * square] = 0.0  # rounding of a constant coefficient
    found: Floats = np.sqrt(varied) * size
    return found


def _documents_per_fit(state: State, path: Path) -> Floats:
    times, kernel = state.training.times, state.objective.kernel
    mixed = blend(path.times, kernel, times, answering_times(times, kernel, times))
    mass = np.bincount(mixed.left, 1.0 - mixed.share, len(path.times))
    mass += np.bincount(mixed.right, mixed.share, len(path.times))
    found: Floats = mass / mass.sum()
    return found


def _spreads(
    state: State, wanted: list[tuple[int, int]], t: float, coefficients: Floats, intercepts: Floats
) -> tuple[Floats, float]:
    """Return the standard errors of coefficients at one time, and the effective sample size.

    A word that does not occur near the time has no error: its coefficient is the centre of the penalty.
    """
    objective, training = state.objective, state.training
    t = float(answering_times(training.times, objective.kernel, np.array([t]))[0])
    first, last = window(training.times, objective.kernel, state.bandwidth, t)
    weights = objective.kernel.relative_weights(t - training.times[first:last], state.bandwidth)
    rows = Rows(training, first, last, by_column=False)
    present = rows.present
    intercept = "held" if not objective.fit_intercept else "free" if objective.center == "zero" else "pulled"
    _, ridge = objective.penalties((len(present) + 1, state.n_outputs), intercept=intercept)
    size = float(weights.sum() ** 2 / np.square(weights).sum()) if weights.any() else 0.0
    scores = training.X[first:last] @ coefficients.T + intercepts
    place = {int(column): at for at, column in enumerate(present)}
    found = np.array([n for n, (column, _) in enumerate(wanted) if column in place], dtype=np.int64)
    places = np.array([(place[wanted[n][0]], wanted[n][1]) for n in found], dtype=np.int64).reshape(-1, 2)
    inactive = np.zeros(ridge.shape, dtype=bool)
    if objective.l1_ratio > 0:
        pulled_to = state.background.at(int(state.background.number(t))).coefficients
        beyond = coefficients - pulled_to if objective.center == "global" else coefficients
        inactive[:-1] = np.abs(beyond[:, present].T) <= NOTHING
    variances = np.zeros(len(wanted))
    alone = inactive[tuple(places.T)]
    for systems in (np.flatnonzero(~alone), *np.flatnonzero(alone).reshape(-1, 1)):
        held = inactive.copy()
        held[tuple(places[systems].T)] = False
        variances[found[systems]] = current_kernels().logistic_path.coefficient_variances(
            *rows.window(first, last), weights, scores, np.where(held, HELD, ridge), places[systems], SOLVED
        )
    return np.sqrt(np.maximum(variances, 0.0)), size
