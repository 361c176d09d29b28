"""Archives, spreadsheets, databases, feeds and exports: records per second and peak memory, against plain Python.

python -m benchmarks.reading.containers
"""

from __future__ import annotations

import bz2
import csv
import io
import json
import lzma
import sqlite3
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import python_calamine

from benchmarks.measure import in_fresh_process, print_table
from benchmarks.reading.records import WORDS, ours

RECORDS = 50_000
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def headlines(records: int) -> Iterator[tuple[str, str]]:
    """Yield dates and short texts."""
    for i in range(records):
        day = f"{2003 + i // 336 % 20}-{1 + i // 28 % 12:02}-{1 + i % 28:02}"
        yield day, " ".join(WORDS[(i * 7 + j * j * 11 + i // 31 * j) % len(WORDS)] for j in range(8))


def write_files(folder: Path, records: int) -> None:
    """Write the same headlines in every format."""
    rows = list(headlines(records))
    lines = "".join(json.dumps({"date": date, "text": text}) + "\n" for date, text in rows).encode()
    (folder / "a.jsonl.bz2").write_bytes(bz2.compress(lines))
    (folder / "a.jsonl.xz").write_bytes(lzma.compress(lines, preset=1))
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "date,text\n" + "".join(f"{date},{text}\n" for date, text in rows))
    (folder / "a.xlsx").write_bytes(_workbook(rows))
    (folder / "a.db").unlink(missing_ok=True)
    connection = sqlite3.connect(folder / "a.db")
    connection.execute("CREATE TABLE posts (date TEXT, text TEXT)")
    connection.executemany("INSERT INTO posts VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    items = "".join(f"<item><title>{text}</title><pubDate>{date}</pubDate></item>" for date, text in rows)
    (folder / "a.rss").write_text(f"<rss><channel>{items}</channel></rss>")
    table = pa.table({"date": [date for date, _ in rows], "text": [text for _, text in rows]})
    with pa.OSFile(str(folder / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    messages = [{"id": i, "type": "message", "date": date, "text": text} for i, (date, text) in enumerate(rows)]
    (folder / "result.json").write_text(json.dumps({"name": "n", "messages": messages}, indent=1))
    hits = [{"_id": str(i), "_source": {"date": date, "text": text}} for i, (date, text) in enumerate(rows)]
    (folder / "hits.json").write_text(json.dumps({"hits": {"hits": hits}}))


def _workbook(rows: list[tuple[str, str]]) -> bytes:
    cells = "".join(
        f'<row r="{r}"><c r="A{r}" t="inlineStr"><is><t>{a}</t></is></c>'
        f'<c r="B{r}" t="inlineStr"><is><t>{b}</t></is></c></row>'
        for r, (a, b) in enumerate([("date", "text"), *rows], start=1)
    )
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        target = '<Relationships xmlns="{}"><Relationship Id="a" Type="{}/{}" Target="{}"/></Relationships>'
        archive.writestr("_rels/.rels", target.format(_PACKAGE, _LINKS, "officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", target.format(_PACKAGE, _LINKS, "worksheet", "sheet.xml"))
        sheets = '<sheets><sheet name="s" sheetId="1" r:id="a"/></sheets>'
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}">{sheets}</workbook>')
        archive.writestr("xl/sheet.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>')
    return sink.getvalue()


def plain_lines(path: Path) -> int:
    """Decompress and parse with the standard library, and hold the documents."""
    with (bz2 if path.suffix == ".bz2" else lzma).open(path, "rt") as file:
        return _dated([(record["date"], record["text"]) for record in map(json.loads, file)])


def plain_zip(path: Path) -> int:
    """Read with zipfile and csv."""
    with zipfile.ZipFile(path) as archive, archive.open("a.csv") as file:
        return _dated([(row["date"], row["text"]) for row in csv.DictReader(io.TextIOWrapper(file))])


def plain_workbook(path: Path) -> int:
    """Read with calamine alone, which trusts the file."""
    rows = python_calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    return _dated([(date, text) for date, text in rows[1:]])


def plain_sqlite(path: Path) -> int:
    """Read with sqlite3."""
    return _dated(sqlite3.connect(path).execute("SELECT date, text FROM posts").fetchall())


def plain_feed(path: Path) -> int:
    """Read with xml.etree."""
    items = ET.parse(path).getroot().iter("item")
    return _dated([(item.findtext("pubDate"), item.findtext("title")) for item in items])


def plain_arrow(path: Path) -> int:
    """Read with pyarrow."""
    return _dated(pa.ipc.open_stream(path.read_bytes()).read_pandas())


def plain_messages(path: Path) -> int:
    """Read with json."""
    return _dated([(one["date"], one["text"]) for one in json.loads(path.read_bytes())["messages"]])


def plain_hits(path: Path) -> int:
    """Read with json."""
    return _dated(
        [(one["_source"]["date"], one["_source"]["text"]) for one in json.loads(path.read_bytes())["hits"]["hits"]]
    )


def _dated(rows: Any) -> int:
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, columns=["date", "text"])
    frame["date"] = pd.to_datetime(frame["date"], utc=True)
    return len(frame)


PLAIN: dict[str, Callable[[Path], int]] = {
    "a.jsonl.bz2": plain_lines,
    "a.jsonl.xz": plain_lines,
    "a.zip": plain_zip,
    "a.xlsx": plain_workbook,
    "a.db": plain_sqlite,
    "a.rss": plain_feed,
    "a.arrow": plain_arrow,
    "result.json": plain_messages,
    "hits.json": plain_hits,
}


def main() -> None:
    """Print the table."""
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for records in (RECORDS, 4 * RECORDS):
            in_fresh_process(write_files, folder, records)
            for file, plain in PLAIN.items():
                in_megabytes = (folder / file).stat().st_size / 2**20
                count, taken = in_fresh_process(ours, folder / file)
                plain_count, plain_taken = in_fresh_process(plain, folder / file)
                if (count, plain_count) != (records, records):
                    raise SystemExit(f"{file}: {count} and {plain_count} of {records} records were read")
                speed, plain_speed = records / taken.cpu_seconds, records / plain_taken.cpu_seconds
                peaks = [f"{measured.peak_mib or 0:.0f}" for measured in (taken, plain_taken)]
                ratio = f"{speed / plain_speed:.1f}×"
                rows.append([file, f"{records:,}", f"{in_megabytes:.1f}", f"{speed:,.0f}", ratio, *peaks])
    headings = ["file", "records", "MiB", "records per CPU second", "of plain", "peak, MiB", "plain, MiB"]
    print_table(
        "Reading short records one batch at a time, against plain Python that holds all of them", headings, rows
    )


if __name__ == "__main__":
    main()
