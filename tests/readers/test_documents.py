import numpy as np
import pyarrow as pa
import pytest

from driftline.core.errors import AmbiguousInput, BadRecord
from driftline.readers import documents
from driftline.readers.documents import to_documents
from driftline.readers.records import Columns, Limits, Records, Unusable
from driftline.readers.timestamps import TimeReader
from driftline.streams.rejections import Rejections
from driftline.streams.schema import SCHEMA

COLUMNS = Columns("t", ("x",), "l", "i")


def records_of(times, texts=None, *, labels=None, ids=None, unusable=(), start=1, columns=COLUMNS):
    n = len(times)
    values = {"t": times, "x": texts or ["text"] * n, "l": labels or [None] * n, "i": ids or [None] * n}
    return Records("source", values, np.arange(start, start + n), columns, unusable)


def read(*sources, on_error="report", number_sources=False, **limits):
    rejections = Rejections(on_error)
    options = {"times": TimeReader(), "limits": Limits(**limits), "number_sources": number_sources}
    return list(to_documents(sources, rejections, **options)), rejections


def test_records_become_batches_of_the_schema():
    records = records_of(["2003", "2004"], ["a", "b"], labels=[["p", "q"], ""], ids=[None, 7])
    (batch,), rejections = read([records])
    assert batch.schema == SCHEMA
    assert batch["id"].to_pylist() == ["1", "7"]
    assert batch["label"].to_pylist() == ["p|q", None]
    assert batch["text"].to_pylist() == ["a", "b"]
    assert not rejections


def test_everything_is_a_document_or_a_rejection_with_its_place():
    times = ["2003", None, "soon", "2004", "2005", "2006"]
    texts = ["good", "a", "b", None, {"no": "text"}, "x" * 11]
    batches, rejections = read([records_of(times, texts, unusable=[Unusable(3, "broken")])], max_record_bytes=10)
    assert [text for batch in batches for text in batch["text"].to_pylist()] == ["good"]
    assert [(r.place, r.reason) for r in rejections.examples] == [
        ("line 2", "no time"),
        ("line 3", "unreadable time: 'soon'"),
        ("line 3", "broken"),
        ("line 4", "no text"),
        ("line 5", "not text: an object"),
        ("line 6", "too long: more than max_record_bytes=10"),
    ]


def test_an_empty_text_is_a_document():
    (batch,), rejections = read([records_of(["2003"], [""])])
    assert batch["text"].to_pylist() == [""]
    assert not rejections


def test_a_long_unreadable_time_is_cut():
    _, rejections = read([records_of(["x" * 1000])])
    assert len(rejections.examples[0].reason) < 100


@pytest.mark.parametrize("value", [pa.array([b"\xff"]).view(pa.string()), pa.array([2**60], pa.timestamp("s"))])
def test_a_time_that_python_cannot_show_is_shown_all_the_same(value):
    records = records_of(["x"])
    _, rejections = read([records._replace(values={**records.values, "t": value})])
    assert rejections.examples[0].reason.startswith("unreadable time: ")


def test_the_first_in_the_order_of_the_source_is_raised():
    records = records_of(["soon", "2003"], unusable=[Unusable(9, "broken"), Unusable(0, "earlier")])
    with pytest.raises(BadRecord, match="source, line 0: earlier"):
        read([records], on_error="raise")


def test_batches_are_no_larger_than_asked():
    batches, _ = read([records_of(["2003"] * 10)], batch_size=4)
    assert [len(batch) for batch in batches] == [4, 4, 2]


def test_ids_say_which_of_several_sources():
    batches, _ = read([records_of(["2003"])], [records_of(["2003"], ids=["own"])], number_sources=True)
    assert [batch["id"][0].as_py() for batch in batches] == ["source:1", "own"]


def test_without_label_and_id():
    (batch,), _ = read([records_of(["2003"], columns=Columns("t", ("x",)))])
    assert batch.to_pylist()[0]["label"] is None
    assert batch["id"].to_pylist() == ["1"]


def test_every_source_has_its_own_unit():
    batches, rejections = read([records_of([1049537472])], [records_of([1049537472123])])
    assert [batch["time"][0].as_py().microsecond for batch in batches] == [0, 123000]
    assert not rejections


def test_undecided_dates_wait_for_one_that_tells_even_in_the_next_source():
    first, second = records_of(["05/04/2003"]), records_of(["06/04/2003", "17/04/2003"], start=2)
    batches, _ = read([first], [second])
    assert [day.as_py().day for batch in batches for day in batch["time"]] == [5, 6, 17]


@pytest.mark.parametrize("between", [["2003-04-07"], []], ids=["dates of another form", "no record"])
def test_undecided_dates_wait_for_one_that_tells_beyond_records_that_do_not_need_it(between):
    batches, _ = read([records_of(["05/04/2003"]), records_of(between), records_of(["17/04/2003"])])
    days = [moment.day for batch in batches for moment in batch["time"].to_pylist()]
    assert days == [5, *([7] if between else []), 17]
    with pytest.raises(AmbiguousInput, match="'05/04/2003' may have the day or the month first"):
        read([records_of(["05/04/2003"]), records_of(between)])


def test_dates_that_never_tell_are_ambiguous():
    with pytest.raises(AmbiguousInput, match="dayfirst="):
        read([records_of(["05/04/2003"])], [records_of(["06/04/2003"])])


def test_waiting_is_bounded(monkeypatch):
    monkeypatch.setattr(documents, "MOST_HELD_RECORDS", 10)

    def endless():
        while True:
            yield records_of(["05/04/2003"] * 3)

    with pytest.raises(AmbiguousInput, match="dayfirst="):
        read(endless())
    monkeypatch.undo()
    monkeypatch.setattr(documents, "MOST_HELD_BYTES", 1000)
    big = Records(
        "s", {"t": pa.array(["05/04/2003"]), "x": pa.array(["x" * 2000])}, np.array([1]), Columns("t", ("x",))
    )
    with pytest.raises(AmbiguousInput, match="dayfirst="):
        read(iter([big, records_of(["17/04/2003"])]))


def test_records_without_columns_are_only_reports():
    nothing = Records("s", {}, np.empty(0, np.int64), None, [Unusable(1, "damaged", 10, "rows 1 to 10")])
    batches, rejections = read([nothing])
    assert batches == []
    assert rejections.count == 10
