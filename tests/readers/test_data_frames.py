import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.data_frames import is_frame

UTC = datetime.UTC
COLUMNS = {
    "date": [datetime.datetime(2003, 3, 20), datetime.datetime(2003, 3, 19)],
    "body": ["war", "peace"],
    "n": [1, 2],
}


@pytest.mark.parametrize(
    "frame",
    [
        pa.table(COLUMNS),
        pa.RecordBatch.from_pydict(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[7, 7]),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS).lazy(),
        [{"date": "2003-03-20", "body": "war"}, {"body": "peace", "date": datetime.date(2003, 3, 19), "n": 2}],
    ],
    ids=["table", "batch", "pandas", "pandas index", "polars", "polars lazy", "list"],
)
def test_every_frame_is_read_again_and_again(frame):
    stream = read(frame, id="n")
    for _ in range(2):
        assert [(document.time, document.text) for document in stream] == [
            (datetime.datetime(2003, 3, 20, tzinfo=UTC), "war"),
            (datetime.datetime(2003, 3, 19, tzinfo=UTC), "peace"),
        ]
    assert stream.table()["id"].to_pylist()[0] == "2"


def test_a_reader_of_batches_is_read_once_and_not_before_it_must():
    def batches():
        yield pa.RecordBatch.from_pydict({"year": [2003], "text": ["a"]})
        yield pa.RecordBatch.from_pydict({"year": [2004, None], "text": ["b", "c"]})

    reader = pa.RecordBatchReader.from_batches(pa.schema({"year": pa.int64(), "text": pa.string()}), batches())
    stream = read(reader)
    assert [document.id for document in stream] == ["1", "2"]
    assert stream.rejections.examples[0].place == "row 3"
    with pytest.raises(InvalidInput, match="only once"):
        stream.batches()


def test_zones_and_categories_of_pandas():
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime(["2003-07-01 12:00"]).tz_localize("Europe/Berlin"),
            "text": ["a"],
            "label": pd.Categorical(["x"]),
        }
    )
    (document,) = read(frame)
    assert document.time == datetime.datetime(2003, 7, 1, 10, tzinfo=UTC)
    assert document.label == "x"


def test_mixed_columns_of_pandas_are_read_value_by_value():
    frame = pd.DataFrame(
        {"time": ["2003-01-01", 2004, None, pd.Timestamp("2005-01-01"), pd.NaT], "text": ["a", 2, "c", None, "e"]}
    )
    stream = read(frame)
    assert [(document.time.year, document.text) for document in stream] == [(2003, "a"), (2004, "2")]
    assert stream.rejections.reasons == {"no time": 2, "no text": 1}


def test_integers_as_names_of_columns():
    frame = pd.DataFrame({0: ["2003-01-01"], 1: ["a"]})
    assert [document.text for document in read(frame, time="0", text="1")] == ["a"]


def test_columns_of_the_same_name_are_ambiguous():
    frame = pa.table([pa.array([2003]), pa.array(["a"]), pa.array(["b"])], names=["year", "text", "text"])
    with pytest.raises(AmbiguousInput, match="several columns called 'text'"):
        read(frame)


def test_records_that_lack_keys():
    stream = read([{"time": "2003", "text": "a", "label": "x"}, {"time": "2004", "text": "b"}, {}])
    assert [document.label for document in stream] == ["x", None]
    assert stream.rejections.reasons == {"no time": 1}


def test_long_tables_come_in_batches():
    table = pa.table({"year": [2003] * 10, "text": ["a"] * 10})
    assert [len(batch) for batch in read(table, batch_size=4).batches()] == [4, 4, 2]


def test_what_is_a_frame():
    assert is_frame(pd.DataFrame())
    assert not is_frame([])
    assert not is_frame(["a.csv"])
    assert not is_frame(5)


def test_an_empty_frame_has_no_documents():
    assert len(read(pd.DataFrame({"time": [], "text": []})).table()) == 0
