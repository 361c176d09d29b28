"""Targets that read: every format, from records that are nearly right to bytes that are not; all are counted."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

import driftline
from driftline.core.errors import DriftlineError
from tests.fuzz.counting import count_lines, count_mails, count_rows
from tests.fuzz.mutations import mutate, mutations
from tests.fuzz.targets import Target

MARKS = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\0\0\xfe\xff",
    b"\x1f\x8b",
    b"\x28\xb5",
    b"BZh",
    b"PK",
    b"\xfd7z",
    b"7z",
)
"""Bytes at the start that make a source something else than it was."""

PACKERS = {"gz": lambda data: gzip.compress(data, mtime=0), "bz2": bz2.compress, "xz": lzma.compress}

moments = st.sampled_from(
    ["2003-03-20", "2003-03-20T03:34:00Z", "20 Mar 2003 03:34 +0100", "1048131240", "2003", "03/20/2003", "0001-01-01"]
) | st.sampled_from(["", "yesterday", "2003-02-31", "99999999999999999999", "-1", "9999-12-31T23:59:60", "NaT", "²"])
numbers = st.integers(-(2**70), 2**70) | st.floats() | st.booleans()
plain = st.text(max_size=12) | st.sampled_from(["war begins", "peace\ntalks", 'he said "no", and\tleft', "=1+1", ""])
anything = st.recursive(
    st.none() | numbers | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
record = st.fixed_dictionaries(
    {"time": moments | numbers | anything, "text": plain | anything},
    optional={"label": plain | anything, "id": plain | numbers, "more": anything},
)
records = st.lists(record, min_size=0, max_size=8)
options = st.fixed_dictionaries(
    {},
    optional={
        "encoding": st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-32-be", "cp1252", "shift-jis", "iso2022_jp"]),
        "dayfirst": st.booleans(),
        "time_unit": st.sampled_from(["s", "ms", "year", "yyyymmdd"]),
        "timezone": st.sampled_from(["Europe/Berlin", "UTC"]),
        "batch_size": st.integers(1, 3),
        "max_record_bytes": st.sampled_from([1, 64, 2**20]),
        "drop_quotes": st.booleans(),
        "file_time": st.sampled_from(["auto", "name", "header", "mtime"]),
    },
)


def read_all(source: Any, given: dict[str, Any]) -> int | None:
    """Read a source; return how many records were read or rejected, None if it was refused as a whole."""
    try:
        stream = driftline.read(source, **given)
        n_documents = 0
        for batch in stream.batches():
            batch.validate(full=True)
            n_documents += len(batch)
        assert n_documents == stream.n_read
        stream.rejections.summary()
        return n_documents + stream.rejections.count
    except DriftlineError:
        return None


def json_line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def csv_of(rows: list[dict[str, Any]], delimiter: str) -> bytes:
    names = ["time", "text", "label", "id"]
    lines = [delimiter.join(names)]
    for row in rows:
        cells = (str(row.get(name, "")) for name in names)
        lines.append(
            delimiter.join('"' + cell.replace('"', '""') + '"' if i % 2 else cell for i, cell in enumerate(cells))
        )
    return "\r\n".join(lines).encode("utf-8", "surrogatepass")


def _mbox(rows: list[dict[str, Any]]) -> bytes:
    mails = (f"From a@b\nDate: {row['time']}\nSubject: {row['text']}\n\n{row.get('label')}\n\n" for row in rows)
    return "".join(mails).encode("utf-8", "surrogatepass")


def run_bytes(
    name: str, data: bytes, given: dict[str, Any], expected: int | None, marks: tuple[bytes, ...] = MARKS
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        found = read_all(path, given)
    if found is not None and expected is not None and "encoding" not in given and not data.startswith(marks):
        assert found == expected, f"{found} records were read or rejected, but there are {expected}"


def has_zeros(data: bytes) -> bool:
    """Say whether a source might be taken for UTF-16 or UTF-32, in which lines end elsewhere."""
    return data[:4096].count(0) > 4


def run_jsonl(case: Any) -> None:
    rows, changes, given = case
    data = mutate(b"\n".join(map(json_line, rows)), changes)
    is_array = data.lstrip().startswith(b"[")
    run_bytes("a.jsonl", data, given, None if is_array or has_zeros(data) else count_lines(data))


def run_json_array(case: Any) -> None:
    rows, changes, given = case
    data = mutate(json_line(rows), changes)
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        whole = None
    counted = isinstance(whole, list) and whole and "max_record_bytes" not in given and not has_zeros(data)
    run_bytes("a.json", data, given, len(whole) if counted else None)


def run_csv(case: Any) -> None:
    rows, changes, given, delimiter = case
    data = mutate(csv_of(rows, delimiter), changes)
    # Where the header is damaged, another delimiter may be found
    names = b"time,text,label,id".replace(b",", delimiter.encode())
    counted = data.startswith(names + b"\r\n") and not has_zeros(data)
    limit = given.get("max_record_bytes", 2**24)
    expected = count_rows(data, delimiter.encode(), limit) if counted and limit > 64 else None
    run_bytes("a.tsv" if delimiter == "\t" else "a.csv", data, given, expected)


def run_mbox(case: Any) -> None:
    rows, changes, given = case
    data = mutate(_mbox(rows), changes)
    run_bytes("a.mbox", data, given, None if has_zeros(data) or "max_record_bytes" in given else count_mails(data))


def _dated_lines(rows: list[dict[str, Any]], chat: bool) -> bytes:
    start = "[05/04/2003, 10:11:12] Ann: " if chat else "2003-04-05 10:11:12,345 "
    return "".join(f"{start}{row['text']}\n" for row in rows).encode("utf-8", "surrogatepass")


def run_log(case: Any) -> None:
    rows, changes, given, chat = case
    data = mutate(_dated_lines(rows, chat), changes)
    run_bytes("a.log", data, given | {"format": "log"}, None)


def run_split_times(case: Any) -> None:
    rows, given = case
    clocks = [{"date": row["time"], "time": row.get("label"), "text": "x"} for row in rows]
    parts = [{"y": row["time"], "m": row["text"], "d": row.get("more"), "text": "x"} for row in rows]
    for source, time in ((clocks, None), (clocks, "date,time"), (parts, "y,m,d")):
        found = read_all(source, given | {"time": time})
        assert found in (None, len(rows)), f"{found} records were read or rejected, but there are {len(rows)}"


def run_packed(case: Any) -> None:
    rows, changes, given, packing = case
    data = b"\n".join(map(json_line, rows))
    if packing != "zst":
        data = PACKERS[packing](data)
    else:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as packed:
            packed.write(data)
        data = sink.getvalue().to_pybytes()
    expected = None if changes or "max_record_bytes" in given else count_lines(b"\n".join(map(json_line, rows)))
    run_bytes(f"a.jsonl.{packing}", mutate(data, changes), given, expected)


def run_parquet(case: Any) -> None:
    columns, changes, given, group = case
    types = {"timestamp": pa.timestamp("us")}
    table = pa.table({name: pa.array(values, types.get(kind)) for name, (kind, values) in columns.items()})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=group)
    run_bytes("a.parquet", mutate(sink.getvalue(), changes), given, None if changes else len(table))


def run_rows(case: Any) -> None:
    rows, given = case
    given = {name: value for name, value in given.items() if name != "file_time"}
    found = read_all(rows, given)
    assert found in (None, len(rows)), f"{found} of {len(rows)} rows were read or rejected"


def run_folder(case: Any) -> None:
    files, given, is_maildir = case
    given = {name: value for name, value in given.items() if name != "max_record_bytes"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        parts = [root / "cur", root / "new"] if is_maildir else [root]
        for part in parts:
            part.mkdir(parents=True)
        for i, (name, content, changes) in enumerate(files):
            safe = "".join(c for c in name if c not in "/\0").lstrip(".") or "x"
            safe_name = f"{i}-{safe}"[:40].encode("utf-8", "surrogatepass")
            with open(bytes(parts[i % len(parts)]) + b"/" + safe_name + b".txt", "wb") as file:
                file.write(mutate(content, changes))
        found = read_all(root, {**given, "format": "maildir" if is_maildir else "text"})
    assert found in (None, len(files)), f"{found} of {len(files)} files were read or rejected"


def run_standard_input_format(case: Any) -> None:
    """Whatever the bytes are: the format is found by looking at them."""
    data, given = case
    run_bytes("noname", data, given, None)


@st.composite
def parquet_columns(draw: Any) -> dict[str, list[Any]]:
    """Columns of one kind each, as Parquet wants them, but perhaps not as documents do."""
    n = draw(st.integers(0, 6))
    kinds = {
        "string": st.none() | plain.filter(lambda text: text.isprintable()),
        "int": st.none() | st.integers(-(2**63), 2**63 - 1),
        "float": st.floats(),
        "bool": st.booleans(),
        "list": st.lists(st.text(st.characters(codec="utf-8"), max_size=3), max_size=2),
        "timestamp": st.none() | st.integers(-(10**15), 10**16),
    }
    columns = {}
    for name in ("time", "text", "label"):
        kind = draw(st.sampled_from(sorted(kinds)))
        columns[name] = [kind, draw(st.lists(kinds[kind], min_size=n, max_size=n))]
    return columns


_starts = st.sampled_from([b"Date: 20 Mar 2003 03:34 +0000\nSubject: x\n\nwar", b"war begins", b"", b"From: a\n"])
_file = st.tuples(st.text(max_size=8) | st.sampled_from(["2003-03-20", "caf\udce9"]), _starts, mutations)

TARGETS = [
    Target("jsonl", st.tuples(records, mutations, options), run_jsonl),
    Target("json-array", st.tuples(records, mutations, options), run_json_array),
    Target("csv", st.tuples(records, mutations, options, st.sampled_from([",", ";", "\t", "|"])), run_csv),
    Target("mbox", st.tuples(records, mutations, options), run_mbox),
    Target("log", st.tuples(records, mutations, options, st.booleans()), run_log),
    Target("split-times", st.tuples(records, options), run_split_times),
    Target("packed", st.tuples(records, mutations, options, st.sampled_from(["gz", "bz2", "xz", "zst"])), run_packed),
    Target("rows", st.tuples(records, options), run_rows),
    Target("folder", st.tuples(st.lists(_file, min_size=1, max_size=4), options, st.booleans()), run_folder),
    Target("bytes", st.tuples(st.binary(max_size=200), options), run_standard_input_format),
    Target("parquet", st.tuples(parquet_columns(), mutations, options, st.integers(1, 4)), run_parquet),
]
