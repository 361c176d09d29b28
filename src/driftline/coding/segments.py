"""Segmentation of a sequence of topic shares, and the duration of topics."""

from __future__ import annotations

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints


def segment(shares: Floats, *, penalty: float = 0.05, shortest: int = 2) -> Ints:
    """Return the starts of segments (the first at 0) that are as homogeneous as possible, by dynamic programming.

    A segment costs the squared distances of the roots of its shares from their mean (Hellinger's geometry), plus
    `penalty` times the cost of a single segment. None is shorter than `shortest` positions.

    >>> segment(np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 4))
    array([0, 5])
    """
    roots = np.sqrt(np.asarray(shares, dtype=np.float64))
    if len(roots) == 0:
        return np.empty(0, dtype=np.int64)
    spread = float(((roots - roots.mean(axis=0)) ** 2).sum())
    found: Ints = current_kernels().segments.best_cuts(roots, penalty * max(spread, 1e-9), max(int(shortest), 1))
    return found


def run_lengths(assignments: Ints) -> Ints:
    """Return the lengths of the runs of the leading topics.

    >>> run_lengths(np.array([2, 2, 2, 0, 1, 1]))
    array([3, 1, 2])
    """
    assignments = np.asarray(assignments)
    if len(assignments) == 0:
        return np.empty(0, dtype=np.int64)
    turns = np.flatnonzero(np.diff(assignments)) + 1
    return np.diff(np.concatenate([[0], turns, [len(assignments)]]))
