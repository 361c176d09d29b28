"""One local logistic regression: its objective, its rows, its start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.smoothing.kernels import Kernel

ABSENT = 1e-6
"""Total weight of a class's documents below which it is absent from a window."""

HELD = -1.0
"""Penalty that marks a fixed coefficient."""


class Training(NamedTuple):
    """Labelled documents in time order; `labels` are class numbers, `n_outputs` is 1 for two classes."""

    X: Counts
    labels: Ints
    times: Floats
    n_outputs: int

    @classmethod
    def in_order(cls, X: Counts, labels: Ints, times: Floats, n_outputs: int) -> Training:
        """Return the documents sorted by time; those with equal times keep their order."""
        order = np.argsort(times, kind="stable")
        return cls(X[order], labels[order], times[order], n_outputs)

    def rows(self, chosen: Bools | slice) -> Training:
        """Return some of the documents."""
        return Training(self.X[chosen], self.labels[chosen], self.times[chosen], self.n_outputs)


class Linear(NamedTuple):
    """One linear model: coefficients by class and column, intercepts by class."""

    coefficients: Floats
    intercepts: Floats


@dataclass(frozen=True)
class Objective:
    """The objective of every local fit, and its tolerance."""

    kernel: Kernel
    C: float
    l1_ratio: float = 0.0
    center: str = "zero"
    fit_intercept: bool = True
    tol: float = 1e-5
    max_iter: int = 200
    n_jobs: int | None = None
    verbose: bool | int = False

    def penalties(self, shape: tuple[int, int], *, intercept: str) -> tuple[Floats, Floats]:
        """Return λ (absolute value) and ρ (square) for every coefficient; intercepts are "free", "pulled" or "held"."""
        lasso = np.full(shape, self.l1_ratio / self.C)
        ridge = np.full(shape, (1 - self.l1_ratio) / self.C)
        if intercept == "held":
            lasso[-1], ridge[-1] = HELD, HELD
        elif intercept == "free":
            lasso[-1], ridge[-1] = 0.0, 0.0
        elif self.center == "zero":
            lasso[-1], ridge[-1] = 0.0, 1 / self.C
        return lasso, ridge


class Fit(NamedTuple):
    """One fit: deviations from the centre of the penalty (intercept last, by output), and complete intercepts."""

    solution: Floats
    intercepts: Floats
    n_steps: int
    converged: bool


class Rows:
    """Consecutive documents, with their columns renumbered from 0: `present` contains the original columns."""

    def __init__(self, training: Training, first: int, last: int, *, by_column: bool) -> None:
        X = training.X
        scratch = np.full(X.shape[1], -1, dtype=np.int32)
        self.first = first
        self.training = training
        self._starts, self._columns, self.present = current_kernels().logistic.compact_rows(
            X.indptr, X.indices, first, last, scratch
        )
        self._values = X.data[X.indptr[first] : X.indptr[last]]
        self._by_column: tuple[np.ndarray, ...] | None = None
        if by_column:
            tops, rows, entries = current_kernels().logistic_sparse.columns_of(
                self._starts, self._columns, self._values, len(self.present)
            )
            self._by_column = (tops, rows, entries, tops[:-1].copy(), tops[:-1].copy())

    def window(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the rows first … last - 1 of all documents as starts, columns and values."""
        return self._starts[first - self.first : last - self.first + 1], self._columns, self._values

    def window_by_column(self, first: int, last: int) -> tuple[np.ndarray | np.uint32, ...]:
        """Return the same by column; windows may only advance."""
        if self._by_column is None:
            raise ValueError("these rows have no column layout")
        tops, rows, entries, lows, highs = self._by_column
        shift = np.uint32(first - self.first)
        current_kernels().logistic_sparse.slide(tops, rows, shift, np.uint32(last - self.first), lows, highs)
        return lows, highs, rows, entries, shift


def fit_window(
    rows: Rows,
    first: int,
    weights: Floats,
    objective: Objective,
    start: Floats,
    base: Linear | None,
    pulled: Floats | None = None,
) -> Fit:
    """Fit to the documents first, first + 1, … with the given weights, starting at `start` (complete, intercept last).

    `pulled` are the scores of the documents under `base`, if the penalty shrinks towards it: the start is then relative
    to it.
    """
    last = first + len(weights)
    labels = rows.training.labels[first:last]
    n_outputs = rows.training.n_outputs
    shift = np.zeros(n_outputs)
    offsets = np.zeros((len(weights), n_outputs))
    intercept = "free" if objective.fit_intercept else "held"
    if pulled is not None and base is not None:
        offsets, shift = pulled, base.intercepts
        intercept = "pulled" if objective.fit_intercept else "held"
    elif objective.fit_intercept and _lacks_a_class(labels, weights, n_outputs):
        # a free intercept would diverge: it is shrunk towards the background's instead
        shift = np.zeros(n_outputs) if base is None else base.intercepts
        offsets = np.tile(shift, (len(weights), 1))
        intercept = "pulled"
    start = start.copy()
    if pulled is None:
        start[-1] -= shift
    if not objective.fit_intercept:
        start[-1] = 0.0
    lasso, ridge = objective.penalties(start.shape, intercept=intercept)
    window = rows.window(first, last)
    problem = (labels, weights, offsets, start)
    if objective.l1_ratio > 0:
        solution, _, steps, _, converged = current_kernels().logistic_sparse.proximal_newton(
            *window,
            rows.window_by_column(first, last),
            *problem,
            lasso[:, 0].copy(),
            ridge[:, 0].copy(),
            objective.tol,
            objective.max_iter,
        )
    else:
        solution, _, steps, _, converged = current_kernels().logistic.newton(
            *window, *problem, ridge, objective.tol, objective.max_iter
        )
    if intercept == "free" and n_outputs > 1:
        solution[-1] -= solution[-1].mean()  # only differences matter; choose those that sum to zero
    return Fit(solution, solution[-1] + shift, int(steps), bool(converged))


def _lacks_a_class(labels: Ints, weights: Floats, n_outputs: int) -> bool:
    n_classes = max(n_outputs, 2)
    return bool((np.bincount(labels, weights, minlength=n_classes) < ABSENT).any())
