"""A mixture of bandwidths: every word is drawn from one of several local models, wide and narrow."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats
from driftline.local.leave_one_out import LeaveOneOut
from driftline.local.prior import Prior

N_COMPONENTS = 9
_STEPS = 500
_TOLERANCE = 1e-7


def component_places(bandwidths: Floats, n: int = N_COMPONENTS) -> list[int]:
    """Return which of the (ascending) bandwidths to mix: `n` evenly spread, and the last, the global one."""
    finite = len(bandwidths) - 1
    return sorted({*np.linspace(0, finite - 1, min(n, finite)).round().astype(int).tolist(), finite} - {-1})


def mixture_weights(loo: LeaveOneOut, bandwidths: Floats, priors: list[Prior]) -> Floats:
    """Return the weights that make documents left out most likely, by EM on their words' probabilities."""
    probabilities = np.column_stack([loo.probabilities(loo.local(float(h)), p) for h, p in zip(bandwidths, priors)])
    return em_weights(probabilities, loo.count)


def em_weights(probabilities: Floats, counts: Floats) -> Floats:
    """Return the weights π that maximise Σ c log Σ_j π_j P_ij.

    >>> em_weights(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([1.0, 1.0])).round(3)
    array([1., 0.])
    """
    n_components = probabilities.shape[1]
    weights = np.full(n_components, 1.0 / n_components)
    total = counts.sum()
    if not total > 0:
        return weights
    before = -np.inf
    for _ in range(_STEPS):
        mixed = probabilities @ weights
        known = mixed > 0
        reached = float(counts[known] @ np.log(mixed[known])) / total
        ratio = np.where(known, counts / np.where(known, mixed, 1.0), 0.0)
        weights = weights * (ratio @ probabilities)
        weights /= weights.sum()
        if reached - before < _TOLERANCE:
            break
        before = reached
    return weights
