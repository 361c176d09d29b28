from __future__ import annotations

import builtins
import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.core.results import Result, Results, columns_of, frame_of, long_columns


class Use(NamedTuple):
    word: object
    n: float | None
    times: np.ndarray | None = None


@dataclass(frozen=True, repr=False)
class Score(Result):
    name: str
    value: float
    curve: np.ndarray
    options: dict[str, int]


def test_a_record_is_one_row_of_what_fits_in_a_cell():
    score = Score("<b>", 0.25, np.arange(3), {"k": 2})
    assert score.to_frame("arrow").to_pydict() == {"name": ["<b>"], "value": [0.25], "options": ["{'k': 2}"]}
    assert repr(score) == "<Score: name = <b>, value = 0.25, options = {'k': 2}>"
    assert "<b>Score</b>" in score._repr_html_()
    assert "<td>&lt;b&gt;</td>" in score._repr_html_()


@pytest.mark.parametrize(("kind", "library"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("arrow", pa.Table)])
def test_frames_are_of_the_requested_kind(kind, library):
    times = np.array(["2003-03-20", "2003-04-09"], dtype="datetime64[us]")
    frame = frame_of({"word": ["war", None], "time": times, "share": np.array([0.5, np.nan])}, kind)
    assert isinstance(frame, library)
    assert str(frame["word"][0]) == "war"
    assert (frame["time"].to_numpy() == times).all()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_missing_library_is_an_error_that_names_the_extra(kind, monkeypatch):
    given = builtins.__import__

    def without(name, *arguments, **options):
        if name == kind:
            raise ImportError(name)
        return given(name, *arguments, **options)

    monkeypatch.setattr("driftline.core.results.importlib.import_module", lambda name: without(name))
    with pytest.raises(MissingDependency, match=rf"{kind}; install it with: pip install 'driftline\[frames\]'"):
        frame_of({"word": ["war"]}, kind)


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidInput, match="'pandas', 'polars', 'arrow', not 'excel'"):
        frame_of({}, "excel")


def test_values_of_several_kinds_become_strings():
    assert frame_of({"label": np.array([1, "a", None], dtype=object)}, "arrow")["label"].to_pylist() == ["1", "a", None]
    assert frame_of({"word": ["ok", "lone \ud800"]}, "arrow")["word"].to_pylist() == ["ok", "lone ?"]
    assert frame_of({"n": [np.int64(3), np.int64(4)]}, "arrow").schema.field("n").type == pa.int64()


def test_what_does_not_fit_in_a_cell_is_left_out():
    records = [Use("war", 1.0), Use("tax", 2.0, np.arange(3.0))]
    assert columns_of(records, Use) == {"word": ["war", "tax"], "n": [1.0, 2.0]}


def test_matrices_become_a_row_per_series_and_time():
    share = np.arange(6.0).reshape(2, 3)
    table = long_columns({"topic": range(2)}, np.array([10, 20, 30]), share=share, size=np.array([7, 8, 9]))
    assert table["topic"].tolist() == [0, 0, 0, 1, 1, 1]
    assert table["time"].tolist() == [10, 20, 30] * 2
    assert table["share"].tolist() == [0, 1, 2, 3, 4, 5]
    assert table["size"].tolist() == [7, 8, 9] * 2


def test_results_are_a_list_and_a_frame():
    found = Results(Use, [Use("war", 2.0), Use("tax", None)], name="word", quantity="n")
    assert found == [Use("war", 2.0), Use("tax", None)]
    rows = {"word": ["war", "tax"], "n": [2.0, None], "times": [None, None]}
    assert found.to_frame("polars").to_dict(as_series=False) == rows
    assert repr(found) == "<Results: 2 records: Use>"
    assert "<svg" in found._repr_html_()
    for again in (copy.copy(found), copy.deepcopy(found)):
        assert again == found
        assert again._repr_html_() == found._repr_html_()


def test_empty_results_keep_their_columns():
    found = Results(Use, name="word", quantity="n")
    assert found.to_frame("pandas").columns.tolist() == ["word", "n", "times"]
    assert repr(found) == "<Results: 0 records: Use>"
    assert "<svg" in found._repr_html_()


def test_a_long_table_is_cut_and_says_so():
    class Many(Result):
        def _columns(self):
            return {"n": np.arange(13)}

        def _summary(self):
            return "13 rows\x1b[31m"

    assert "… and 3 more rows" in Many()._repr_html_()
    assert Many()._repr_html_().count("<tr>") == 11
    assert repr(Many()) == r"<Many: 13 rows\x1b[31m>"


def test_a_record_within_a_record_has_columns_for_its_fields():
    @dataclass(frozen=True)
    class Inner:
        word: str
        curve: np.ndarray

    @dataclass(frozen=True)
    class Outer:
        change: Inner | None
        n: int

    records = [Outer(Inner("war", np.arange(3)), 1), Outer(None, 2)]
    assert columns_of(records, Outer) == {"change_word": ["war", None], "n": [1, 2]}
