"""Random reassignments of groups to documents that preserve the dependence within units."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Ints
from driftline.streams.units import Units


def shuffled(codes: Ints, units: Units, rng: np.random.Generator) -> Ints:
    """Return the groups shuffled at random; −1 stays in place.

    Units whose documents all have one group exchange their groups as a whole. Within a unit of several groups, the
    documents exchange theirs, so that what the unit's documents have in common does not look like a difference.

    >>> units = Units(np.array([0, 0, 1, 1, 2, 2]), np.arange(3.0), "day")
    >>> shuffled(np.array([0, 0, 1, 1, 0, 1]), units, np.random.default_rng(5))
    array([1, 1, 0, 0, 0, 1])
    """
    known = np.flatnonzero(codes >= 0)
    unit, group = units.index[known], codes[known]
    low, high = np.full(units.n, np.iinfo(np.int64).max), np.full(units.n, -1)
    np.minimum.at(low, unit, group)
    np.maximum.at(high, unit, group)
    pure = np.flatnonzero((low == high) & (high >= 0))
    exchanged = np.full(units.n, -1)
    exchanged[pure] = rng.permutation(low[pure])
    order = np.lexsort((rng.random(len(known)), unit))
    within = np.empty(len(known), dtype=np.int64)
    within[np.argsort(unit, kind="stable")] = group[order]
    found = codes.copy()
    found[known] = np.where(exchanged[unit] >= 0, exchanged[unit], within)
    return found
