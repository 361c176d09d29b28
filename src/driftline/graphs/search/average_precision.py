"""Mean average precision, and the weights of features that maximise it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Bools, Floats

STEP = 0.05
"""Distance between candidate weights."""

Judged = tuple[Floats, Bools, int]
"""A query: scores by kind, kinds × documents; whether each document is relevant; the number of relevant ones."""


def average_precision(scores: Floats, relevant: Bools, n_relevant: int) -> float:
    """Return the mean precision at the ranks of relevant documents; those that are not ranked count as 0.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]), 2).__round__(3)
    0.833
    """
    if n_relevant == 0:
        return 0.0
    hits = relevant[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(hits)
    return float(((np.arange(len(places)) + 1) / (places + 1)).sum() / n_relevant)


def mean_average_precision(judged: Sequence[Judged], weights: Sequence[float]) -> float:
    """Return the mean over queries of the average precision under these weights."""
    given = np.asarray(weights)
    return float(np.mean([average_precision(given @ parts, hits, n) for parts, hits, n in judged]))


def ascend(judged: Sequence[Judged]) -> tuple[float, float, float]:
    """Return the weights, with sum 1, that maximise the mean average precision, by coordinate ascent.

    Starting from terms alone, each weight in turn is set to its best value on a grid while the others keep their
    proportions, until none changes.
    """
    weights, best = np.array([1.0, 0.0, 0.0]), mean_average_precision(judged, (1.0, 0.0, 0.0))
    changed = True
    while changed:
        changed = False
        for kind in (1, 2, 0):
            for value in np.arange(STEP, 1.0, STEP):
                others = np.delete(weights, kind)
                others = others / others.sum() if others.sum() > 0 else np.array([1.0, 0.0])
                tried = np.insert((1 - value) * others, kind, value)
                found = mean_average_precision(judged, tried.tolist())
                if found > best + 1e-9:
                    weights, best, changed = tried, found, True
    one, two, three = (round(float(weight), 6) for weight in weights)
    return one, two, three
