"""What every result must do: become a data frame, describe itself in one line, and show itself in a notebook."""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import driftline
from driftline.core.results import Result
from tests.contracts.results import HOSTILE, NOT_RESULTS, RESULTS, WITHOUT_PICTURE, rows_of


@cache
def result(name: str) -> Result:
    return RESULTS[name]()


@pytest.fixture(params=RESULTS)
def name(request):
    return request.param


class Tags(HTMLParser):
    """Collects elements and attributes, and checks that elements are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_kind_becomes_every_kind_of_frame(name):
    frames = [result(name).to_frame(kind) for kind in ("pandas", "polars", "arrow")]
    assert [type(frame) for frame in frames] == [pd.DataFrame, pl.DataFrame, pa.Table]
    columns = list(frames[0].columns)
    assert columns == frames[1].columns == frames[2].column_names
    assert len({rows_of(frame) for frame in frames}) == 1
    assert columns
    assert rows_of(frames[0])
    assert type(result(name).to_frame()) is pd.DataFrame


def test_names_of_columns_are_identifiers_and_no_two_name_the_same(name):
    columns = result(name).to_frame("arrow").column_names
    assert all(column.isidentifier() and column == column.lower() for column in columns), columns
    assert not {column for column in columns if f"{column}s" in columns}
    assert "columns" not in columns  # the number of a word is its `column`


def test_the_repr_is_one_short_line_that_names_the_class(name):
    shown = repr(result(name))
    assert shown.startswith(f"<{type(result(name)).__name__}: ")
    assert shown.isprintable()
    assert len(shown) < 300


def test_a_notebook_shows_a_picture_without_script_or_network(name):
    page = result(name)._repr_html_()
    found = Tags(page)
    assert not found.tags & {
        "script",
        "img",
        "iframe",
        "link",
        "style",
        "object",
        "embed",
        "foreignobject",
        "image",
        "a",
    }
    assert not [attribute for attribute, _ in found.attributes if attribute.startswith("on")]
    assert {attribute for attribute, _ in found.attributes}.isdisjoint({"href", "src", "xlink:href"})
    assert HOSTILE not in page
    assert ("svg" in found.tags) == (name not in WITHOUT_PICTURE)
    assert {"svg", "table"} & found.tags
    assert len(page) < 200_000


def test_an_unknown_kind_is_refused(name):
    with pytest.raises(driftline.core.errors.InvalidInput, match="kind must be one of"):
        result(name).to_frame("excel")


def test_every_public_record_is_a_result_or_listed_as_none():
    def is_record(value: object) -> bool:
        return inspect.isclass(value) and (hasattr(value, "_fields") or dataclasses.is_dataclass(value))

    public = {name for name in driftline.__all__ if is_record(getattr(driftline, name))}
    assert public - set(RESULTS) == NOT_RESULTS
    for kind in public - NOT_RESULTS:
        assert isinstance(result(kind), Result), kind


@pytest.mark.parametrize("finding", ["stories", "bursts", "volume", "source", "title", "drift", "topics"])
def test_every_finding_becomes_a_frame(finding):
    assert isinstance(result("Findings").to_frame(finding=finding), pd.DataFrame)


def test_an_unknown_finding_is_refused():
    with pytest.raises(driftline.core.errors.InvalidInput, match="no finding 'wordz'"):
        result("Findings").to_frame(finding="wordz")


def test_frames_have_the_values_of_the_arrays():
    found = result("ChangedWords")
    frame = found.to_frame()
    assert frame["word"].tolist() == found.words.tolist()
    assert frame["column"].tolist() == found.columns.tolist()
    assert "word" not in found._replace(words=None).to_frame()
    assert (frame["q_value"].to_numpy() == found.q_value).all()
    curves = result("TopicsOverTime")
    second = curves.to_frame().query("topic == 1")
    assert (second["share"].to_numpy() == curves.share[1]).all()
    assert (second["time"].to_numpy() == curves.times).all()
