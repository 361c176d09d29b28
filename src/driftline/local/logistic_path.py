"""Local logistic regressions at many times: one after the other along the time line, each starting from the last.

The fits are cut into chains of fixed length that run in threads; since the cut does not depend on the number of
threads, neither do the answers.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs

from driftline.compute.cpu import logistic, logistic_path, logistic_sparse
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.core.progress import track
from driftline.local.timeline import scaled_weights, window
from driftline.smoothing.kernels import Kernel

CHAIN = 48
"""Fits in a chain: long enough that a cold start does not matter, short enough to occupy several threads."""

ABSENT = 1e-6
"""A class whose documents weigh less than this together is absent from a window."""


class Training(NamedTuple):
    """Labelled documents in order of time; `labels` count classes, `n_outputs` is 1 for two classes."""

    X: Counts
    labels: Ints
    times: Floats
    n_outputs: int

    @classmethod
    def in_order(cls, X: Counts, labels: Ints, times: Floats, n_outputs: int) -> Training:
        """Return the documents sorted by time; those of one time stay in their order."""
        order = np.argsort(times, kind="stable")
        return cls(X[order], labels[order], times[order], n_outputs)

    def rows(self, chosen: Bools | slice) -> Training:
        """Return some of the documents."""
        return Training(self.X[chosen], self.labels[chosen], self.times[chosen], self.n_outputs)


class Linear(NamedTuple):
    """One linear model: coefficients by class and column, intercepts by class."""

    coefficients: Floats
    intercepts: Floats


class Background(NamedTuple):
    """The models fitted to everything (or to everything before `times`): one with time -inf, or a growing sequence."""

    times: Floats
    coefficients: Floats
    intercepts: Floats

    def index(self, when: Floats | float) -> Ints:
        """Return which background answers at the requested times."""
        return np.searchsorted(self.times, when, side="right") - 1

    def at(self, index: int) -> Linear:
        """Return one of the models."""
        return Linear(self.coefficients[index], self.intercepts[index])


class Path(NamedTuple):
    """Fits along a grid: sparse coefficients (row grid · n_outputs + class) beyond those of background `base`.

    A `base` of -1 means that the coefficients stand alone. Intercepts are whole.
    """

    times: Floats
    base: Ints
    coefficients: sp.csr_matrix
    intercepts: Floats


@dataclass(frozen=True)
class Objective:
    """What every local fit minimises, and how closely."""

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
            lasso[-1], ridge[-1] = -1.0, -1.0
        elif intercept == "free":
            lasso[-1], ridge[-1] = 0.0, 0.0
        elif self.center == "zero":
            lasso[-1], ridge[-1] = 0.0, 1 / self.C
        return lasso, ridge


class Effort(NamedTuple):
    """How hard the fits were: the most Newton steps of any, and how many did not converge."""

    most_steps: int = 0
    n_unconverged: int = 0

    def plus(self, other: Effort) -> Effort:
        """Return the effort of both."""
        return Effort(max(self.most_steps, other.most_steps), self.n_unconverged + other.n_unconverged)


class _Fit(NamedTuple):
    columns: Ints
    solution: Floats  # beyond the base, intercept last
    intercepts: Floats  # whole
    n_steps: int
    converged: bool


def fit_background(training: Training, objective: Objective) -> tuple[Background, Effort]:
    """Fit everything at once, or for a past-only kernel, everything so far at a growing sequence of times."""
    n, n_columns = training.X.shape
    whole = replace(objective, center="zero")
    if objective.kernel.side == "both":
        fit = _fit_rows(training, 0, np.ones(n), whole, None, _Memory(n_columns, training.n_outputs))
        coefficients = _dense(fit, n_columns)
        return Background(np.array([-math.inf]), coefficients[None], fit.intercepts[None]), _effort([fit])
    sizes = _growing_sizes(n)
    starts = np.unique([np.nextafter(training.times[size - 1], np.inf) for size in sizes])
    memory = _Memory(n_columns, training.n_outputs)
    models = [Linear(np.zeros((training.n_outputs, n_columns)), np.zeros(training.n_outputs))]
    fits = []
    for start in track(starts, "fitting the background", total=len(starts), verbose=objective.verbose):
        seen = int(np.searchsorted(training.times, start, side="left"))
        fit = _fit_rows(training, 0, np.ones(seen), whole, models[-1], memory)
        models.append(Linear(_dense(fit, n_columns), fit.intercepts))
        fits.append(fit)
    return (
        Background(
            np.concatenate([[-math.inf], starts]),
            np.stack([model.coefficients for model in models]),
            np.stack([model.intercepts for model in models]),
        ),
        _effort(fits),
    )


def fit_path(
    training: Training, background: Background, objective: Objective, bandwidth: float, at: Floats
) -> tuple[Path, Effort]:
    """Fit at every time of the sorted `at`; where no document weighs anything the background stands in.

    Returns the path and what it took.
    """
    chains = [at[first : first + CHAIN] for first in range(0, len(at), CHAIN)]

    def run(chain: Floats) -> list[tuple[int, _Fit | None]]:
        return _fit_chain(training, background, objective, bandwidth, chain)

    workers = min(effective_n_jobs(objective.n_jobs), max(len(chains), 1))
    fits: list[tuple[int, _Fit | None]] = []
    if workers == 1:
        for chain in track(chains, "fitting along time", verbose=objective.verbose):
            fits.extend(run(chain))
    else:
        with ThreadPoolExecutor(workers) as pool:
            done = pool.map(run, chains)
            for part in track(done, "fitting along time", total=len(chains), verbose=objective.verbose):
                fits.extend(part)
    path = _collect(training, background, at, fits, stands_alone=objective.center == "zero")
    return path, _effort([fit for _, fit in fits if fit is not None])


def path_scores(X: Counts, path: Path, background: Background, left: Ints, right: Ints, share: Floats) -> Floats:
    """Return the scores of documents whose models are blends of two fits of the path."""
    scores = np.zeros((X.shape[0], path.intercepts.shape[1]))
    for group, part in ((left, 1.0 - share), (right, share)):
        if not part.any():
            continue
        order = np.argsort(group, kind="stable")
        table = path.coefficients
        logistic_path.scores_by_group(
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


class _Memory:
    """What a chain carries from one fit to the next: scratch, and the last two solutions on all columns."""

    def __init__(self, n_columns: int, n_outputs: int) -> None:
        self.column_of = np.full(n_columns, -1, dtype=np.int32)
        self.last = np.zeros((n_columns + 1, n_outputs))
        self.before_last = np.zeros((n_columns + 1, n_outputs))
        self.n_solutions = 0

    def start(self, columns: Ints, reach: float) -> Floats:
        """Return the last solution carried on in the direction it was moving, `reach` times the last move."""
        here = self.last[columns]
        if self.n_solutions < 2 or reach == 0:
            return here
        return here + reach * (here - self.before_last[columns])

    def keep(self, columns: Ints, solution: Floats) -> None:
        """Remember a solution; columns it does not have are at zero."""
        self.before_last, self.last = self.last, self.before_last
        self.last[:] = 0.0
        self.last[columns] = solution
        self.n_solutions += 1


def _fit_chain(
    training: Training, background: Background, objective: Objective, bandwidth: float, chain: Floats
) -> list[tuple[int, _Fit | None]]:
    memory = _Memory(training.X.shape[1], training.n_outputs)
    results: list[tuple[int, _Fit | None]] = []
    scores: dict[int, Floats] = {}
    for place, t in enumerate(chain):
        first, last = window(training.times, objective.kernel, bandwidth, t)
        weights = scaled_weights(objective.kernel, t - training.times[first:last], bandwidth)
        index = int(background.index(t))
        if not weights.any():
            results.append((index, None))
            continue
        base = background.at(index)
        if memory.n_solutions == 0 and objective.center == "zero":
            everything = np.arange(training.X.shape[1] + 1)
            memory.keep(everything, np.vstack([base.coefficients.T, base.intercepts]))
        reach = 0.0
        if place > 1 and objective.l1_ratio == 0:
            reach = min(1.0, (t - chain[place - 1]) / max(chain[place - 1] - chain[place - 2], 1e-300))
        pulled = None
        if objective.center == "global":
            if index not in scores:
                scores = {index: training.X @ base.coefficients.T + base.intercepts}
            pulled = scores[index][first:last]
        fit = _fit_rows(training, first, weights, objective, base, memory, reach=reach, pulled=pulled)
        results.append((index, fit))
    return results


def _fit_rows(
    training: Training,
    first: int,
    weights: Floats,
    objective: Objective,
    base: Linear | None,
    memory: _Memory,
    *,
    reach: float = 0.0,
    pulled: Floats | None = None,
) -> _Fit:
    """Fit one window; `pulled` are the scores of its rows under the model that the penalty pulls towards."""
    X = training.X
    rows, starts, columns, values, present = logistic.window_rows(
        X.indptr, X.indices, X.data, first, weights, memory.column_of
    )
    n_outputs = training.n_outputs
    labels = training.labels[rows]
    row_weights = weights[rows - first]
    shift = np.zeros(n_outputs)
    offsets = np.zeros((len(rows), n_outputs))
    intercept = "free" if objective.fit_intercept else "held"
    if pulled is not None and base is not None:
        offsets = pulled[rows - first]
        shift = base.intercepts
        intercept = "pulled" if objective.fit_intercept else "held"
    elif objective.fit_intercept and _lacks_a_class(labels, row_weights, n_outputs):
        # a free intercept would run off to infinity: it is pulled towards the background's instead
        shift = np.zeros(n_outputs) if base is None else base.intercepts
        offsets = np.tile(shift, (len(rows), 1))
        intercept = "pulled"
    which = np.append(present, X.shape[1])
    start = memory.start(which, reach)
    if pulled is None:
        start[-1] -= shift
    if not objective.fit_intercept:
        start[-1] = 0.0
    lasso, ridge = objective.penalties(start.shape, intercept=intercept)
    shared = (starts, columns, values, labels, row_weights, offsets, start)
    if objective.l1_ratio > 0:
        solution, _, steps, _, converged = logistic_sparse.proximal_newton(
            *shared, lasso[:, 0], ridge[:, 0], objective.tol, objective.max_iter
        )
    else:
        solution, _, steps, _, converged = logistic.newton(*shared, ridge, objective.tol, objective.max_iter)
    if intercept == "free" and n_outputs > 1:
        solution[-1] -= solution[-1].mean()  # only differences matter; these are the ones that sum to zero
    intercepts = solution[-1] + shift
    kept = solution.copy()
    if pulled is None:
        kept[-1] = intercepts
    memory.keep(which, kept)
    return _Fit(present, solution, intercepts, int(steps), bool(converged))


def _effort(fits: list[_Fit]) -> Effort:
    return Effort(max((fit.n_steps for fit in fits), default=0), sum(not fit.converged for fit in fits))


def _lacks_a_class(labels: Ints, weights: Floats, n_outputs: int) -> bool:
    n_classes = max(n_outputs, 2)
    return bool((np.bincount(labels, weights, minlength=n_classes) < ABSENT).any())


def _growing_sizes(n: int) -> Ints:
    """Return after how many documents the past-only background is fitted: doubling at first, then every 1/64 of all."""
    doubling = 2 ** np.arange(0, max(int(math.log2(max(n / 64, 1))), 0) + 1)
    return np.unique(np.concatenate([doubling, np.ceil(np.arange(1, 65) * n / 64).astype(np.int64)]))


def _dense(fit: _Fit, n_columns: int) -> Floats:
    coefficients = np.zeros((len(fit.intercepts), n_columns))
    coefficients[:, fit.columns] = fit.solution[:-1].T
    return coefficients


def _collect(
    training: Training,
    background: Background,
    at: Floats,
    fits: list[tuple[int, _Fit | None]],
    *,
    stands_alone: bool,
) -> Path:
    """Gather the fits into one sparse table; a missing fit is the background itself."""
    n_outputs, n_columns = training.n_outputs, training.X.shape[1]
    base = np.full(len(at), -1, dtype=np.int64)
    intercepts = np.empty((len(at), n_outputs))
    columns: list[Ints] = []
    values: list[Floats] = []
    lengths = np.zeros(len(at) * n_outputs, dtype=np.int64)
    for g, (index, fit) in enumerate(fits):
        if fit is None or not stands_alone:
            base[g] = index
        if fit is None:
            intercepts[g] = background.intercepts[index]
            continue
        intercepts[g] = fit.intercepts
        order = np.argsort(fit.columns)
        for k in range(n_outputs):
            kept = order[fit.solution[order, k] != 0]
            columns.append(fit.columns[kept])
            values.append(fit.solution[kept, k])
            lengths[g * n_outputs + k] = len(kept)
    table = sp.csr_matrix(
        (
            np.concatenate([*values, np.empty(0)]),
            np.concatenate([*columns, np.empty(0, dtype=np.int32)]).astype(np.int32),
            np.concatenate([[0], np.cumsum(lengths)]),
        ),
        shape=(len(at) * n_outputs, n_columns),
    )
    return Path(at, base, table, intercepts)
