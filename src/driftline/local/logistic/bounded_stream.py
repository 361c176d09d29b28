"""A local logistic regression that keeps learning from a stream, in bounded memory."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.local.fit_times import grid_times, just_after
from driftline.local.logistic.fit_path import Background, Effort, Path, fit_path
from driftline.local.logistic.fitted_path import State, curvature
from driftline.local.logistic.local_fit import HELD, Rows, Training


def extend(state: State, batch: Training) -> tuple[State, Effort]:
    """Return the state after a batch of documents in time order.

    Fits at times within the batch are added to the path, those that extend beyond its first document are repeated, and
    documents further back than the support of the kernel are discarded: documents that arrive later than that count in
    the background only.
    """
    if len(batch.times) == 0:
        return state, Effort()
    newest = max(float(batch.times[-1]), state.newest)
    changed = min(float(batch.times[0]), state.newest)
    background, precision, effort = _move_background(state, batch, newest)
    reach = state.objective.kernel.support * state.bandwidth
    since = max(state.remembered_since, newest - reach) if math.isfinite(reach) else newest
    step = state.bandwidth / state.points if state.points else 0.0
    training = _join(state.training, batch, since - reach - step if math.isfinite(reach) else math.inf)
    path = state.path
    if math.isfinite(state.bandwidth) and state.points:
        grid = grid_times(training.times, state.objective.kernel, state.bandwidth, state.points, state.anchor)
        grid = grid[(grid > changed) & (grid > since - step)]
        fresh, more = fit_path(training, background, state.objective, state.bandwidth, grid)
        effort = effort.plus(more)
        path = _join_paths(path, (path.times <= changed) & (path.times > since - step), fresh)
    background, path = _forget_backgrounds(background, path, since)
    state = state._replace(
        training=training,
        background=background,
        path=path,
        newest=newest,
        remembered_since=since if math.isfinite(reach) else -math.inf,
        precision=precision,
    )
    return state, effort


def _move_background(state: State, batch: Training, newest: float) -> tuple[Background, Floats, Effort]:
    """Fit the batch with the past as a Gaussian prior: mean the last background, precision the curvature left."""
    n, n_columns = batch.X.shape
    rows = Rows(batch, 0, n, by_column=False)
    which = np.append(rows.present, n_columns)
    last = np.vstack([state.background.coefficients[-1].T, state.background.intercepts[-1]])
    offsets = batch.X @ last[:-1] + last[-1]
    start = np.zeros((len(which), batch.n_outputs))
    solution, _, steps, _, converged = current_kernels().logistic.newton(
        *rows.window(0, n),
        batch.labels,
        np.ones(n),
        offsets,
        start,
        state.precision[which],
        state.objective.tol,
        state.objective.max_iter,
    )
    moved = last.copy()
    moved[which] += solution
    background = state.background
    times = np.append(background.times, just_after(newest))
    background = Background(
        times,
        np.concatenate([background.coefficients, moved[:-1].T[None]]),
        np.concatenate([background.intercepts, moved[-1][None]]),
    )
    precision = state.precision + curvature(batch, background.at(-1))
    if not state.objective.fit_intercept:
        precision[-1] = HELD
    return background, precision, Effort(int(steps), int(not converged))


def _join(before: Training, batch: Training, since: float) -> Training:
    """Return the documents of both parts since a time, in order."""
    kept, recent = before.rows(before.times >= since), batch.rows(batch.times >= since)
    return Training.in_order(
        sp.vstack([kept.X, recent.X], format="csr"),
        np.concatenate([kept.labels, recent.labels]),
        np.concatenate([kept.times, recent.times]),
        batch.n_outputs,
    )


def _join_paths(path: Path, kept: np.ndarray, fresh: Path) -> Path:
    n_outputs = path.intercepts.shape[1]
    return Path(
        np.concatenate([path.times[kept], fresh.times]),
        np.concatenate([path.base[kept], fresh.base]),
        sp.vstack([path.coefficients[np.repeat(kept, n_outputs)], fresh.coefficients], format="csr"),
        np.concatenate([path.intercepts[kept], fresh.intercepts]),
    )


def _forget_backgrounds(background: Background, path: Path, since: float) -> tuple[Background, Path]:
    """Keep the backgrounds that a fit of the path refers to or that are used since a time; the first is used before."""
    oldest = max(int(background.number(since)), 0)
    oldest = min([oldest, *path.base[path.base >= 0].tolist()])
    times = background.times[oldest:].copy()
    times[0] = -math.inf
    kept = Background(times, background.coefficients[oldest:], background.intercepts[oldest:])
    return kept, path._replace(base=np.where(path.base >= 0, path.base - oldest, -1))
