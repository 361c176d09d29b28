"""A mixture of bandwidths: every word is drawn from one of several local models, wide and narrow."""

from __future__ import annotations

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut

N_COMPONENTS = 9
_STEPS = 1000
_TOLERANCE = 1e-9
_MOST_ENTRIES = 100_000


def component_places(bandwidths: Floats, n: int = N_COMPONENTS) -> list[int]:
    """Return which of the (ascending) bandwidths to mix: `n` evenly spread, and the last, the global one."""
    finite = len(bandwidths) - 1
    return sorted({*np.linspace(0, finite - 1, min(n, finite)).round().astype(int).tolist(), finite} - {-1})


def mixture_weights(loo: LeaveOneOut, bandwidths: Floats, priors: list[Prior]) -> Floats:
    """Return the weights that make documents left out most likely, by EM on their words' probabilities."""
    every = slice(None, None, 1 + len(loo.count) // _MOST_ENTRIES)
    columns = [loo.probabilities(loo.local(float(h)), p, every) for h, p in zip(bandwidths, priors)]
    return em_weights(np.column_stack(columns), loo.count[every])


def em_weights(probabilities: Floats, counts: Floats) -> Floats:
    """Return the weights π that maximise Σ c log Σ_j π_j P_ij.

    >>> em_weights(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([1.0, 1.0])).round(3)
    array([1., 0.])
    """
    found: Floats = current_kernels().mixture_weights.em(
        np.ascontiguousarray(probabilities), np.ascontiguousarray(counts), _STEPS, _TOLERANCE
    )
    return found
