import bz2
import csv
import datetime
import gzip
import io
import json
import lzma

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import driftline
from driftline import read
from driftline.core.errors import AmbiguousInput, BadRecord, InvalidInput
from driftline.readers import compression
from driftline.readers.read import read_own_ids


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return sink.getvalue().to_pybytes()


JSON_LINES = b'{"date": "2003-03-20", "body": "war", "topic": "w"}\n{"date": "2003-03-19", "body": "peace"}\n'
FORMATS = {
    "a.jsonl": JSON_LINES,
    "a.jsonl.gz": gzip.compress(JSON_LINES),
    "a.ndjson.zst": zstd(JSON_LINES),
    "a.jsonl.bz2": bz2.compress(JSON_LINES),
    "a.jsonl.xz": lzma.compress(JSON_LINES),
    "packed-without-a-telling-name": gzip.compress(JSON_LINES),
    "a.json": b'[{"date": "2003-03-20", "body": "war", "topic": "w"}, {"date": "2003-03-19", "body": "peace"}]',
    "a.csv": b"\xef\xbb\xbfdate,body,topic\r\n2003-03-20,war,w\r\n2003-03-19,peace,\r\n",
    "a.csv.gz": gzip.compress(b"date;body;topic\n2003-03-20;war;w\n2003-03-19;peace;\n"),
    "a.tsv": b"date\tbody\ttopic\n2003-03-20\twar\tw\n2003-03-19\tpeace\t\n",
    "utf-16.csv": "date,body,topic\n2003-03-20,war,w\n2003-03-19,peace,\n".encode("utf-16"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_documents_from_every_format(name, tmp_path):
    (tmp_path / name).write_bytes(FORMATS[name])
    stream = read(tmp_path / name)
    assert stream.columns == {"time": "date", "text": "body", "label": "topic"}
    assert stream.name == name
    assert [(document.time.day, document.text, document.label) for document in stream] == [
        (20, "war", "w"),
        (19, "peace", None),
    ]
    assert stream.table()["text"].to_pylist() == ["peace", "war"]
    assert not stream.rejections


def test_it_is_the_librarys_read():
    assert driftline.read is read


DIRTY = st.sampled_from(
    [
        '{"time": "2003-01-02", "text": "good"}',
        '{"time": 1041465600, "text": "number"}',
        '{"time": "2003-01-03", "text": ""}',
        '{"time": "", "text": "no time"}',
        '{"text": "no time at all"}',
        '{"time": "soon", "text": "x"}',
        '{"time": "2003-01-03"}',
        '{"time": "2003-01-03", "text": {"a": 1}}',
        '{"time": "2003-01-03", "text": "half \\ud800"}',
        '{"time": "2003-01-03", "text": "' + "long" * 100 + '"}',
        "oops",
        "[]",
        "",
        "   ",
    ]
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(DIRTY.map(str.encode) | st.just(b"\xff\xfe") | st.just(b'{"time": "\0"}')),
    packed=st.booleans(),
    batch_size=st.integers(1, 9),
)
def test_of_dirty_json_lines_nothing_is_lost(lines, packed, batch_size, tmp_path):
    data = b"\n".join([b'{"time": "2003-01-01", "text": "first"}', *lines])
    path = tmp_path / ("a.jsonl.gz" if packed else "a.jsonl")
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    stream = read(path, max_record_bytes=300, batch_size=batch_size)
    present = sum(bool(line.strip()) for line in data.split(b"\n"))
    for _ in range(2):
        documents = list(stream)
        assert len(documents) == stream.n_read
        assert stream.n_read + stream.rejections.count == stream.n_present == present
    assert len(stream.table()) == len(documents)
    good = {"good", "number", "", "first"}
    assert {document.text for document in documents} <= good


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.sampled_from(
            [
                b"2003-01-02,good",
                b'2003-01-02,"quoted, with ""quotes"" and\nlines"',
                b",no time",
                b"soon,unreadable",
                b"2003-01-02,",
                b"2003-01-02",
                b"2003-01-02,too,many",
                b"2003-01-02,\xff",
                b"2003-01-02,\0",
                b"2003-01-02," + b"long" * 100,
                b"",
            ]
        )
    ),
    line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_of_dirty_delimited_text_nothing_is_lost(rows, line_end, tmp_path):
    (tmp_path / "a.csv").write_bytes(line_end.join([b"time,text", *rows]))
    stream = read(tmp_path / "a.csv", max_record_bytes=300)
    n_good = sum(row.startswith((b"2003-01-02,good", b'2003-01-02,"')) or row == b"2003-01-02," for row in rows)
    assert len(list(stream)) == n_good
    assert stream.n_read + stream.rejections.count == sum(bool(row) for row in rows)


def test_a_bad_record_is_reported_with_its_place_or_raised(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(JSON_LINES + b'{"date": "soon", "body": "x"}\noops\n')
    stream = read(tmp_path / "a.jsonl")
    assert len(list(stream)) == 2
    assert [str(rejection) for rejection in stream.rejections.examples] == [
        "a.jsonl, line 3: unreadable time: 'soon'",
        "a.jsonl, line 4: broken JSON: Expecting value at column 1",
    ]
    with pytest.raises(BadRecord, match=r"a\.jsonl, line 3: unreadable time: 'soon'"):
        list(read(tmp_path / "a.jsonl", on_error="raise"))
    with pytest.raises(InvalidInput, match="on_error must be"):
        read(tmp_path / "a.jsonl", on_error="ignore")


def test_a_truncated_file_keeps_what_it_had_and_says_so(tmp_path):
    lines = b"".join(b'{"time": "2003-01-01", "text": "document %d"}\n' % i for i in range(50_000))
    packed = gzip.compress(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    stream = read(tmp_path / "a.jsonl.gz")
    texts = [document.text for document in stream]
    assert texts == [f"document {i}" for i in range(len(texts))]
    assert len(texts) > 10_000
    (rejection,) = stream.rejections.examples
    assert str(rejection) == f"a.jsonl.gz, line {len(texts) + 1}: truncated: the compressed data end early"


def test_a_decompression_bomb_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "EXPANSION_FLOOR", 2**20)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(JSON_LINES + b'{"date": "' + b"0" * 2**24))
    stream = read(tmp_path / "a.jsonl.gz", max_record_bytes=2**26)
    assert len(list(stream)) == 2
    assert stream.rejections.reasons == {"decompression bomb": 1}


def test_several_files_are_one_stream_and_a_broken_one_a_rejection(tmp_path):
    for year in (2004, 2003):
        (tmp_path / f"{year}.csv").write_text(f"time,text\n{year}-01-01,a\n{year}-01-02,b\nbroken\n")
    (tmp_path / "2005.parquet").write_bytes(b"PAR1 not really")
    stream = read(tmp_path)
    assert [document.id for document in stream] == ["2003.csv:2", "2003.csv:3", "2004.csv:2", "2004.csv:3"]
    assert stream.rejections.reasons == {"wrong number of fields": 2, "unreadable file": 1}
    assert stream.name == tmp_path.name
    files = [tmp_path / "2003.csv", str(tmp_path / "2004.csv")]
    assert read(files).name == tmp_path.name


def test_a_folder_gives_its_own_name_even_to_a_single_file(tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "data-00000-of-00001.csv").write_text("time,text\n2003-01-01,a\n")
    assert read(tmp_path).name == tmp_path.name
    assert read(tmp_path / "train" / "data-00000-of-00001.csv").name == "data-00000-of-00001.csv"


def test_wrong_columns_are_an_error_at_once(tmp_path):
    (tmp_path / "a.csv").write_text("what,which\n2003,a\n")
    with pytest.raises(InvalidInput, match=r"no column of a\.csv looks like a time .*what, which"):
        read(tmp_path / "a.csv")
    with pytest.raises(InvalidInput, match=r"a\.csv has no column 'whan'"):
        read(tmp_path / "a.csv", time="whan", text="what")
    assert len(read(tmp_path / "a.csv", time="what", text="which").table()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format must be one of"),
        ({"time_unit": "weeks"}, "time_unit must be one of"),
        ({"timezone": "Mars"}, "timezone 'Mars' is unknown"),
        ({"encoding": "klingon"}, "encoding 'klingon' is not a known text encoding"),
        ({"max_record_bytes": 0}, "max_record_bytes must be a whole number of at least 1"),
        ({"batch_size": 2.5}, "batch_size must be a whole number of at least 1"),
        ({"max_expansion": 0}, "max_expansion must be greater than 0"),
        ({"file_time": "birth"}, "file_time must be one of"),
        ({"reorder_within": "soon"}, "'soon' is not a duration"),
        ({"label": 5}, "label must be the name of a column"),
    ],
)
def test_wrong_options_are_errors_at_once(options, message):
    with pytest.raises(InvalidInput, match=message):
        read([{"time": "2003", "text": "a"}], **options)


def test_times_of_all_kinds(tmp_path):
    (tmp_path / "a.csv").write_text("date,text\n05/04/2003,a\n06/04/2003,b\n")
    with pytest.raises(AmbiguousInput, match="dayfirst=True for day/month/year"):
        read(tmp_path / "a.csv").table()
    assert [document.time.month for document in read(tmp_path / "a.csv", dayfirst=True)] == [4, 4]
    numbers = [{"time": 17, "text": "a"}]
    with pytest.raises(AmbiguousInput, match="time_unit="):
        read(numbers).table()
    assert [document.time.day for document in read(numbers, time_unit="d")] == [18]
    local = [{"time": "2003-07-01 00:00", "text": "a"}]
    assert [document.time.day for document in read(local, timezone="Europe/Berlin")] == [30]


def test_late_documents_are_put_in_order_while_streaming(tmp_path):
    (tmp_path / "a.csv").write_text("time,text\n2003-01-03,a\n2003-01-02,b\n2003-01-05,c\n2003-01-01,d\n")
    stream = read(tmp_path / "a.csv", reorder_within="2d")
    assert [document.text for document in stream] == ["b", "a", "c"]
    assert stream.rejections.reasons == {"older than reorder_within allows": 1}
    assert stream.n_present == 4
    assert read(tmp_path / "a.csv", reorder_within=datetime.timedelta(days=9)).table()["text"].to_pylist() == list(
        "dbac"
    )


def test_an_empty_file_has_no_documents(tmp_path):
    for name in ("a.jsonl", "a.csv", "a.mbox"):
        (tmp_path / name).write_bytes(b"")
        stream = read(tmp_path / name)
        assert len(stream.table()) == stream.n_present == 0


def test_a_long_file_is_never_held(tmp_path):
    rows = 60_000
    with (tmp_path / "a.csv").open("w") as file:
        file.write("time,text\n")
        file.writelines(f"2003-01-01,{'word ' * 30}{i}\n" for i in range(rows))
    stream = read(tmp_path / "a.csv")
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in stream.batches())
    assert stream.n_read == rows
    assert most < (tmp_path / "a.csv").stat().st_size


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_csv_in_other_encodings(tmp_path, encoding):
    written = io.StringIO()
    csv.writer(written).writerows([["time", "text"], ["2003", "café, naïve"]])
    (tmp_path / "a.csv").write_bytes(written.getvalue().encode(encoding))
    assert [document.text for document in read(tmp_path / "a.csv", encoding=encoding)] == ["café, naïve"]


def test_texts_of_several_columns(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"time": 2003, "subject": "s", "body": "b", "note": None}))
    for text in (["subject", "body"], "subject,body", "subject+note+body"):
        assert [document.text for document in read(tmp_path / "a.jsonl", text=text)] == ["s\nb"]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "documents", "rejected", "options", "columns"),
    [
        (
            "20news_bydate",
            18_846,
            0,
            {"text": "subject,text"},
            {
                "time": "time",
                "text": "subject+text",
                "label": "label",
                "author": "sender",
                "thread": "references",
            },
        ),
        ("abc_headlines_2003", 21_294, 0, {}, {"time": "time", "text": "text"}),
        ("enron_partial_folders", 3_936, 0, {}, {"time": "time", "text": "text", "label": "label", "author": "sender"}),
        ("gitlog_2003_2008", 67_458, 0, {}, {"time": "time", "text": "text", "label": "label", "author": "author"}),
        ("health_tweets", 63_326, 0, {}, {"time": "time", "text": "text", "label": "label"}),
        ("ir_docs", 3_204, 2_860, {}, {"time": "year", "text": "text", "author": "author"}),
        (
            "maillists_2019_2026",
            40_000,
            0,
            {},
            {"time": "time", "text": "text", "label": "label", "thread": "in_reply_to"},
        ),
        ("reuters21578", 21_578, 0, {}, {"time": "time", "text": "text", "label": "topics"}),
        ("sotu_1790_2024", 245, 0, {}, {"time": "time", "text": "text", "label": "label"}),
        ("spamassassin", 6_046, 0, {}, {"time": "time", "text": "text", "label": "label", "author": "sender"}),
        ("ud_english_ewt", 4_421, 12_201, {"text": "tokens"}, {"time": "time", "text": "tokens", "label": "label"}),
    ],
)
def test_real_files(real_data, name, documents, rejected, options, columns):
    stream = read(real_data(name), **options)
    assert {key: value for key, value in stream.columns.items() if key != "id"} == columns
    assert stream.table().num_rows == stream.n_read == documents
    assert stream.rejections.count == rejected


def test_an_empty_id_is_none():
    rows = [{"time": "2025-01-01", "text": text, "id": own} for text, own in [("a", "x"), ("b", ""), ("c", None)]]
    assert read(rows).table()["id"].to_pylist() == ["x", "2", "3"]
    assert read_own_ids(rows).table()["id"].to_pylist() == ["x", None, None]
    assert read_own_ids([{"time": "2025-01-01", "text": "a"}]).table()["id"].to_pylist() == [None]
