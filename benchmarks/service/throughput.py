"""Documents per CPU second through the whole service, by the size of batches, and the cost of a lone document.

    python -m benchmarks.service.throughput [--row]

JSON lines are read, checked, counted, learned, watched, stored, indexed, aggregated and committed, as the writer does
it (synchronous FULL), without HTTP. The rival does no more than any service must: it parses the same lines and inserts
them into SQLite with a full-text index, in the same batches. The words of the lone document are among 200,000 that are
known.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np

from driftline.datasets.newswire import simulate_newswire
from driftline.service.json_records import read_lines
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer

TOPICS = 20


def story_lines(n: int, first: int = 0) -> list[bytes]:
    """Return stories as JSON lines; an hour has 7,200 of them, two per second."""
    texts = simulate_newswire(20_000, random_state=1).texts
    begin = 1_760_000_000 + first
    return [
        json.dumps({"id": f"s{first + k}", "time": begin + k / 2, "text": texts[(first + k) % len(texts)]}).encode()
        for k in range(n)
    ]


def process(writer: Writer, lines: list[bytes], size: int) -> None:
    """Let the writer take lines in batches."""
    for start in range(0, len(lines), size):
        read = read_lines(lines[start : start + size], now=2**60, secret=writer.secret)
        submission = Submission("http:bench", read.records)
        writer.process([submission])
        submission.done.result()


def plain(path: Path, lines: list[bytes], size: int) -> None:
    """Parse and insert, with a full-text index, and nothing else."""
    connection = apsw.Connection(str(path))
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE documents (key INTEGER PRIMARY KEY, id TEXT, time REAL, text TEXT)",
        "CREATE VIRTUAL TABLE search USING fts5(text, content='documents', content_rowid='key', columnsize=0)",
    ):
        list(connection.execute(statement))
    key = 0
    for start in range(0, len(lines), size):
        rows = []
        for line in lines[start : start + size]:
            record = json.loads(line)
            key += 1
            rows.append((key, record["id"], record["time"], record["text"]))
        with connection:
            connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
            connection.executemany("INSERT INTO search (rowid, text) VALUES (?, ?)", [(row[0], row[3]) for row in rows])
    connection.close()


def cpu(function: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def known_words(writer: Writer, n: int = 200_000) -> None:
    """Let the models know so many words."""
    for first in range(0, n, 2_000):
        texts = [" ".join(f"w{first + k + j:x}" for j in range(20)) for k in range(0, 2_000, 20)]
        lines = [json.dumps({"id": t[:30], "time": 1_759_000_000 + first, "text": t}).encode() for t in texts]
        process(writer, lines, 2_000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", action="store_true", help="one size of batches, fewer documents")
    quick = parser.parse_args().row
    n = 6_000 if quick else 40_000
    print(f"{TOPICS} topics, stories of the simulated newswire, {n:,} per row (fewer for single documents).\n")
    print("| batch | documents per CPU s | µs per document | parse, insert and index alone, µs |\n|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for size in (2_000,) if quick else (2_000, 500, 100, 1):
            count = n if size >= 100 else 1_000
            database = open_store(f"{folder}/{size}", writes=True)
            writer = Writer(database, WriterQueue(), n_topics=TOPICS)
            process(writer, story_lines(4_000, first=10**7), 2_000)  # first topics, compiled loops
            lines = story_lines(count)
            ours = cpu(lambda w=writer, x=lines, s=size: process(w, x, s)) / count
            rival = cpu(lambda x=lines, s=size: plain(Path(folder) / f"plain-{s}", x, s)) / count
            print(f"| {size:,} | {1 / ours:,.0f} | {1e6 * ours:.1f} | {1e6 * rival:.1f} |", flush=True)
            database.close()
        if not quick:
            database = open_store(f"{folder}/large", writes=True)
            writer = Writer(database, WriterQueue(), n_topics=TOPICS)
            process(writer, story_lines(4_000, first=10**7), 2_000)
            known_words(writer)
            lines = story_lines(200, first=2 * 10**7)
            times = np.array([cpu(lambda w=writer, x=line: process(w, [x], 1)) for line in lines])
            print(
                f"\nA lone document with {writer.learner.words.n_slots:,} words known: median "
                f"{1000 * np.median(times):.2f} CPU ms, 95th percentile {1000 * np.quantile(times, 0.95):.2f}."
            )
            database.close()


if __name__ == "__main__":
    main()
