import gzip
import io
import sys

import pytest

from driftline import read
from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.standard_input import standard_input_format


@pytest.fixture
def pipe(monkeypatch):
    def give(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize(
    "data",
    [
        b'{"time": "2003", "text": "a"}\n{"time": "2004", "text": "b"}\n',
        b'[{"time": "2003", "text": "a"}, {"time": "2004", "text": "b"}]',
        b"time,text\n2003,a\n2004,b\n",
        b"time\ttext\n2003\ta\n2004\tb\n",
        b"From x\nDate: 1 Jan 2003 00:00:00 +0000\n\na\n\nFrom y\nDate: 1 Jan 2004 00:00:00 +0000\n\nb\n",
        gzip.compress(b"time,text\n2003,a\n2004,b\n"),
    ],
    ids=["jsonl", "array", "csv", "tsv", "mbox", "gzip"],
)
def test_the_format_is_found(pipe, data):
    pipe(data)
    assert [(document.time.year, document.text) for document in read("-")] == [(2003, "a"), (2004, "b")]


def test_it_can_be_read_only_once_but_held(pipe):
    pipe(b"time,text\n2004,a\n2003,b\n")
    stream = read("-")
    assert repr(stream) == "<Stream 'standard input': not read yet>"
    assert stream.table()["text"].to_pylist() == ["b", "a"]
    assert [document.text for document in stream] == ["b", "a"]
    pipe(b"time,text\n2004,a\n")
    stream = read("-")
    list(stream)
    with pytest.raises(InvalidInput, match="standard input can be read only once"):
        list(stream)


def test_nothing_arrives(pipe):
    pipe(b"")
    assert len(read("-").table()) == 0


def test_the_format_can_be_named(pipe):
    pipe(b"time|text\n2003|a\n")
    assert len(read("-", format="csv").table()) == 1
    pipe(b"{}")
    with pytest.raises(InvalidInput, match=r"looks like parquet, which cannot be read from there; pipe one of jsonl"):
        read("-", format="parquet").table()


def test_what_shows_no_format_is_an_error():
    with pytest.raises(InvalidInput, match="looks like text, which cannot be read from there"):
        standard_input_format(ByteStream(io.BytesIO(b"Once upon a time"), "x"), None)
