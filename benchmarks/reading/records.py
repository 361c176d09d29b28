"""Reading dated texts: records per second and peak memory, ours against plain Python and pandas.

python -m benchmarks.reading.records
"""

from __future__ import annotations

import csv
import datetime
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import in_fresh_process, measure, print_table
from driftline.readers.read import read

RECORDS = 300_000
DIRTY_EVERY = 10_000
VOCABULARY = (
    "police council minister water budget court crash plan govt school fire health hospital road market war drought"
    " election union strike farmers cyclone tourism funding inquiry murder charge rain export record"
)
WORDS = VOCABULARY.split()


def write_files(folder: Path, records: int) -> None:
    """Write the same headlines as JSON lines, CSV and Parquet, and as JSON lines with a broken one now and then."""
    generator = np.random.default_rng(0)
    chosen = generator.integers(0, len(WORDS), (records, 8))
    start = datetime.datetime(2003, 1, 1)
    times = [(start + datetime.timedelta(seconds=97 * i)).isoformat() for i in range(records)]
    texts = [" ".join(WORDS[j] for j in row) for row in chosen.tolist()]
    labels = [WORDS[row[0]] for row in chosen.tolist()]
    with (
        (folder / "news.jsonl").open("w") as clean,
        (folder / "dirty.jsonl").open("w") as dirty,
        (folder / "news.csv").open("w", newline="") as table,
    ):
        writer = csv.writer(table)
        writer.writerow(["id", "time", "text", "label"])
        for i, (time, text, label) in enumerate(zip(times, texts, labels, strict=True)):
            line = json.dumps({"id": i, "time": time, "text": text, "label": label}) + "\n"
            clean.write(line)
            dirty.write(line if i % DIRTY_EVERY else "{broken\n")
            writer.writerow([i, time, text, label])
    pq.write_table(
        pa.table({"id": range(records), "time": times, "text": texts, "label": labels}), folder / "news.parquet"
    )


def ours(path: Path) -> int:
    """Read in batches, without keeping them."""
    return sum(len(batch) for batch in read(path).batches())


def ours_held(path: Path) -> int:
    """Read into one table sorted by time."""
    return len(read(path).table())


def plain_json(path: Path) -> int:
    """Read with the standard library, line by line, and keep the documents."""
    documents = []
    with path.open() as file:
        for line in file:
            try:
                record = json.loads(line)
                time = datetime.datetime.fromisoformat(record["time"])
                documents.append((record["id"], time, record["text"], record["label"]))
            except (ValueError, KeyError):
                continue
    return len(documents)


def plain_csv(path: Path) -> int:
    """Read with the standard library, row by row, and keep the documents."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        return len([(r["id"], datetime.datetime.fromisoformat(r["time"]), r["text"], r["label"]) for r in rows])


def pandas_json(path: Path) -> int:
    """Read with pandas into a frame."""
    frame = pd.read_json(path, lines=True, dtype=False)
    frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return len(frame)


def pandas_csv(path: Path) -> int:
    """Read with pandas into a frame."""
    frame = pd.read_csv(path)
    frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return len(frame)


def pandas_parquet(path: Path) -> int:
    """Read with pandas into a frame."""
    frame = pd.read_parquet(path)
    frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return len(frame)


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory(folder)  # first, while this process is small: a child's peak begins with the parent's size
        speed(folder)


def speed(folder: Path) -> None:
    """Print records per second of processor time for every format."""
    work: dict[str, dict[str, Callable[[Path], int]]] = {
        "news.jsonl": {"driftline": ours, "driftline, held": ours_held, "json": plain_json, "pandas": pandas_json},
        "dirty.jsonl": {"driftline": ours, "json": plain_json},
        "news.csv": {"driftline": ours, "driftline, held": ours_held, "csv": plain_csv, "pandas": pandas_csv},
        "news.parquet": {"driftline": ours, "driftline, held": ours_held, "pandas": pandas_parquet},
    }
    rows: list[list[Any]] = []
    in_fresh_process(write_files, folder, RECORDS)
    for file, readers in work.items():
        ours_per_second = None
        for reader, function in readers.items():
            count, taken = measure(lambda function=function, file=file: function(folder / file), repeat=3)
            per_second = count / taken.cpu_seconds
            ours_per_second = ours_per_second or per_second
            rows.append([file, reader, count, f"{per_second:,.0f}", f"{ours_per_second / per_second:.1f}×"])
    headings = ["file", "read by", "records", "records per CPU second", "driftline is"]
    print_table(f"Reading {RECORDS:,} short records (one broken in {DIRTY_EVERY:,} where dirty)", headings, rows)


def memory(folder: Path) -> None:
    """Print how peak memory grows with the file: not at all where nothing is held."""
    rows: list[list[Any]] = []
    for records in (RECORDS, 4 * RECORDS):
        in_fresh_process(write_files, folder, records)
        for file, readers in {
            "news.jsonl": (ours, pandas_json),
            "news.csv": (ours, pandas_csv),
            "news.parquet": (ours, pandas_parquet),
        }.items():
            size = (folder / file).stat().st_size / 2**20
            peaks = [in_fresh_process(reader, folder / file)[1].peak_mib or 0.0 for reader in readers]
            rows.append([file, f"{records:,}", f"{size:.0f}", *(f"{peak:.0f}" for peak in peaks)])
    headings = ["file", "records", "file, MiB", "driftline iterated, MiB", "pandas, MiB"]
    print_table("Growth of the process's peak memory while reading", headings, rows)


if __name__ == "__main__":
    main()
