"""Local logistic regressions at many times: one after the other along the time line, each starting from the last.

The fits are divided into chains of fixed length that run in threads; since the division does not depend on the number
of threads, neither do the results.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.core.progress import track
from driftline.engines.threads import map_in_threads
from driftline.local.fit_times import windows
from driftline.local.logistic.local_fit import Fit, Linear, Objective, Rows, Training, fit_window

CHAIN = 48
"""Maximum number of fits in a chain, large enough for the cost of a cold start to be negligible; the chains of a path
are equally long, so that threads finish together."""


ACCURATE = 1e-2
"""Largest tolerance of fits that are extrapolated along a parabola."""

UNEVEN = 1.5
"""Largest ratio of successive time steps for which the parabola is used."""

STRAIGHT = 0.5
"""Largest deviation of the parabola from the line, relative to the step along it."""


class Background(NamedTuple):
    """The models fitted to all documents (or to all before `times`): one with time -inf, or a growing sequence."""

    times: Floats
    coefficients: Floats
    intercepts: Floats

    def number(self, when: Floats | float) -> Ints:
        """Return the background for the requested times."""
        return np.searchsorted(self.times, when, side="right") - 1

    def at(self, number: int) -> Linear:
        """Return one of the models."""
        return Linear(self.coefficients[number], self.intercepts[number])


class Path(NamedTuple):
    """Fits along a grid: sparse coefficients (row grid · n_outputs + class) beyond those of background `base`.

    A `base` of -1 means that the coefficients are complete. Intercepts are complete.
    """

    times: Floats
    base: Ints
    coefficients: sp.csr_matrix
    intercepts: Floats


class Effort(NamedTuple):
    """Cost of the fits: the maximum number of Newton steps, and the number that did not converge."""

    most_steps: int = 0
    n_unconverged: int = 0

    def plus(self, other: Effort) -> Effort:
        """Return the effort of both."""
        return Effort(max(self.most_steps, other.most_steps), self.n_unconverged + other.n_unconverged)


def fit_background(training: Training, objective: Objective) -> tuple[Background, Effort]:
    """Fit all documents at once, or for a past-only kernel, all documents so far at a growing sequence of times."""
    n, n_columns = training.X.shape
    whole = replace(objective, center="zero")
    starts = np.array([math.inf])
    models = []
    if objective.kernel.side == "past":
        models.append(Linear(np.zeros((training.n_outputs, n_columns)), np.zeros(training.n_outputs)))
        starts = np.unique(np.nextafter(training.times[_growing_sizes(n) - 1], np.inf))
    rows = Rows(training, 0, n, by_column=objective.l1_ratio > 0)
    last = np.zeros((len(rows.present) + 1, training.n_outputs))
    fits = []
    for start in track(starts, "fitting the background", total=len(starts), verbose=objective.verbose):
        seen = int(np.searchsorted(training.times, start, side="left"))
        fit = fit_window(rows, 0, np.ones(seen), whole, last, models[-1] if models else None)
        last = fit.solution.copy()
        last[-1] = fit.intercepts
        coefficients = np.zeros((training.n_outputs, n_columns))
        coefficients[:, rows.present] = fit.solution[:-1].T
        models.append(Linear(coefficients, fit.intercepts))
        fits.append(fit)
    background = Background(
        np.concatenate([[-math.inf], starts[: len(models) - 1]]),
        np.stack([model.coefficients for model in models]),
        np.stack([model.intercepts for model in models]),
    )
    return background, _effort(fits)


def fit_path(
    training: Training, background: Background, objective: Objective, bandwidth: float, at: Floats
) -> tuple[Path, Effort]:
    """Fit at every time of the sorted `at`; if no document has positive weight, the background is used.

    Returns the path and its cost.
    """
    chains = np.array_split(at, -(-len(at) // CHAIN)) if len(at) else []
    tasks = [(training, background, objective, bandwidth, chain) for chain in chains]
    parts = map_in_threads(
        _fit_chain, tasks, n_jobs=objective.n_jobs, progress="fitting along time", verbose=objective.verbose
    )
    nothing = sp.csr_matrix((0, training.X.shape[1]))
    path = Path(
        at,
        np.concatenate([np.empty(0, dtype=np.int64), *(part.base for part in parts)]),
        sp.vstack([nothing, *(part.coefficients for part in parts)], format="csr"),
        np.concatenate([np.empty((0, training.n_outputs)), *(part.intercepts for part in parts)]),
    )
    effort = Effort()
    for part in parts:
        effort = effort.plus(part.effort)
    return path, effort


def path_scores(X: Counts, path: Path, background: Background, left: Ints, right: Ints, share: Floats) -> Floats:
    """Return the scores of documents whose models are blends of two fits of the path."""
    scores = np.zeros((X.shape[0], path.intercepts.shape[1]))
    for group, part in ((left, 1.0 - share), (right, share)):
        if not part.any():
            continue
        order = np.argsort(group, kind="stable")
        table = path.coefficients
        current_kernels().logistic_path.scores_by_group(
            X.indptr, X.indices, X.data, order, group, part, table.indptr, table.indices, table.data, scores
        )
        scores += part[:, None] * path.intercepts[group]
        base = path.base[group]
        for index in np.unique(base[base >= 0]):
            rows = np.flatnonzero((base == index) & (part > 0))
            scores[rows] += part[rows, None] * (X[rows] @ background.coefficients[index].T)
    return scores


def background_scores(X: Counts, background: Background, index: Ints) -> Floats:
    """Return the scores of documents under the background with the given numbers."""
    scores = np.empty((X.shape[0], background.intercepts.shape[1]))
    for one in np.unique(index):
        rows = np.flatnonzero(index == one)
        model = background.at(int(one))
        scores[rows] = X[rows] @ model.coefficients.T + model.intercepts
    return scores


class _Part(NamedTuple):
    """Contribution of a chain to a path."""

    base: Ints
    coefficients: sp.csr_matrix
    intercepts: Floats
    effort: Effort


def _fit_chain(
    training: Training, background: Background, objective: Objective, bandwidth: float, chain: Floats
) -> _Part:
    kernel = objective.kernel
    ranges = windows(training.times, kernel, bandwidth, chain)
    rows = Rows(training, ranges[0][0], ranges[-1][1], by_column=objective.l1_ratio > 0)
    base = background.number(chain)
    intercepts = background.intercepts[base]
    fits: list[Fit] = []
    trail: list[tuple[float, Floats]] = []
    pulling, pulled_by, pulled_from = None, -1, 0
    fitted = np.zeros(len(chain), dtype=bool)
    for place, (t, (first, last)) in enumerate(zip(chain, ranges)):
        weights = kernel.relative_weights(t - training.times[first:last], bandwidth)
        if not weights.any():
            continue
        model = background.at(int(base[place]))
        if objective.center == "global" and base[place] != pulled_by:
            pulled_by, pulled_from = base[place], first
            pulling = training.X[first : ranges[-1][1]] @ model.coefficients.T + model.intercepts
        pulled = None if pulling is None else pulling[first - pulled_from : last - pulled_from]
        start = _start(trail, t, rows, model, objective)
        fit = fit_window(rows, first, weights, objective, start, model, pulled)
        if trail and not fit.converged:  # the start may have been poor
            fit = fit_window(rows, first, weights, objective, _start([], t, rows, model, objective), model, pulled)
        whole = fit.solution.copy()
        if pulled is None:
            whole[-1] = fit.intercepts
        trail = [*trail[-2:], (t, whole)]
        fits.append(fit)
        fitted[place] = True
        intercepts[place] = fit.intercepts
    if objective.center == "zero":
        base = np.where(fitted, -1, base)
    coefficients = _on_all_columns(fits, fitted, rows.present, training)
    return _Part(base, coefficients, intercepts, _effort(fits))


def _start(trail: list[tuple[float, Floats]], t: float, rows: Rows, model: Linear, objective: Objective) -> Floats:
    """Return the start of a fit: the last solution, extrapolated in its direction of change.

    A parabola through the last three solutions is best if they are accurate, about evenly spaced, and its curvature is
    small. It would amplify the errors of inaccurate solutions sevenfold.
    """
    if not trail:
        start = np.zeros((len(rows.present) + 1, len(model.intercepts)))
        if objective.center == "zero":
            start[:-1], start[-1] = model.coefficients[:, rows.present].T, model.intercepts
        return start
    if len(trail) == 1 or objective.l1_ratio > 0:  # extrapolation would destroy zeros
        return trail[-1][1]
    *older, (before, one), (then, other) = trail
    pace = (t - then) / (then - before)
    if older and objective.tol <= ACCURATE and pace <= UNEVEN:
        first, oldest = older[0]
        lag = (before - first) / (then - before)
        if 1 / UNEVEN <= lag <= UNEVEN:
            line = pace * (other - one)
            bend = pace * (1 + pace) / (1 + lag) * ((other - one) - (one - oldest) / lag)
            if np.abs(bend).max() <= STRAIGHT * np.abs(line).max():
                return other + line + bend
    return other + min(1.0, pace) * (other - one)


def _on_all_columns(fits: list[Fit], fitted: Bools, present: Ints, training: Training) -> sp.csr_matrix:
    """Return the solutions as a sparse table: row place · outputs + output, columns as in the full matrix."""
    order = np.argsort(present)
    ordered = present[order]
    lengths = np.zeros((len(fitted), training.n_outputs), dtype=np.int64)
    columns, values = [np.empty(0, dtype=np.int32)], [np.empty(0)]
    for place, fit in zip(np.flatnonzero(fitted), fits):
        table = fit.solution[:-1].T[:, order]
        moved = table != 0
        lengths[place] = moved.sum(axis=1)
        columns.extend(ordered[row] for row in moved)
        values.append(table[moved])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    shape = (lengths.size, training.X.shape[1])
    return sp.csr_matrix((np.concatenate(values), np.concatenate(columns), indptr), shape=shape)


def _effort(fits: list[Fit]) -> Effort:
    return Effort(max((fit.n_steps for fit in fits), default=0), sum(not fit.converged for fit in fits))


def _growing_sizes(n: int) -> Ints:
    """Return the document numbers at which the past-only background is fitted: doubling, then growing by 1/64."""
    doubling = 2 ** np.arange(0, max(int(math.log2(max(n / 64, 1))), 0) + 1)
    return np.unique(np.concatenate([doubling, np.ceil(np.arange(1, 65) * n / 64).astype(np.int64)]))
