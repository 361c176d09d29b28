"""The state of a fitted local logistic regression, and its evaluation at any time."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats
from driftline.local.fit_times import Blend, answering_times, blend, grid_times, has_support
from driftline.local.logistic.fit_path import (
    Background,
    Effort,
    Path,
    background_scores,
    fit_background,
    fit_path,
    path_scores,
)
from driftline.local.logistic.local_fit import HELD, Linear, Objective, Training
from driftline.local.logistic.window_choice import Candidate, Search, choose

POINTS = {"both": 4, "past": 8}
"""Number of fits per bandwidth on the automatic grid; a past-only model is not interpolated, so its grid is finer."""


class State(NamedTuple):
    """A fitted model. `points` is the number of fits per bandwidth, or 0 if fits are made on request.

    Grid times count from `anchor`; times before `remembered_since` are discarded; `precision` is the curvature of all
    documents so far at the background (columns and intercept, by class), from which a stream continues. `latest` is the
    model used for the newest time and later ones, if it is not the path's last fit: documents at that time may be new,
    for example if all documents of a day or of an import have one time.
    """

    objective: Objective
    bandwidth: float
    points: int
    training: Training
    background: Background
    path: Path
    anchor: float
    newest: float
    remembered_since: float
    precision: Floats
    latest: Linear | None = None

    @property
    def n_outputs(self) -> int:
        """The number of scores per document."""
        return self.training.n_outputs

    def supported(self, when: Floats) -> Bools:
        """Return for every time whether a document has positive weight there; always true for an infinite bandwidth."""
        if math.isinf(self.bandwidth):
            return np.ones(len(when), dtype=bool)
        inside = has_support(self.training.times, self.objective.kernel, self.bandwidth, when)
        return inside & (when >= self.remembered_since)

    def answered_locally(self, when: Floats) -> Bools:
        """Return for every time whether a local fit is used: not before the first document, nor in a gap."""
        if math.isinf(self.bandwidth) or len(self.training.times) == 0:
            return np.zeros(len(when), dtype=bool)
        answering = answering_times(self.training.times, self.objective.kernel, when)
        return has_support(self.training.times, self.objective.kernel, self.bandwidth, answering) & (
            when >= self.remembered_since
        )

    def fits_for(self, when: Floats) -> tuple[Path, Blend]:
        """Return the path, and its fits for times with local fits."""
        answering = answering_times(self.training.times, self.objective.kernel, when)
        path = self.path
        if not self.points:
            silent = replace(self.objective, verbose=False)
            path = fit_path(self.training, self.background, silent, self.bandwidth, np.unique(answering))[0]
        return path, blend(path.times, self.objective.kernel, when, answering)

    def scores(self, X: Counts, when: Floats) -> tuple[Floats, Bools]:
        """Return the score of each document at its time, and which of the times have documents near them."""
        inside = self.supported(when)
        local = self.answered_locally(when)
        scores = np.empty((X.shape[0], self.n_outputs))
        if local.any():
            path, mixed = self.fits_for(when[local])
            scores[local] = path_scores(X[local], path, self.background, mixed.left, mixed.right, mixed.share)
        if not local.all():
            index = self.background.number(when[~local])
            scores[~local] = background_scores(X[~local], self.background, index)
        newest = when >= self.newest
        if self.latest is not None and newest.any():
            scores[newest] = X[newest] @ self.latest.coefficients.T + self.latest.intercepts
        return scores, inside

    def coefficients(self, when: Floats) -> tuple[Floats, Floats, Bools]:
        """Return coefficients (times, outputs, columns), intercepts (times, outputs), and which times have data."""
        inside = self.supported(when)
        local = self.answered_locally(when)
        index = self.background.number(when)
        coefficients = self.background.coefficients[index]
        intercepts = self.background.intercepts[index]
        if local.any():
            path, mixed = self.fits_for(when[local])
            rows = np.flatnonzero(local)
            coefficients[rows] = 0.0
            intercepts[rows] = 0.0
            for group, part in ((mixed.left, 1.0 - mixed.share), (mixed.right, mixed.share)):
                for row, g, weight in zip(rows, group, part):
                    coefficients[row] += weight * path_coefficients(path, self.background, int(g))
                    intercepts[row] += weight * path.intercepts[g]
        if self.latest is not None:
            newest = when >= self.newest
            coefficients[newest], intercepts[newest] = self.latest
        return coefficients, intercepts, inside


def path_coefficients(path: Path, background: Background, g: int) -> Floats:
    """Return the complete coefficients of one fit of the path, by output and column."""
    n_outputs = path.intercepts.shape[1]
    beyond = path.coefficients[g * n_outputs : (g + 1) * n_outputs].toarray()
    found: Floats = beyond if path.base[g] < 0 else beyond + background.coefficients[path.base[g]]
    return found


def learn(training: Training, objective: Objective, search: Search) -> tuple[State, float, list[Candidate], Effort]:
    """Select the open settings and fit along the whole stream; `search.points` is 0 for fits on request.

    Returns the state, the C of the global fit, the comparisons, and the cost of the fits.
    """
    bandwidth, C, points = search.bandwidths[0], search.Cs[0], search.points
    steady_C = C if search.fixed_background is None else search.fixed_background
    candidates: list[Candidate] = []
    if len(search.bandwidths) > 1 or len(search.Cs) > 1:
        compared = search._replace(points=points or POINTS[objective.kernel.side])
        bandwidth, C, steady_C, candidates = choose(training, objective, compared)
    steady, objective = replace(objective, C=steady_C), replace(objective, C=C)
    background, effort = fit_background(training, steady)
    anchor, newest = float(training.times[0]), float(training.times[-1])
    grid = np.empty(0)
    if math.isfinite(bandwidth) and points:
        grid = grid_times(training.times, objective.kernel, bandwidth, points, anchor)
    path, more = fit_path(training, background, objective, bandwidth, grid)
    precision = curvature_left(training, background, steady)
    state = State(objective, bandwidth, points, training, background, path, anchor, newest, -math.inf, precision)
    return state, steady_C, candidates, effort.plus(more)


def curvature_left(training: Training, background: Background, objective: Objective) -> Floats:
    """Return the curvature of all documents seen at the newest background, by column (and intercept) and output."""
    prior = np.full((training.X.shape[1] + 1, training.n_outputs), 1 / objective.C)
    prior[-1] = 0.0
    newest = background.at(-1)
    precision = prior + curvature(training, newest)
    if not objective.fit_intercept:
        precision[-1] = HELD
    return precision


def curvature(training: Training, model: Linear) -> Floats:
    """Return the diagonal of the Hessian of the loss, by column (and intercept) and output."""
    scores = training.X @ model.coefficients.T + model.intercepts
    chances = np.empty(scores.shape)
    current_kernels().logistic.probabilities_of(scores, chances)
    bend = chances * (1 - chances)
    return np.vstack([training.X.multiply(training.X).T @ bend, bend.sum(axis=0)])
