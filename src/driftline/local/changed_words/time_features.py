"""Features onto which a word's residuals are projected: cosines of the position in time, or calendar periods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints

MOST_COSINES = 127
_CELLS = 4096


class TimeFeatures(NamedTuple):
    """Features of units: unit i has the row `table[cells[i]]`; `groups` are the columns whose energies are summed."""

    table: Floats
    cells: Ints
    groups: list[slice]

    @classmethod
    def cosines(cls, position: Floats, most: int | None = None) -> TimeFeatures:
        """Return √2 cos(π k u) at positions u in (0, 1), k in dyadic groups {1}, {2, 3}, {4…7}, …

        Only `most` may truncate the last group.
        """
        centre, cells = _cells(position)
        groups = _dyadic_groups(len(np.unique(position)), most)
        waves = np.sqrt(2.0) * np.cos(np.pi * np.outer(centre, np.arange(1, groups[-1].stop + 1)))
        return cls(waves, cells, groups)

    @classmethod
    def periods(cls, period: Ints) -> TimeFeatures:
        """Return for units in periods numbered from 0 one feature per period: whether a unit lies in it."""
        n_periods = int(period.max(initial=-1)) + 1
        return cls(np.eye(n_periods), period, [slice(i, i + 1) for i in range(n_periods)])


def _cells(position: Floats) -> tuple[Floats, Ints]:
    """Return the distinct positions, and the index of that of each unit; very many are rounded to a grid."""
    distinct, cells = np.unique(position, return_inverse=True)
    if len(distinct) <= _CELLS:
        return distinct, cells
    return (np.arange(_CELLS) + 0.5) / _CELLS, np.minimum((position * _CELLS).astype(np.int64), _CELLS - 1)


def _dyadic_groups(n_places: int, given: int | None) -> list[slice]:
    most = max(1, min(MOST_COSINES, n_places - 1))
    n_cosines = max(given, 1) if given is not None and given < most else 2 ** int(np.log2(most + 1)) - 1
    ends = [min(2**power - 1, n_cosines) for power in range(1, int(np.log2(n_cosines)) + 2)]
    return [slice(start, end) for start, end in zip([0, *ends], ends)]
