import io

import pytest

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.formats import check_format, format_by_content, format_by_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.jsonl", "jsonl"),
        ("a.NDJSON", "jsonl"),
        ("a.json.gz", "jsonl"),
        ("a.csv.zst", "csv"),
        ("a.csv.bz2", "csv"),
        ("a.ndjson.XZ", "jsonl"),
        ("a.tsv", "tsv"),
        ("a.b.parquet", "parquet"),
        ("a.mbox", "mbox"),
        ("a.XLSX", "spreadsheet"),
        ("a.ods", "spreadsheet"),
        ("a.sqlite.gz", "sqlite"),
        ("a.atom", "feed"),
        ("a.eml", "eml"),
        ("a.arrow", "arrow"),
        ("a.txt", "text"),
        ("a.gz", None),
        ("a", None),
        (".csv", None),
        ("a.png", None),
    ],
)
def test_formats_by_name(name, expected):
    assert format_by_name(name) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": 1}\n', "jsonl"),
        (b' \n[{"a": 1}]', "jsonl"),
        (b'[\n  {"a": 1}]', "jsonl"),
        (b"time,text\n2003,a\n", "csv"),
        (b"time;text\n2003;a\n", "csv"),
        (b"time\ttext\n2003\ta\n", "csv"),
        (b"time,text", "csv"),
        (b"PAR1....", "parquet"),
        (b"From a@b\nDate: x\n", "mbox"),
        (b"ARROW1\0\0....", "arrow"),
        (b"SQLite format 3\0...", "sqlite"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<rss version='2.0'>", "feed"),
        (b"<feed xmlns='x'>", "feed"),
        (b"<rssfeed>", "text"),
        (b"<?xml version='1.0'?><?xml-stylesheet href='x'?><!DOCTYPE rss [<!ENTITY a 'b'>]><rss>", "feed"),
        (b"<!-- -->" * 5000 + b"<svg>", "text"),
        (b"Return-Path: <a@b>\nDate: x\n\ny", "eml"),
        (b"Once upon a time, there was\na line without\n", "text"),
        (b"[Chapter One]\n", "text"),
        (b"", "text"),
    ],
)
def test_formats_by_content(data, expected):
    stream = ByteStream(io.BytesIO(data), "x")
    assert format_by_content(stream) == expected
    assert stream.read(100_000) == data


def test_an_unknown_format_is_an_error():
    check_format(None)
    check_format("git")
    with pytest.raises(InvalidInput, match=r"format must be one of jsonl, csv, .*, not 'xml'"):
        check_format("xml")
