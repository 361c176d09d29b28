"""Bursts as an Arrow table: one row per burst, with times of the user's type."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Floats, Ints
from driftline.core.times import TimeAxis


def burst_table(
    axis: TimeAxis,
    *,
    start: Floats,
    end: Floats,
    level: Ints,
    weight: Floats,
    parent: Ints,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> pa.Table:
    """Return the columns of `before`, start, end, level, weight, those of `after`, and parent (a row, or null).

    >>> one = np.array([1])
    >>> burst_table(TimeAxis(), start=1.0 * one, end=2.0 * one, level=one, weight=0.5 * one, parent=-one).to_pylist()
    [{'start': 1.0, 'end': 2.0, 'level': 1, 'weight': 0.5, 'parent': None}]
    """
    columns = {
        **(before or {}),
        "start": axis.restore(start),
        "end": axis.restore(end),
        "level": np.asarray(level, dtype=np.int64),
        "weight": np.asarray(weight, dtype=np.float64),
        **(after or {}),
        "parent": pa.array(np.asarray(parent, dtype=np.int64), mask=np.asarray(parent) < 0),
    }
    return pa.table(columns)
