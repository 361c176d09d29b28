"""Selection of bandwidth and penalty by the log-loss of left-out documents."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.local.bandwidths.pair_search import climb
from driftline.local.fit_times import answering_times, blend, grid_times, has_support
from driftline.local.logistic.fit_path import (
    Background,
    background_scores,
    fit_background,
    fit_path,
    path_scores,
)
from driftline.local.logistic.local_fit import Objective, Training

ROUGH = 1e-2
"""Tolerance of fits that are only compared with each other."""

BURN_IN = 0.1
"""Initial share of a stream whose predictions do not count in a forward comparison."""


class Candidate(NamedTuple):
    """One pair of settings with its mean log-loss on documents left out."""

    bandwidth: float
    C: float
    log_loss: float


class Search(NamedTuple):
    """The bandwidths and Cs that are compared, fits per window, folds, and the C of the background if it is fixed."""

    bandwidths: Sequence[float]
    Cs: Sequence[float]
    points: int
    folds: int
    fixed_background: float | None = None


class Choice(NamedTuple):
    """The selected settings, the C of the background, and all comparisons."""

    bandwidth: float
    C: float
    C_of_background: float
    candidates: list[Candidate]


def choose(training: Training, objective: Objective, search: Search) -> Choice:
    """Return the best pair of bandwidth and C.

    Two-sided kernels: every `folds`-th document (in time order) is left out in turn. Past-only kernels: every document
    is predicted from those before it. The search starts from the best global C. A finite bandwidth must beat the global
    fit by more than one standard error of the difference, so that a stream without drift keeps the global fit.
    """
    bandwidths, Cs, points, folds, steady_C = search
    rough = replace(objective, tol=max(objective.tol, ROUGH), verbose=False)
    splits = _splits(training, rough, folds)
    steady_Cs = list(Cs) if steady_C is None else [steady_C]
    pulled = objective.center == "global" or steady_C is not None
    steady: dict[float, list[Floats]] = {C: [] for C in steady_Cs}
    backgrounds: dict[tuple[int, float], Background] = {}
    for number, (fitted, held) in enumerate(splits):
        for C in steady_Cs:
            background, _ = fit_background(fitted, replace(rough, C=C))
            backgrounds[number, C] = background
            scores = background_scores(held.X, background, background.number(held.times))
            steady[C].append(current_kernels().logistic.losses_of(scores, held.labels))
    skipped = int(BURN_IN * len(training.times)) if objective.kernel.side == "past" else 0
    global_losses = {C: np.concatenate(parts)[skipped:] for C, parts in steady.items()}
    best_C = min(steady_Cs, key=lambda C: float(global_losses[C].mean()))
    candidates = [Candidate(math.inf, C, float(losses.mean())) for C, losses in global_losses.items()]
    finite = [h for h in bandwidths if math.isfinite(h)]
    if not finite:
        return Choice(math.inf, best_C, best_C, candidates)

    @functools.cache
    def local_losses(h: float, C: float) -> Floats:
        parts = []
        for number, (fitted, held) in enumerate(splits):
            background = backgrounds[number, best_C if pulled else C]
            parts.append(_held_out_losses(fitted, held, background, replace(rough, C=C), h, points))
        losses = np.concatenate(parts)[skipped:]
        candidates.append(Candidate(h, C, float(losses.mean())))
        return losses

    start = min(Cs, key=lambda C: abs(math.log(C / best_C)))
    h, C = climb(lambda h, C: float(local_losses(h, C).mean()), finite, list(Cs), start, verbose=objective.verbose)
    gain = global_losses[best_C] - local_losses(h, C)
    if math.inf in bandwidths and gain.mean() <= gain.std() / math.sqrt(len(gain)):
        return Choice(math.inf, best_C, best_C, candidates)
    return Choice(h, C, best_C if pulled else C, candidates)


def _splits(training: Training, objective: Objective, folds: int) -> list[tuple[Training, Training]]:
    if objective.kernel.side == "past":
        return [(training, training)]
    n = len(training.times)
    fold = np.arange(n) % min(folds, n)
    return [(training.rows(fold != k), training.rows(fold == k)) for k in range(min(folds, n))]


def _held_out_losses(
    fitted: Training, held: Training, background: Background, objective: Objective, bandwidth: float, points: int
) -> Floats:
    kernel = objective.kernel
    grid = grid_times(fitted.times, kernel, bandwidth, points, float(fitted.times[0]))
    path, _ = fit_path(fitted, background, objective, bandwidth, grid)
    answering = answering_times(fitted.times, kernel, held.times)
    mixed = blend(grid, kernel, held.times, answering)
    scores = path_scores(held.X, path, background, mixed.left, mixed.right, mixed.share)
    missing = ~has_support(fitted.times, kernel, bandwidth, answering)
    if missing.any():
        scores[missing] = background_scores(held.X[missing], background, background.number(held.times[missing]))
    found: Floats = current_kernels().logistic.losses_of(scores, held.labels)
    return found
