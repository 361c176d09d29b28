"""Bursts as a table."""

from __future__ import annotations

import numpy as np

from driftline.core.times import TimeAxis
from driftline.intensity.bursts.burst_table import burst_table


def test_dates_parents_and_extra_columns():
    table = burst_table(
        TimeAxis("datetime"),
        start=np.array([0.0, 1.0]),
        end=np.array([3.0, 2.0]),
        level=np.array([1, 2]),
        weight=np.array([4.0, 2.0]),
        parent=np.array([-1, 0]),
        before={"topic": np.array([5, 5])},
        after={"n_events": np.array([7, 3])},
    )
    assert table.column_names == ["topic", "start", "end", "level", "weight", "n_events", "parent"]
    assert table["parent"].to_pylist() == [None, 0]
    assert table["end"][1].as_py().isoformat() == "1970-01-03T00:00:00"


def test_no_burst_is_an_empty_table():
    none, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    table = burst_table(TimeAxis(), start=none, end=none, level=whole, weight=none, parent=whole)
    assert table.num_rows == 0
    assert table.column_names[-1] == "parent"
