"""Targets that read containers: archives, spreadsheets, databases, feeds, mails, Arrow files."""

from __future__ import annotations

import io
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.ipc
from hypothesis import strategies as st

from tests.fuzz.counting import count_items, count_lines
from tests.fuzz.mutations import mutate, mutations
from tests.fuzz.sources import (
    has_zeros,
    json_line,
    options,
    parquet_columns,
    read_all,
    record,
    records,
    run_bytes,
)
from tests.fuzz.targets import Target
from tests.readers.workbooks import ods, xlsx

NAMES = [
    "a.jsonl",
    "b/c.jsonl",
    "../d.jsonl",
    "/e.jsonl",
    "f\\g.jsonl",
    "C:h.jsonl",
    "i.jsonl.",
    "\x1b[31m.jsonl",
    "é.jsonl",
]


def run_zip(case: Any) -> None:
    """Members are damaged one by one, and the archive as a whole."""
    members, changes, given, packing = case
    sink = io.BytesIO()
    expected: int | None = 0
    with zipfile.ZipFile(sink, "w", packing) as archive:
        for i, (name, rows, member_changes) in enumerate(members):
            data = mutate(b"\n".join(map(json_line, rows)), member_changes)
            archive.writestr(
                zipfile.ZipInfo(f"{i}{name}" if name[0].isalpha() else name.replace(".", f"{i}.", 1)), data
            )
            is_plain = name in ("a.jsonl", "b/c.jsonl", "é.jsonl", "f\\g.jsonl")
            is_lines = (
                data.lstrip()[:1] not in (b"[",) and not has_zeros(data) and data[:1] not in (b"\xef", b"\xff", b"\xfe")
            )
            counted = count_lines(data) if is_plain and is_lines else None
            expected = None if counted is None or expected is None else expected + counted
    refused = "max_record_bytes" in given or changes
    run_bytes(
        "a.zip", mutate(sink.getvalue(), changes), given | {"format": "jsonl"}, None if refused else expected, marks=()
    )


def run_spreadsheet(case: Any) -> None:
    """Every row from the header to the last that has a cell is read or rejected."""
    rows, kind, from_1904, changes, given = case
    table = [["time", "text", "label"], *([row.get("time"), row.get("text"), row.get("label")] for row in rows)]
    cells = [[value if isinstance(value, str | float | int) else None for value in row] for row in table]
    cells = [[_printable(value) for value in row] for row in cells]
    filled = [i for i, row in enumerate(cells) if any(_is_filled(value) for value in row)]
    data = xlsx({"s": cells}, from_1904=from_1904) if kind == "xlsx" else ods({"s": cells})
    run_bytes(f"a.{kind}", mutate(data, changes), given, None if changes else filled[-1], marks=())


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return "".join(c for c in value if c.isprintable() and c < "\ud800")
    if isinstance(value, bool) or (isinstance(value, int | float) and not -1e300 < value < 1e300):
        return None
    return float(value) if isinstance(value, int) else value


def _is_filled(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


def run_sqlite(case: Any) -> None:
    """Rows of all kinds in a table, a view of it, and a file that is damaged."""
    rows, changes, given, table = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE posts (time, text, label)")
        connection.execute("CREATE VIEW seen AS SELECT time, text || '' AS text FROM posts")
        cells = [[_storable(row.get(name)) for name in ("time", "text", "label")] for row in rows]
        connection.executemany("INSERT INTO posts VALUES (?, ?, ?)", cells)
        connection.commit()
        connection.close()
        path.write_bytes(mutate(path.read_bytes(), changes))
        found = read_all(path, given | {"table": table})
    assert changes or found in (None, len(rows)), f"{found} of {len(rows)} rows were read or rejected"


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return repr(value).encode("utf-8", "replace")
    return value if isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**63) else None


def run_feed(case: Any) -> None:
    """Every item of a feed that is well-formed is read or rejected."""
    rows, changes, given, (item, outer, time) = case
    items = (
        f"<{item}><title>{_xml(row['text'])}</title><{time}>{_xml(row['time'])}</{time}>"
        f"<description><![CDATA[<p>{_xml(row.get('label'))}]]></description></{item}>"
        for row in rows
    )
    data = mutate(f"<{outer}>{''.join(items)}</{outer}>".encode(), changes)
    run_bytes("a.xml", data, given, None if has_zeros(data) else count_items(data))


def _xml(value: Any) -> str:
    return escape("".join(c for c in str(value) if c.isprintable() and c < "\ud800"))


def run_mail_files(case: Any) -> None:
    """Every file is read or rejected."""
    files, given = case
    given = {name: value for name, value in given.items() if name != "max_record_bytes"}
    with tempfile.TemporaryDirectory() as folder:
        for i, (content, changes) in enumerate(files):
            Path(folder, f"{i}.eml").write_bytes(mutate(content, changes))
        found = read_all(Path(folder), given)
    assert found in (None, len(files)), f"{found} of {len(files)} files were read or rejected"


def run_arrow(case: Any) -> None:
    """Files and streams of Arrow, whole and damaged."""
    columns, changes, given, rows, is_stream = case
    types = {"timestamp": pa.timestamp("us")}
    table = pa.table({name: pa.array(values, types.get(kind)) for name, (kind, values) in columns.items()})
    sink = io.BytesIO()
    new = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with new(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    run_bytes("a.arrow", mutate(sink.getvalue(), changes), given, None if changes else len(table), marks=())


_member = st.tuples(st.sampled_from(NAMES), st.lists(record, max_size=4), mutations)
_packings = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
_mails = st.sampled_from(
    [b"Date: 20 Mar 2003 03:34 +0000\nSubject: x\n\nwar", b"", b"From: a\nContent-Type: text/html\n\n<p>x"]
)
_feeds = st.sampled_from([("item", "rss", "pubDate"), ("entry", "feed", "published"), ("item", "rdf", "date")])
_some = mutations | st.just([])

TARGETS = [
    Target("zip", st.tuples(st.lists(_member, min_size=2, max_size=4), _some, options, _packings), run_zip),
    Target(
        "spreadsheet",
        st.tuples(records, st.sampled_from(["xlsx", "ods"]), st.booleans(), _some, options),
        run_spreadsheet,
    ),
    Target("sqlite", st.tuples(records, _some, options, st.sampled_from([None, "posts", "seen"])), run_sqlite),
    Target("feed", st.tuples(records, mutations, options, _feeds), run_feed),
    Target(
        "mail-files", st.tuples(st.lists(st.tuples(_mails, mutations), min_size=1, max_size=4), options), run_mail_files
    ),
    Target("arrow", st.tuples(parquet_columns(), _some, options, st.integers(1, 4), st.booleans()), run_arrow),
]
