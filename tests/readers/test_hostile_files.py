"""Whatever bytes a file contains, reading it ends in documents, rejections or an error of ours, never in a crash."""

import contextlib
import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driftline import read
from driftline.core.errors import DriftlineError

LINES = b"".join(b'{"time": "2003-01-%02d", "text": "text %d", "label": "a"}\n' % (i, i) for i in range(1, 29))
TABLE = b"time,text\n" + b"".join(b'2003-01-%02d,"text, ""%d"""\r\n' % (i, i) for i in range(1, 29))
MAILS = b"".join(b"From a\nDate: %d Jan 2003 00:00:00 +0000\nSubject: s\n\ntext\n\n" % i for i in range(1, 29))


def parquet():
    sink = io.BytesIO()
    table = pa.table({"time": [f"2003-01-{i:02}" for i in range(1, 29)], "text": ["text"] * 28})
    pq.write_table(table, sink, row_group_size=7)
    return sink.getvalue()


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return sink.getvalue().to_pybytes()


FILES = {
    "a.jsonl": LINES,
    "a.json": b"[" + LINES.replace(b"}\n{", b"},\n{") + b"]",
    "a.csv": TABLE,
    "a.mbox": MAILS,
    "a.jsonl.gz": gzip.compress(LINES),
    "a.csv.zst": zstd(TABLE),
    "a.parquet": parquet(),
    "2003.txt": b"text",
    "a.unknown": TABLE,
}

changes = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["flip", "drop", "insert", "cut"]), st.binary(min_size=1, max_size=4)),
    max_size=4,
)


def changed(data, how):
    for place, kind, new in how:
        at = int(place * len(data))
        if kind == "flip":
            data = data[:at] + new + data[at + len(new) :]
        elif kind == "drop":
            data = data[:at] + data[at + len(new) :]
        elif kind == "insert":
            data = data[:at] + new + data[at:]
        else:
            data = data[:at]
    return data


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=changes)
def test_damaged_files(name, how, tmp_path):
    (tmp_path / name).write_bytes(changed(FILES[name], how))
    try:
        stream = read(tmp_path / name, max_record_bytes=2000, max_expansion=1000)
        documents = list(stream)
    except DriftlineError:
        return
    assert len(documents) == stream.n_read
    assert stream.n_present <= 200
    if not how and name != "2003.txt":
        assert stream.n_read == 28


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_random_files(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    with contextlib.suppress(DriftlineError):
        list(read(tmp_path / name))
