r"""Forward validation with a rolling origin: learn before the origin, predict the documents after it.

At each of several origins every candidate, a reach with a penalty, is fitted to the documents before the origin and
predicts those after it, up to the next origin or up to a horizon. Besides single candidates the average of the best of
each kind is scored: at each origin it consists of those that are best at the *other* origins, so that it gains nothing
from being selected.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.progress import track
from driftline.core.randomness import Seed, generator
from driftline.local.forward.reach import Reach
from driftline.local.forward.reach_fit import averaged, class_scores, fit_reach, log_losses
from driftline.local.logistic.local_fit import Linear, Objective, Training
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.unit_mean import Interval, unit_mean

FIRST_ORIGIN = 0.5
"""Share of the documents before the first origin."""

ROUGH = 1e-2
"""The tolerance of fits that are only compared with each other."""

RESAMPLES = 200
"""Number of resamples of the units for the share of wins."""

AVERAGE = "average"
"""Kind of the candidate that averages the best others."""

ALL = Reach("all", math.inf)


class Plan(NamedTuple):
    """A way to make the final model: the kind, and the reaches with their penalties; an average has several.

    `base_penalty` is the C of the fit to all documents, towards which some fits are shrunk.
    """

    kind: str
    reaches: tuple[Reach, ...]
    penalties: tuple[float, ...]
    base_penalty: float

    def described(self, *, dated: bool) -> str:
        """Return the plan in a few words."""
        return (
            f"average of {len(self.reaches)} fits" if self.kind == AVERAGE else self.reaches[0].described(dated=dated)
        )


class Scored(NamedTuple):
    """A plan, its accuracy and mean log-loss on the validated documents, and its differences from the best plan.

    `accuracy_behind` and `loss_behind` are paired document by document, with intervals by unit; both are positive if
    the plan is worse. `wins` is the share of resamples of the units in which it has the lowest loss.
    """

    plan: Plan
    accuracy: float
    log_loss: float
    accuracy_behind: Interval
    loss_behind: Interval
    wins: float


class Validation(NamedTuple):
    """All plans, the best first; and the forward predictions of the best: class scores by document.

    `documents` are the numbers of the predicted documents in the order of their times; one that lies after several
    origins occurs several times.
    """

    scored: list[Scored]
    documents: Ints
    scores: Floats


def origins(times: Floats, n_origins: int, horizon: float | None) -> list[tuple[int, int]]:
    """Return for each origin its first document and the end of the documents that it predicts.

    Origins are spread evenly over the documents after the first half. Without a horizon each predicts up to the next;
    with one, each predicts the documents within it, and origins from which less than half of it is known are left out.
    With an infinite horizon each predicts all documents after it.

    >>> origins(np.arange(100.0), 5, None)
    [(50, 60), (60, 70), (70, 80), (80, 90), (90, 100)]
    >>> origins(np.arange(100.0), 5, 30.0)
    [(50, 80), (60, 90), (70, 100), (80, 100)]
    """
    n = len(times)
    starts = np.unique(np.linspace(FIRST_ORIGIN * n, n, n_origins + 1).astype(np.int64))
    starts = starts[starts >= 1]
    if horizon is None:
        return list(zip(starts[:-1].tolist(), starts[1:].tolist()))
    if math.isinf(horizon):
        return [(start, n) for start in starts[:-1].tolist()]
    known = times[-1] - times[starts[:-1]]
    kept = starts[:-1][known >= horizon / 2] if (known >= horizon / 2).any() else starts[:1]
    ends = np.searchsorted(times, times[kept - 1] + horizon, side="right")
    return [(int(start), int(end)) for start, end in zip(kept, np.maximum(ends, kept + 1)) if start < n]


def validate(
    training: Training,
    unit: Ints,
    candidates: Sequence[Reach],
    penalties: Sequence[float],
    objective: Objective,
    *,
    n_origins: int,
    horizon: float | None,
    average: bool,
    random_state: Seed,
) -> Validation:
    """Score every candidate, and their average, at every origin.

    `penalties` are the ascending values of C to try; the search for the best of them climbs from that of the last
    candidate. `unit` is the unit (day) of every document.
    """
    rough = replace(objective, tol=max(objective.tol, ROUGH), verbose=False)
    parts = origins(training.times, n_origins, horizon)
    places = np.concatenate([np.arange(start, end) for start, end in parts])
    origin = np.repeat(np.arange(len(parts)), [end - start for start, end in parts])
    labels = training.labels[places]
    steady = Forward(training, parts, labels, rough, [None] * len(parts))
    at, scores, bases = steady.best_penalty(ALL, penalties, len(penalties) // 2)
    base_penalty = float(penalties[at])
    local = steady._replace(bases=bases)
    plans, found = [], []
    for reach in track(candidates, "forward validation", verbose=objective.verbose):
        if reach.kind != ALL.kind:
            at, scores, _ = local.best_penalty(reach, penalties, at)
        plans.append(Plan(reach.kind, (reach,), (float(penalties[at]),), base_penalty))
        found.append(scores)
    if average and len(_best_of_each(plans, np.zeros((len(plans), 1)))) > 1 and len(parts) > 1:
        losses = np.stack([log_losses(scores, labels) for scores in found])
        crossed = np.empty_like(found[0])
        for number in range(len(parts)):
            held = origin == number
            crossed[held] = np.mean([found[k][held] for k in _best_of_each(plans, losses[:, ~held])], axis=0)
        best = [plans[k] for k in _best_of_each(plans, losses)]
        averaged_plan = Plan(
            AVERAGE,
            tuple(plan.reaches[0] for plan in best),
            tuple(plan.penalties[0] for plan in best),
            base_penalty,
        )
        plans.append(averaged_plan)
        found.append(crossed)
    return _ranked(plans, np.stack(found), labels, unit[places], places, random_state)


def carry_out(plan: Plan, training: Training, objective: Objective) -> tuple[Linear, bool]:
    """Fit a plan to all documents; return the model, and whether all fits converged."""
    base = fit_reach(training, ALL, replace(objective, C=plan.base_penalty))
    fits = [
        fit_reach(training, reach, replace(objective, C=C), None, base.model)
        for reach, C in zip(plan.reaches, plan.penalties)
    ]
    return averaged([fit.model for fit in fits]), base.converged and all(fit.converged for fit in fits)


class Forward(NamedTuple):
    """Fits before several origins and their scores after them; `bases` are the fits to all documents, by origin."""

    training: Training
    parts: Sequence[tuple[int, int]]
    labels: Ints
    objective: Objective
    bases: Sequence[Linear | None]

    def best_penalty(self, reach: Reach, penalties: Sequence[float], start: int) -> tuple[int, Floats, list[Linear]]:
        """Climb from a penalty to its better neighbour until none is better; return its index, the scores, the fits."""

        @functools.cache
        def at_penalty(k: int) -> tuple[float, Floats, list[Linear]]:
            scores, fits = self.scores(reach, float(penalties[k]))
            return float(log_losses(scores, self.labels).mean()), scores, fits

        at = start
        while True:
            near = [k for k in (at, at - 1, at + 1) if 0 <= k < len(penalties)]
            best = min(near, key=lambda k: at_penalty(k)[0])
            if best == at:
                return at, *at_penalty(at)[1:]
            at = best

    def scores(self, reach: Reach, C: float) -> tuple[Floats, list[Linear]]:
        """Return the scores of the documents after each origin, and the fits."""
        found: list[Floats] = []
        fits: list[Linear] = []
        objective = replace(self.objective, C=C)
        for (start, end), base in zip(self.parts, self.bases):
            before = fits[-1] if fits else None
            fits.append(fit_reach(self.training.rows(slice(0, start)), reach, objective, before, base).model)
            found.append(class_scores(self.training.X[start:end], fits[-1]))
        return np.concatenate(found), fits


def _best_of_each(plans: Sequence[Plan], losses: Floats) -> list[int]:
    """Return the plan with the lowest loss of each kind but "all", towards whose fit others are shrunk."""
    means = losses.mean(axis=1)
    kinds = dict.fromkeys(plan.kind for plan in plans if plan.kind != ALL.kind)
    return [min((k for k, plan in enumerate(plans) if plan.kind == kind), key=lambda k: means[k]) for kind in kinds]


def _ranked(
    plans: Sequence[Plan], scores: Floats, labels: Ints, unit: Ints, places: Ints, random_state: Seed
) -> Validation:
    losses = log_losses(scores, labels)
    right = (scores.argmax(axis=2) == labels).astype(np.float64)
    order = np.argsort(losses.mean(axis=1), kind="stable")
    best = int(order[0])
    wins = _wins(losses, unit, random_state)
    scored = [
        Scored(
            plans[k],
            float(right[k].mean()),
            float(losses[k].mean()),
            unit_mean(right[best] - right[k], unit),
            unit_mean(losses[k] - losses[best], unit),
            float(wins[k]),
        )
        for k in order
    ]
    return Validation(scored, places, scores[best])


def _wins(losses: Floats, unit: Ints, random_state: Seed) -> Floats:
    """Return the share of resamples of whole units in which each plan has the lowest total loss."""
    index = np.unique(unit, return_inverse=True)[1]
    n_units = int(index.max(initial=-1)) + 1
    sums = np.stack([group_sums(index, row, n_units) for row in losses], axis=1)
    drawn = generator(random_state).multinomial(n_units, np.full(n_units, 1.0 / max(n_units, 1)), size=RESAMPLES)
    winners = (drawn @ sums).argmin(axis=1)
    found: Floats = np.bincount(winners, minlength=len(losses)) / RESAMPLES
    return found
