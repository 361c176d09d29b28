import datetime

import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.schema import OPTIONAL, SCHEMA, Document, conform, empty_table


def test_the_schema_is_the_contract_of_all_streams():
    expected = {
        "id": pa.string(),
        "time": pa.timestamp("us", tz="UTC"),
        "text": pa.large_string(),
        "label": pa.string(),
        "author": pa.string(),
        "thread": pa.string(),
        "origin": pa.string(),
    }
    assert {field.name: field.type for field in SCHEMA} == expected
    assert Document._fields == tuple(expected)
    assert empty_table().schema == SCHEMA


def test_conform_casts_units_zones_and_missing_columns():
    berlin = pa.array([0, None], pa.timestamp("ms", tz="Europe/Berlin"))
    table = conform(pa.table({"text": ["a", None], "time": berlin, "extra": [1, 2]}))
    assert table.schema == SCHEMA
    assert table["id"].to_pylist() == ["1", "2"]
    assert table["time"].to_pylist() == [datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), None]
    assert table["text"].to_pylist() == ["a", None]
    assert all(table[name].to_pylist() == [None, None] for name in OPTIONAL)


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")])
def test_conform_takes_every_kind_of_date(kind):
    times = pa.array([datetime.datetime(1790, 1, 8)], pa.timestamp("s")).cast(kind)
    table = conform(pa.table({"time": times, "text": ["fellow citizens"]}))
    assert table["time"][0].as_py() == datetime.datetime(1790, 1, 8, tzinfo=datetime.UTC)


def test_conform_drops_nanoseconds_but_keeps_microseconds():
    table = conform(pa.table({"time": pa.array([1_001_999], pa.timestamp("ns")), "text": ["a"]}))
    assert table["time"].cast(pa.int64()).to_pylist() == [1001]


def test_conform_keeps_ids_and_numbers_the_rest():
    table = conform(pa.table({"time": pa.array([0, 0], pa.timestamp("us")), "text": ["a", "b"], "id": [7, None]}))
    assert table["id"].to_pylist() == ["7", "2"]


def test_conform_says_what_is_missing_or_wrong():
    with pytest.raises(InvalidInput, match=r"no column time .*its columns: text.*time="):
        conform(pa.table({"text": ["a"]}))
    with pytest.raises(InvalidInput, match="'time' contains string"):
        conform(pa.table({"time": ["2003"], "text": ["a"]}))
    with pytest.raises(InvalidInput, match="'text' contains list"):
        conform(pa.table({"time": pa.array([0], pa.timestamp("us")), "text": [["a"]]}))
    with pytest.raises(InvalidInput, match="out of range"):
        conform(pa.table({"time": pa.array([2**62], pa.timestamp("s")), "text": ["a"]}))
