"""Choice of the candidate: the best window, unless another candidate is consistently better over the origins.

A forward validation compares about twenty candidates on documents that resemble each other, so the lowest loss is
partly due to chance. A window is the simplest of them. The window with the lowest loss is therefore the default, and
another candidate replaces it only if its loss is lower consistently, by a test of the differences over the origins. A
window from which a class is absent cannot predict that class, and the losses show this only if the class returned
during the validation. It therefore yields to any candidate with a lower loss; if there is none, the absent class
is taken from the fit to all documents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from driftline.core.arrays import Floats, Ints
from driftline.local.forward.reach import Reach
from driftline.local.forward.reach_fit import lacks_a_class
from driftline.local.logistic.local_fit import Training
from driftline.smoothing.grouping import group_sums

CONFIDENCE = 0.95
"""Confidence with which another candidate must be better than the best window."""


def windows_alone(training: Training, starts: Sequence[int], candidates: Sequence[Reach]) -> list[Reach]:
    """Return the candidates and, after those windows that lack a class at an origin, the same ones fitted alone.

    `starts` are the first documents after the origins.
    """
    before = [training.rows(slice(0, start)) for start in starts]
    found: list[Reach] = []
    for reach in candidates:
        found.append(reach)
        if reach.kind in ("documents", "time") and any(lacks_a_class(part, reach) for part in before):
            found.append(reach._replace(alone=True))
    return found


def choose(training: Training, candidates: Sequence[Reach], losses: Floats, origin: Ints) -> int:
    """Return the number of the candidate to use; `losses` are candidates × documents, `origin` those of documents."""
    means = losses.mean(axis=1)
    best = int(means.argmin())
    known = set(candidates)
    windows = [
        k
        for k, reach in enumerate(candidates)
        if reach.kind != "kernel" and (reach.alone or reach._replace(alone=True) not in known)
    ]
    if not windows:
        return best
    window = min(windows, key=lambda k: float(means[k]))
    if not lacks_a_class(training, candidates[window]):
        return best if is_clearly_better(losses[best], losses[window], origin) else window
    if candidates[best].alone and lacks_a_class(training, candidates[best]):
        return candidates.index(candidates[window]._replace(alone=False))
    return best


def is_clearly_better(losses: Floats, others: Floats, origin: Ints) -> bool:
    """Return whether losses are lower than others by a one-sided t-test of the mean differences at the origins.

    >>> origin = np.array([0, 0, 1, 1, 2, 2])
    >>> is_clearly_better(np.ones(6), np.array([1.4, 1.6, 1.3, 1.5, 1.7, 1.5]), origin)
    True
    >>> is_clearly_better(np.ones(6), np.array([1.4, 1.6, 0.7, 0.5, 2.7, 2.5]), origin)
    False
    """
    _, number, sizes = np.unique(origin, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return False
    gains = group_sums(number, others - losses, len(sizes)) / sizes
    error = float(gains.std(ddof=1)) / math.sqrt(len(sizes))
    return bool(gains.mean() > t.ppf(CONFIDENCE, len(sizes) - 1) * error)
