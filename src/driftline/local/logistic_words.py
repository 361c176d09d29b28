"""How the words of a local classifier moved: coefficients over time with their bands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from driftline.compute.cpu import logistic, logistic_path
from driftline.core.arrays import Floats
from driftline.local.logistic_path import Path
from driftline.local.logistic_state import State, path_coefficients
from driftline.local.timeline import blend, scaled_weights, window
from driftline.smoothing.curve import Curve

CURVE_POINTS = 60


class WordMovement(NamedTuple):
    """A word whose coefficient moved: by how much, between which values, and its curve.

    `word` is the number of the column if there is no vocabulary; `label` is the class that a positive coefficient
    speaks for. `early` and `late` are the coefficients at the first and the last time of the curve.
    """

    word: Any
    column: int
    label: Any
    movement: float
    early: float
    late: float
    curve: Curve


def default_times(state: State) -> Floats:
    """Return up to 60 times spread over the documents that are remembered."""
    times = state.training.times
    if len(times) == 0 or times[0] == times[-1]:
        return np.array([state.newest])
    return np.linspace(max(times[0], state.remembered_since), times[-1], CURVE_POINTS)


def most_moved(state: State, n_words: int) -> list[tuple[int, int, float]]:
    """Return (column, output, movement) of the coefficients that moved most, first the greatest; none that stood still."""
    movement = _movement(state)
    n_columns = movement.shape[1]
    order = np.argsort(-movement, axis=None, kind="stable")[:n_words]
    return [
        (int(place % n_columns), int(place // n_columns), float(movement.flat[place]))
        for place in order
        if movement.flat[place] > 0
    ]


def coefficient_curves(
    state: State, wanted: list[tuple[int, int]], at: Floats, shown: Any, level: float
) -> list[Curve]:
    """Return the curves of (column, output) pairs at the times `at`, which are to be shown as `shown`."""
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


def _movement(state: State) -> Floats:
    """Return each coefficient's standard deviation over the documents' times, times the word's root mean square."""
    shape = (state.n_outputs, state.training.X.shape[1])
    path, training = state.path, state.training
    if len(path.times) == 0 and not state.points and np.isfinite(state.bandwidth):
        path = state.fitted_at(default_times(state))
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
    varied[varied <= 1e-12 * square] = 0.0  # rounding of a coefficient that stood still
    return np.sqrt(varied) * size


def _documents_per_fit(state: State, path: Path) -> Floats:
    mixed = blend(path.times, state.objective.kernel, state.training.times)
    mass = np.bincount(mixed.left, 1.0 - mixed.share, len(path.times))
    mass += np.bincount(mixed.right, mixed.share, len(path.times))
    return mass / mass.sum()


def _spreads(
    state: State, wanted: list[tuple[int, int]], t: float, coefficients: Floats, intercepts: Floats
) -> tuple[Floats, float]:
    """Return the standard deviations a posteriori of coefficients at one time, and the effective sample size."""
    objective, training = state.objective, state.training
    if np.isinf(state.bandwidth) and objective.kernel.side == "both":
        first, last = 0, len(training.times)
    else:
        first, last = window(training.times, objective.kernel, state.bandwidth, t)
    weights = scaled_weights(objective.kernel, t - training.times[first:last], state.bandwidth)
    X = training.X
    column_of = np.full(X.shape[1], -1, dtype=np.int32)
    rows, starts, columns, values, present = logistic.window_rows(
        X.indptr, X.indices, X.data, first, weights, column_of
    )
    # the curvature that stands in for an absolute penalty is that of a Gaussian of the same variance, 2 C²
    l1_ratio, C = objective.l1_ratio, objective.C
    pull = (1 - l1_ratio) / C + l1_ratio / (2 * C * C)
    ridge = np.full((len(present) + 1, state.n_outputs), pull)
    if not objective.fit_intercept:
        ridge[-1] = -1.0
    elif objective.center == "zero":
        ridge[-1] = 0.0
    spreads = np.full(len(wanted), 1 / np.sqrt(pull))
    kept = weights[rows - first]
    size = float(kept.sum() ** 2 / np.square(kept).sum()) if len(kept) else 0.0
    scores = X[rows] @ coefficients.T + intercepts
    place = {int(column): at for at, column in enumerate(present)}
    active = coefficients[:, present].T != 0 if l1_ratio > 0 else None
    for n, (column, output) in enumerate(wanted):
        if column not in place:
            continue
        here = ridge.copy()
        if active is not None:
            here[:-1][~active] = -1.0
            here[place[column], output] = pull
        variance = logistic_path.coefficient_variance(
            starts, columns, values, kept, scores, here, place[column], output
        )
        spreads[n] = np.sqrt(max(variance, 0.0))
    return spreads, size
