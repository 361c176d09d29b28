r"""Selection of the fit that predicts the next documents best, repeated as documents arrive.

A bandwidth that was best on the first documents of a stream may not remain best. Several rivals are therefore updated:
a fit with that bandwidth, kernel fits that reach back over 32 to 2,000 documents, plain fits to a window of the last
500 to 3,000 documents, and the background (all documents). Every few documents each rival is first scored on unseen
documents, then fitted again from its last solution. The rival with the lowest exponentially discounted log-loss is used
beyond the newest document:

.. math:: L_r \leftarrow 2^{-n/H} L_r + \sum_{i=1}^{n} \ell(y_i, \langle x_i, \eta_r\rangle)                         (1)

Cost and memory are bounded: no rival reaches further back than 3,000 documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.state_layout import Array, Number, Sparse, Together
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.local.fit_times import just_after, window
from driftline.local.logistic.fit_path import Background
from driftline.local.logistic.local_fit import Linear, Objective, Rows, Training, fit_window

REACHES = (32, 64, 125, 250, 500, 1000, 2000)
"""Number of documents within the bandwidth of the kernel rivals."""

WINDOWS = (500, 1500, 3000)
"""Number of latest documents in the window rivals, all of weight one, with a penalty towards zero."""

STEP = 50
"""Number of documents between two rounds in which rivals are scored and fitted."""

MOST_ROUNDS = 60
"""Maximum number of rounds in which a stream that is learned at once is replayed."""

HALF_LIFE = 300.0
"""H of Eq. 1, in documents."""

ROUGH = 1e-2
"""Tolerance of the rivals' fits."""


class Rival(NamedTuple):
    """A way to fit the next model: "kernel" and "window" with a size in documents, "bandwidth" in time, or "global"."""

    kind: str
    size: int

    def __str__(self) -> str:
        if self.size == 0:
            return {"global": "all documents", "bandwidth": "the bandwidth chosen first"}[self.kind]
        return f"{'kernel over' if self.kind == 'kernel' else 'window of'} {self.size:,} documents"


RIVALS = (
    Rival("global", 0),
    Rival("bandwidth", 0),
    *(Rival("kernel", size) for size in REACHES),
    *(Rival("window", size) for size in WINDOWS),
)


class Settings(NamedTuple):
    """The objective of kernel fits, that of window fits and the background, and the bandwidth of the path."""

    local: Objective
    steady: Objective
    bandwidth: float


class Contest(NamedTuple):
    """The state of the contest: recent documents, the rivals' latest fits, and their discounted losses (Eq. 1).

    The last `n_unseen` of the recent documents have not been scored or fitted yet. `evidence` is the discounted number
    of documents in `losses`.
    """

    recent: Training
    n_unseen: int
    coefficients: Floats
    intercepts: Floats
    losses: Floats
    evidence: float

    @property
    def leader(self) -> int:
        """The number of the rival with the lowest loss."""
        return int(self.losses.argmin())


CONTEST = Together(
    {
        "documents": Sparse("recent", "words"),
        "labels": Array("recent", kind="i", below="classes"),
        "times": Array("recent", ordered=True),
        "n_unseen": Number(least=0, whole=True),
        "coefficients": Array("rivals", "outputs", "words"),
        "intercepts": Array("rivals", "outputs"),
        "losses": Array("rivals", finite=False),
        "evidence": Number(least=0),
    }
)
"""Layout of `Contest` in a saved model."""


def begin(training: Training, background: Background, settings: Settings) -> Contest:
    """Replay the end of a stream and return the state of the contest.

    The documents before the replayed half are learned first; only the last ones of a long stream are used.
    """
    n = min(len(training.times), 2 * max(WINDOWS))
    recent = training.rows(slice(len(training.times) - n, None))
    first = max(n // 2, 1)
    shape = (len(RIVALS), training.n_outputs)
    contest = Contest(
        recent.rows(slice(0, first)),
        first,
        np.zeros((*shape, training.X.shape[1])),
        np.zeros(shape),
        np.zeros(len(RIVALS)),
        0.0,
    )
    contest = _fitted(contest, background, settings)
    step = max(STEP, math.ceil((n - first) / MOST_ROUNDS))
    for start in range(first, n, step):
        contest = _appended(contest, recent.rows(slice(start, start + step)))
        contest = _fitted(_scored(contest), background, settings)
    return contest


def advance(contest: Contest, batch: Training, background: Background, settings: Settings) -> Contest:
    """Continue the contest with more documents in time order."""
    for start in range(0, len(batch.times), STEP):
        contest = _appended(contest, batch.rows(slice(start, start + STEP)))
        if contest.n_unseen >= STEP:
            contest = _fitted(_scored(contest), background, settings)
    return contest


def latest(contest: Contest, background: Background, settings: Settings) -> Linear:
    """Return the leader's fit to all documents so far."""
    leader = contest.leader
    before = Linear(contest.coefficients[leader], contest.intercepts[leader])
    if len(contest.recent.times) == 0:
        return background.at(-1)
    return _fit(contest.recent, RIVALS[leader], before, background, settings)


def standing(contest: Contest) -> Iterator[tuple[str, float]]:
    """Return every rival with its discounted mean log-loss, the best first."""
    for number in np.argsort(contest.losses, kind="stable"):
        yield str(RIVALS[number]), float(contest.losses[number] / max(contest.evidence, 1e-12))


def _appended(contest: Contest, batch: Training) -> Contest:
    """Add unseen documents, and discard those that no rival uses any more."""
    recent = contest.recent
    joined = Training(
        sp.csr_matrix(sp.vstack([recent.X, batch.X], format="csr")),
        np.concatenate([recent.labels, batch.labels]),
        np.concatenate([recent.times, batch.times]),
        recent.n_outputs,
    )
    n_unseen = contest.n_unseen + len(batch.times)
    kept = max(WINDOWS) + n_unseen
    return contest._replace(recent=joined.rows(slice(max(len(joined.times) - kept, 0), None)), n_unseen=n_unseen)


def _scored(contest: Contest) -> Contest:
    """Score every rival on the unseen documents (Eq. 1)."""
    n = contest.n_unseen
    unseen = contest.recent.rows(slice(len(contest.recent.times) - n, None))
    fading = 0.5 ** (n / HALF_LIFE)
    fresh = np.array(
        [
            current_kernels().logistic.losses_of(_scores(unseen.X, coefficients, intercepts), unseen.labels).sum()
            for coefficients, intercepts in zip(contest.coefficients, contest.intercepts)
        ]
    )
    return contest._replace(losses=fading * contest.losses + fresh, evidence=fading * contest.evidence + n)


def _fitted(contest: Contest, background: Background, settings: Settings) -> Contest:
    """Fit every rival to all documents so far."""
    coefficients, intercepts = np.empty_like(contest.coefficients), np.empty_like(contest.intercepts)
    for number, rival in enumerate(RIVALS):
        before = Linear(contest.coefficients[number], contest.intercepts[number])
        coefficients[number], intercepts[number] = _fit(contest.recent, rival, before, background, settings)
    return contest._replace(coefficients=coefficients, intercepts=intercepts, n_unseen=0)


def _fit(recent: Training, rival: Rival, before: Linear, background: Background, settings: Settings) -> Linear:
    """Fit one rival to the recent documents, starting from its last solution."""
    now = just_after(float(recent.times[-1]))
    base = background.at(int(background.number(now)))
    if rival.kind == "global" or (rival.kind == "bandwidth" and math.isinf(settings.bandwidth)):
        return base
    n = len(recent.times)
    objective = settings.local
    first, reach = max(n - rival.size, 0), math.inf
    if rival.kind == "bandwidth":
        first, _ = window(recent.times, objective.kernel, settings.bandwidth, now)
        reach = settings.bandwidth
    elif rival.kind == "kernel":
        reach = (now - float(recent.times[first])) / objective.kernel.support
    weights = objective.kernel.relative_weights(now - recent.times[first:], reach if reach > 0 else math.inf)
    pulled: Floats | None = None
    start = before
    if rival.kind == "window":
        objective = replace(settings.steady, center="zero")
    elif objective.center == "global":
        pulled = _scores(recent.X[first:], *base)
        start = Linear(before.coefficients - base.coefficients, before.intercepts - base.intercepts)
    rows = Rows(recent, first, n, by_column=objective.l1_ratio > 0)
    begin_at = np.vstack([start.coefficients[:, rows.present].T, start.intercepts])
    fit = fit_window(rows, first, weights, replace(objective, tol=max(objective.tol, ROUGH)), begin_at, base, pulled)
    coefficients = np.zeros_like(base.coefficients) if pulled is None else base.coefficients.copy()
    coefficients[:, rows.present] += fit.solution[:-1].T
    return Linear(coefficients, fit.intercepts)


def _scores(X: Counts, coefficients: Floats, intercepts: Floats) -> Floats:
    return np.asarray(X @ coefficients.T + intercepts)
