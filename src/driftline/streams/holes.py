"""Gaps: long intervals without documents in a stream that otherwise has them regularly."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats

HOLE_SHARE = 1 / 20
"""Minimum length of a gap, as a share of the span."""
_TIMES_USUAL = 20.0


def holes(times: Floats) -> list[tuple[float, float]]:
    """Return (last time before, first time after) of every gap in the sorted times of units.

    A gap is longer than a twentieth of the span and than twenty usual distances between units: thirty documents in a
    year leave intervals of a twentieth by chance.

    >>> holes(np.array([*range(100), *range(150, 200)], dtype=float))
    [(99.0, 150.0)]
    """
    distinct = np.unique(times)
    if len(distinct) < 3:
        return []
    gaps = np.diff(distinct)
    long = gaps > max(HOLE_SHARE * (distinct[-1] - distinct[0]), _TIMES_USUAL * float(np.median(gaps)))
    return [(float(distinct[i]), float(distinct[i + 1])) for i in np.flatnonzero(long)]
