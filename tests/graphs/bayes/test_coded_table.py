from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.bayes import coded_table
from driftline.graphs.bayes.coded_table import codes_of, columns_of, states_of


@pytest.mark.parametrize("make", [dict, pa.table, pd.DataFrame, pl.DataFrame])
def test_tables_of_every_kind_are_read(make):
    found = columns_of(make({"a": ["x", None, "y"], "b": [1, 2, 3]}), ["b", "a"])
    assert found == {"b": [1, 2, 3], "a": ["x", None, "y"]}


def test_nan_is_missing_and_arrays_are_columns():
    assert columns_of({"a": np.array([1.0, np.nan])}, ["a"]) == {"a": [1.0, None]}


@pytest.mark.parametrize(
    "table", [{"b": [1]}, {"a": [1], "b": [1, 2]}, {"a": [[1]], "b": [1]}, 7, {"a": [object()], "b": [1]}]
)
def test_unusable_tables_are_refused(table):
    with pytest.raises(InvalidInput):
        columns_of(table, ["a", "b"])


def test_states_are_sorted_and_codes_follow_them(monkeypatch):
    column = ["b", 2, None, "a", 10]
    states = states_of(column, "v")
    assert states == [2, 10, "a", "b"]
    assert codes_of(column, states, "v").tolist() == [3, 0, -1, 2, 1]
    with pytest.raises(InvalidInput, match=r"no state 'z' \(row 1\)"):
        codes_of(["a", "z"], states, "v")
    with pytest.raises(InvalidInput, match="missing"):
        states_of([None], "v")
    monkeypatch.setattr(coded_table, "MOST_STATES", 2)
    with pytest.raises(InvalidInput, match="group them"):
        states_of(column, "v")
