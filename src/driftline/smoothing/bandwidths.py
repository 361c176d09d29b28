"""Candidate bandwidths for a set of times."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats

FINEST = 2000
"""Span divided by the smallest bandwidth tried, unless the times themselves are coarser."""


def bandwidth_grid(times: Floats, n: int = 30, *, widest: float = np.inf) -> Floats:
    """Return `n` bandwidths from the finest reasonable one to infinity, evenly spaced in logarithm.

    The first is the typical gap between distinct times (where the model is the per-time one), the last but one is twice
    the span (or `widest`), and the last is infinite: the global model is always among the candidates.

    >>> bandwidth_grid(np.arange(9.0), n=4)
    array([ 1.,  4., 16., inf])
    """
    distinct = np.unique(np.asarray(times, dtype=np.float64))
    if len(distinct) < 2:
        return np.array([np.inf])
    span = distinct[-1] - distinct[0]
    finest = max(float(np.median(np.diff(distinct))), span / FINEST)
    return np.append(np.geomspace(min(finest, widest), min(2 * span, widest), max(n - 1, 1)), np.inf)
