import datetime

import numpy as np
import pyarrow as pa
import pytest

from driftline.core.errors import BadRecord, InvalidInput, UnorderedTimes
from driftline.core.progress import SilentReporter, reporting
from driftline.streams.rejections import Rejection
from driftline.streams.schema import SCHEMA, Document
from driftline.streams.stream import Stream

UTC = datetime.UTC
DISORDERED = [("a", "2003-03-20", "one"), ("b", "2003-03-22", "two"), ("c", "2003-03-19", "three", "x")]


def test_iterates_as_documents_in_the_order_of_the_source():
    stream = Stream.from_documents(DISORDERED)
    documents = list(stream)
    assert documents[2] == Document("c", datetime.datetime(2003, 3, 19, tzinfo=UTC), "three", "x")
    assert [document.id for document in documents] == ["a", "b", "c"]
    assert [document.id for document in stream] == ["a", "b", "c"]


def test_batches_have_the_schema_and_are_never_empty():
    batches = list(Stream.from_documents(DISORDERED, batch_size=2).batches())
    assert [len(batch) for batch in batches] == [2, 1]
    assert all(batch.schema == SCHEMA for batch in batches)
    nothing = pa.RecordBatch.from_pylist([], schema=SCHEMA)
    assert list(Stream(lambda _: [nothing]).batches()) == []


def test_held_it_is_sorted_stably_and_kept():
    stream = Stream.from_documents([*DISORDERED, ("d", "2003-03-20", "four")])
    assert stream.table()["id"].to_pylist() == ["c", "a", "d", "b"]
    assert stream.table() is stream.table()
    assert Stream.from_documents([]).table().schema == SCHEMA


def test_reordered_while_streaming():
    stream = Stream.from_documents(DISORDERED, reorder_within="3d", batch_size=1)
    assert [document.id for document in stream] == ["c", "a", "b"]
    assert (stream.n_read, stream.rejections.count) == (3, 0)


@pytest.mark.parametrize("window", ["2d", datetime.timedelta(days=2), np.timedelta64(2, "D")])
def test_later_than_the_window_is_rejected(window):
    stream = Stream.from_documents(DISORDERED, reorder_within=window)
    assert [document.id for document in stream] == ["a", "b"]
    assert stream.rejections.reasons == {"older than reorder_within allows": 1}
    assert stream.rejections.examples[0].place == "document 3 (id c)"
    assert stream.n_present == stream.n_read + stream.rejections.count == 3


def test_nothing_is_late_when_held():
    assert len(Stream.from_documents(DISORDERED, reorder_within="1s").table()) == 3


def test_later_than_the_window_raises_when_asked():
    stream = Stream.from_documents(DISORDERED, reorder_within="2d", on_error="raise")
    with pytest.raises(UnorderedTimes, match="document 2 is 3 d older"):
        list(stream)


def test_a_window_must_be_a_duration():
    with pytest.raises(InvalidInput, match="such as '2h'"):
        Stream.from_documents([], reorder_within=3)
    with pytest.raises(InvalidInput, match="'soon' is not a duration"):
        Stream.from_documents([], reorder_within="soon")


def test_an_iterator_is_read_once_and_says_so():
    stream = Stream.from_documents(iter(DISORDERED), name="standard input")
    assert len(list(stream)) == 3
    with pytest.raises(InvalidInput, match=r"standard input can be read only once.*\.table\(\)"):
        list(stream)


def test_an_iterator_that_is_held_can_be_iterated_again():
    stream = Stream.from_documents(iter(DISORDERED))
    stream.table()
    assert [document.id for document in stream] == [document.id for document in stream] == ["c", "a", "b"]
    assert stream.n_read == 3


def test_every_pass_counts_afresh():
    def source(rejections):
        rejections.add(Rejection("s", "line 1", "no time"))
        yield from Stream.from_documents(DISORDERED).batches()

    stream = Stream(source)
    for _ in range(2):
        list(stream)
        assert (stream.n_read, stream.rejections.count, stream.n_present) == (3, 1, 4)


def test_from_table_rejects_rows_without_time_or_text():
    times = pa.array([0, None, 2, 3], pa.timestamp("s"))
    table = pa.table({"time": times, "text": ["a", "b", None, ""], "id": [1, 2, 3, 4]})
    stream = Stream.from_table(table, batch_size=2)
    assert [document.id for document in stream] == ["1", "4"]
    assert [(r.place, r.reason) for r in stream.rejections.examples] == [("row 2", "no time"), ("row 3", "no text")]
    with pytest.raises(BadRecord, match="table, row 2: no time"):
        list(Stream.from_table(table, on_error="raise"))


@pytest.mark.parametrize(
    "time",
    [
        datetime.datetime(2003, 3, 20, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        datetime.date(2003, 3, 20),
        np.datetime64("2003-03-20"),
        "2003-03-20T01:00+01:00",
    ],
)
def test_from_documents_takes_every_kind_of_time(time):
    (document,) = Stream.from_documents([(time, "text")])
    assert document == Document("1", datetime.datetime(2003, 3, 20, tzinfo=UTC), "text")


@pytest.mark.parametrize(
    "document",
    [
        ("2003", "year"),
        (None, "text"),
        (3.5, "text"),
        (np.datetime64("NaT", "us"), "text"),
        ("2003-03-20", None),
        ("2003-03-20", "\ud800"),
        ("only",),
        "text",
        5,
    ],
)
def test_from_documents_reports_what_it_cannot_use(document):
    stream = Stream.from_documents([document, ("2003-03-20", "good")])
    assert [d.text for d in stream] == ["good"]
    assert stream.rejections.reasons == {"unusable document": 1}


def test_shows_what_it_is():
    stream = Stream.from_documents(DISORDERED, name="wire", columns={"time": "date"}, reorder_within="2d")
    assert repr(stream) == "<Stream 'wire': not read yet; time from date>"
    iterator = iter(stream)
    next(iterator)
    assert "so far" in repr(stream)
    list(iterator)
    expected = "<Stream 'wire': 2 read, 1 rejected (1 older than reorder_within allows); 2003-03-20 to 2003-03-22>"
    assert repr(stream) == expected


def test_tells_how_far_it_is():
    reported = []

    class Listening(SilentReporter):
        def track(self, items, description, total):
            reported.append(description)
            yield from items

    with reporting(Listening()):
        Stream.from_documents(DISORDERED, name="wire").table()
    assert reported == ["reading wire"]


def test_documents_may_say_who_wrote_them_and_in_which_conversation():
    rows = [("a", "2003-03-20", "one", None, "ann", "t1"), ("b", "2003-03-21", "two", "x", "bob"), ("2003-03-22", "c")]
    table = Stream.from_documents(rows).table()
    assert table["author"].to_pylist() == ["ann", "bob", None]
    assert table["thread"].to_pylist() == ["t1", None, None]
    assert table["label"].to_pylist() == [None, "x", None]
