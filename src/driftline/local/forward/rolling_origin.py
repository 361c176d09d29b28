r"""Forward validation with a rolling origin: learn before the origin, predict the documents after it.

At each of several origins every candidate, a reach with a penalty, is fitted to the documents before the origin and
predicts those after it, up to the next origin or up to a horizon. Candidates that are at most two standard errors worse
than the best cannot be distinguished: the best of them differs from origin to origin, and will differ again at the next
one. Standard errors are therefore those of the differences between origins, and the model is the average of the
candidates that cannot be distinguished. The average is scored as well: at each origin it consists of those that cannot
be distinguished at the *other* origins, so that its score is not biased by the selection. Origins that predict the same
documents, as they do without a horizon, are not independent, and have no standard error; then one candidate is used
alone (`choice.py`).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.progress import track
from driftline.core.randomness import Seed, generator
from driftline.local.forward.choice import choose, windows_alone
from driftline.local.forward.reach import Reach
from driftline.local.forward.reach_fit import averaged, class_scores, fit_reach, log_losses
from driftline.local.logistic.local_fit import Linear, Objective, Training
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.unit_mean import Interval, unit_mean

FIRST_ORIGIN = 0.5
"""Share of the documents before the first origin."""

ROUGH = 1e-2
"""Tolerance of fits that are only compared with each other."""

RESAMPLES = 200
"""Number of resamples of the units for the share of wins."""

AVERAGE = "average"
"""Kind of the plan that averages the candidates that cannot be distinguished from the best."""

INSEPARABLE = 2.0
"""Maximum distance from the best candidate, in standard errors, of one that cannot be distinguished from it."""

MOST_AVERAGED = 8
"""Maximum number of candidates that are averaged, the best ones."""

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
    """A plan, its accuracy and mean log-loss on the validated documents, and its differences from the chosen plan.

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
    """All plans, the chosen one first, then by loss; and its forward predictions: class scores by document.

    `documents` are the numbers of the predicted documents in the order of their times; a document after several origins
    occurs several times.
    """

    scored: list[Scored]
    documents: Ints
    scores: Floats


def origins(times: Floats, n_origins: int, horizon: float | None) -> list[tuple[int, int]]:
    """Return for each origin its first document and the end of the documents that it predicts.

    Origins are spread evenly over the documents after the first half. Without a horizon each predicts up to the next;
    with one, each predicts the documents within it, and origins after which less than half of the horizon is known are
    left out. With an infinite horizon each predicts all documents after it.

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
    """Score every candidate, and the average of those that cannot be distinguished, at every origin.

    `penalties` are the ascending values of C to try; the search for the best of them starts from that of the last
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
    averages = average and not _overlap(parts)
    if not averages:
        candidates = windows_alone(training, [start for start, _ in parts], candidates)
    plans, found = [], []
    for reach in track(candidates, "forward validation", verbose=objective.verbose):
        if reach.kind != ALL.kind:
            at, scores, _ = local.best_penalty(reach, penalties, at)
        plans.append(Plan(reach.kind, (reach,), (float(penalties[at]),), base_penalty))
        found.append(scores)
    losses = np.stack([log_losses(scores, labels) for scores in found])
    chosen = choose(training, candidates, losses, origin)
    members = inseparable(losses, origin) if averages else []
    if len(members) > 1:
        chosen = len(plans)
        plans.append(_averaged([plans[k] for k in members]))
        found.append(_crossed(found, losses, origin))
    return _ranked(plans, chosen, np.stack(found), labels, unit[places], places, random_state)


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
        """Move from a penalty to its better neighbour until none is better; return its index, the scores, the fits."""

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


def _overlap(parts: Sequence[tuple[int, int]]) -> bool:
    """Return whether two origins predict the same document."""
    return any(end > start for (_, end), (start, _) in itertools.pairwise(parts))


def inseparable(losses: Floats, origin: Ints) -> list[int]:
    """Return the candidates whose mean loss is at most two standard errors above the best, at most eight, best first.

    `losses` are candidates × documents. Errors are those of the mean difference from the best over the origins; with
    one origin there are none, and only the best is returned.

    >>> losses = np.array([[1.0, 2.0, 1.0], [1.3, 1.5, 1.5], [2.0, 3.0, 2.0]])
    >>> inseparable(losses, np.array([0, 1, 2]))
    [0, 1]
    """
    means = losses.mean(axis=1)
    order = np.argsort(means, kind="stable")
    _, number, sizes = np.unique(origin, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return [int(order[0])]
    behind = losses - losses[order[0]]
    by_origin = np.stack([group_sums(number, row, len(sizes)) for row in behind]) / sizes
    errors = by_origin.std(axis=1, ddof=1) / np.sqrt(len(sizes))
    near = [int(k) for k in order if behind[k].mean() <= INSEPARABLE * errors[k]]
    return near[:MOST_AVERAGED]


def _averaged(plans: Sequence[Plan]) -> Plan:
    return Plan(
        AVERAGE,
        tuple(plan.reaches[0] for plan in plans),
        tuple(plan.penalties[0] for plan in plans),
        plans[0].base_penalty,
    )


def _crossed(found: Sequence[Floats], losses: Floats, origin: Ints) -> Floats:
    """Return the scores of the average, at each origin over the candidates that are inseparable at the others."""
    crossed = np.empty_like(found[0])
    for number in np.unique(origin):
        held = origin == number
        crossed[held] = np.mean([found[k][held] for k in inseparable(losses[:, ~held], origin[~held])], axis=0)
    return crossed


def _ranked(
    plans: Sequence[Plan], chosen: int, scores: Floats, labels: Ints, unit: Ints, places: Ints, random_state: Seed
) -> Validation:
    """Rank the plans: the chosen one first, then by loss."""
    losses = log_losses(scores, labels)
    right = (scores.argmax(axis=2) == labels).astype(np.float64)
    order = sorted(range(len(plans)), key=lambda k: (k != chosen, losses[k].mean()))
    wins = _wins(losses, unit, random_state)
    scored = [
        Scored(
            plans[k],
            float(right[k].mean()),
            float(losses[k].mean()),
            unit_mean(right[chosen] - right[k], unit),
            unit_mean(losses[k] - losses[chosen], unit),
            float(wins[k]),
        )
        for k in order
    ]
    return Validation(scored, places, scores[chosen])


def _wins(losses: Floats, unit: Ints, random_state: Seed) -> Floats:
    """Return the share of resamples of whole units in which each plan has the lowest total loss."""
    index = np.unique(unit, return_inverse=True)[1]
    n_units = int(index.max(initial=-1)) + 1
    sums = np.stack([group_sums(index, row, n_units) for row in losses], axis=1)
    drawn = generator(random_state).multinomial(n_units, np.full(n_units, 1.0 / max(n_units, 1)), size=RESAMPLES)
    winners = (drawn @ sums).argmin(axis=1)
    found: Floats = np.bincount(winners, minlength=len(losses)) / RESAMPLES
    return found
