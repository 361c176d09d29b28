"""Formats that are read sequentially stay within bounded memory: its peak does not grow with the file."""

import json
import sqlite3
import tracemalloc
import zipfile

import pyarrow as pa
import pyarrow.ipc
import pytest

from driftline.readers.records import Limits
from driftline.readers.settings import Settings
from driftline.readers.sources import parts_of, records_of

RECORDS = 6000
LIMITS = Limits(block_bytes=2**16, batch_size=200)
TEXT = "war and peace " * 300
MOST = 8 * 2**20
"""Bytes of what is held: a third of every file."""


def telegram(path):
    message = {"id": 1, "type": "message", "date": "2003-03-20T00:00:00", "from": "a", "text": TEXT}
    _document(path, '{"name": "n", "messages": [', message, "]}")


def hits(path):
    _document(path, '{"hits": {"hits": [', {"_id": "1", "_source": {"date": "2003", "text": TEXT}}, "]}}")


def _document(path, start, element, end):
    with path.open("w") as file:
        file.write(start + json.dumps(element))
        for _ in range(RECORDS - 1):
            file.write("," + json.dumps(element))
        file.write(end)


def feed(path):
    with path.open("w") as file:
        file.write("<rss><channel>")
        for _ in range(RECORDS):
            file.write(f"<item><title>{TEXT}</title><pubDate>2003</pubDate></item>")
        file.write("</channel></rss>")


def database(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE posts (date, text)")
    connection.executemany("INSERT INTO posts VALUES (?, ?)", (("2003", TEXT) for _ in range(RECORDS)))
    connection.commit()
    connection.close()


def archive(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target, target.open("a.jsonl", "w") as member:
        for _ in range(RECORDS):
            member.write(json.dumps({"date": "2003", "text": TEXT}).encode() + b"\n")


def arrow(path):
    batch = pa.record_batch({"date": ["2003"] * 100, "text": [TEXT] * 100})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, batch.schema) as writer:
        for _ in range(RECORDS // 100):
            writer.write_batch(batch)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("result.json", telegram),
        ("hits.json", hits),
        ("a.rss", feed),
        ("a.db", database),
        ("a.zip", archive),
        ("a.arrow", arrow),
    ],
)
def test_the_peak_is_a_few_blocks(name, write, tmp_path):
    path = tmp_path / name
    write(path)
    (part,) = parts_of(path, Settings(limits=LIMITS))
    next(records_of(part, alone=True))  # what is imported and compiled at first use is not counted
    tracemalloc.start()
    try:
        n_records = sum(len(some.numbers) for some in records_of(part, alone=True))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_records == RECORDS
    assert peak < MOST, f"{peak / 2**20:.1f} MiB of {RECORDS * len(TEXT) / 2**20:.1f}"
