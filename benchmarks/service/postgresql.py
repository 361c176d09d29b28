"""The store in PostgreSQL beside that in SQLite: CPU time and disk of a document, and the lag of a process that joined.

    python -m benchmarks.service.postgresql

The same documents in the same batches through the whole writer. The CPU time of PostgreSQL is that of the process
behind the connection; its other processes (checkpoints, vacuum) are not counted. Disk: the file of SQLite after a
checkpoint, all tables and indexes of PostgreSQL; the logs of both are left out. The lag is the time from the answer of
the process that learns to the same batch in the process that joined, both in this process, in batches of 50.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from tests.service.store.postgres_schema import new_schema

from benchmarks.service.throughput import TOPICS, process, story_lines
from driftline.service.follower import Follower
from driftline.service.json_records import read_lines
from driftline.service.sources.inbox import InboxWriter
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer

N = 20_000
SIZES = (2_000, 500, 50)
LAGS = 200


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server_cpu(database: Any) -> float:
    """Return the CPU seconds of the process behind a connection; 0 for SQLite, which has none."""
    if database.kind == "sqlite":
        return 0.0
    return cpu_of(database.execute("SELECT pg_backend_pid()")[0][0])


def disk(database: Any) -> int:
    """Return the bytes of all tables and indexes."""
    if database.kind == "sqlite":
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(database.size()[0])
    sql = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
    return int(database.execute(sql + "AND relkind = 'r'")[0][0])


def measured(where: str, size: int) -> tuple[float, float, float, float]:
    """Return the µs per document of this process and of the server, wall µs, and bytes per document."""
    database = open_store(where, writes=True)
    writer = Writer(database, WriterQueue(), n_topics=TOPICS)
    process(writer, story_lines(4_000, first=10**7), 2_000)  # first topics, compiled loops
    lines = story_lines(N)
    before = disk(database)
    start, own, server = time.perf_counter(), time.process_time(), server_cpu(database)
    process(writer, lines, size)
    found = time.process_time() - own, server_cpu(database) - server, time.perf_counter() - start
    writer.save()
    more = disk(database) - before
    database.close()
    mine, theirs, wall = (1e6 * each / N for each in found)
    return mine, theirs, wall, more / N


def lags(where: str) -> np.ndarray:
    """Return the seconds until a process that joined has a batch."""
    database = open_store(where, writes=True)
    writer = Writer(database, WriterQueue(), n_topics=TOPICS)
    process(writer, story_lines(4_000, first=10**7), 2_000)
    arrived: list[float] = []
    follower = Follower(where, n_topics=TOPICS, publish=lambda kind, data: arrived.append(time.perf_counter()))
    follower.start()
    time.sleep(1.0)
    lines, found = story_lines(50 * LAGS, first=5 * 10**6), []
    for start in range(0, len(lines), 50):
        arrived.clear()
        process(writer, lines[start : start + 50], 50)
        committed = time.perf_counter()
        while not arrived:
            time.sleep(0.0005)
        found.append(max(0.0, arrived[0] - committed))
    assert follower.learner.to_bytes() == writer.learner.to_bytes()
    follower.stop()
    database.close()
    return np.array(found)


def intake(where: str, size: int) -> tuple[float, float]:
    """Return the µs per document, of this process and of the server, of taking documents into the inbox."""
    database = open_store(where, writes=True)
    Writer(database, WriterQueue(), n_topics=TOPICS)
    inbox = InboxWriter(where)
    lines = story_lines(N)
    own, server = time.process_time(), server_cpu(inbox.database)
    for start in range(0, N, size):
        read = read_lines(lines[start : start + size], now=2**60, secret=inbox.secret)
        inbox.process([submission := Submission("http:bench", read.records)])
        submission.done.result()
    found = time.process_time() - own, server_cpu(inbox.database) - server
    inbox.database.close()
    database.close()
    return 1e6 * found[0] / N, 1e6 * found[1] / N


def main() -> None:
    print(f"{N:,} stories of the simulated newswire, {TOPICS} topics.\n")
    print("| batch | store | this process, µs per document | server, µs | wall, µs | bytes per document |")
    print("|--:|---|--:|--:|--:|--:|")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder, new_schema() as address:
            for name, where in (("SQLite", f"{folder}/store"), ("PostgreSQL", address)):
                mine, theirs, wall, size_of = measured(where, size)
                shown = "–" if name == "SQLite" else f"{theirs:.0f}"
                print(f"| {size:,} | {name} | {mine:.0f} | {shown} | {wall:.0f} | {size_of:,.0f} |", flush=True)
    with new_schema() as address:
        mine, theirs = intake(address, 500)
        print(
            f"\nTaken by a process that joined, in requests of 500: {mine:.0f} µs per document, server {theirs:.0f} µs."
        )
    with new_schema() as address:
        found = 1000 * lags(address)
        low, high = np.median(found), np.quantile(found, 0.95)
        print(
            f"Lag of a process that joined: median {low:.0f} ms, 95th percentile {high:.0f} ms; the models are equal."
        )


if __name__ == "__main__":
    main()
