"""Gaps: long intervals without documents in a stream that otherwise has them regularly."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats

GAP_SHARE = 1 / 20
"""Minimum length of a gap, as a share of the span."""
_TIMES_USUAL = 20.0


def long_gaps(times: Floats) -> list[tuple[float, float]]:
    """Return (last time before, first time after) of every gap in the sorted times of units.

    A gap is longer than a twentieth of the span and than twenty usual distances between units: among thirty documents
    per year, intervals of a twentieth of the span occur by chance.

    >>> long_gaps(np.array([*range(100), *range(150, 200)], dtype=float))
    [(99.0, 150.0)]
    """
    distinct = np.unique(times)
    if len(distinct) < 3:
        return []
    gaps = np.diff(distinct)
    long = gaps > max(GAP_SHARE * (distinct[-1] - distinct[0]), _TIMES_USUAL * float(np.median(gaps)))
    return [(float(distinct[i]), float(distinct[i + 1])) for i in np.flatnonzero(long)]


def without_long_gaps(times: Floats, units: Floats) -> Floats:
    """Return sorted times of documents with every long gap of the `units` shortened to a usual distance between units.

    >>> without_long_gaps(np.array([0.0, 98.5, 99.5, 150.5, 199.5]), np.array([*range(100), *range(150, 200)]) + 0.5)
    array([  0. ,  98.5,  99.5, 100.5, 149.5])
    """
    result = times.astype(np.float64)
    gaps = long_gaps(units)
    usual = float(np.median(np.diff(np.unique(units)))) if gaps else 0.0
    for start, end in gaps:
        after = int(np.searchsorted(times, (start + end) / 2))
        if 0 < after < len(times):
            result[after:] -= max(float(times[after] - times[after - 1]) - usual, 0.0)
    return result
