"""Alarms in real streams without change: texts assigned at random to the times of the stream.

    python -m benchmarks.service.unchanging [--orders 2] [--documents 12000] [STREAM ...]

The number of documents per hour is that of the stream; nothing else changes over time, so that every alarm is false.
"Days shuffled" puts the days into a random order, each as a whole, documents in their order within the day: an alarm
may then be an event of the day it was raised on, but not of a longer time. "In order" is the stream as it is. Documents
are taken in batches of a day.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from driftline.core.arrays import Ints
from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.json_records import Record, digest_of
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.views.alarms import sentence
from driftline.service.writer import Writer

DATA = Path(os.environ.get("DRIFTLINE_DATA", "../shared/data"))
STREAMS = ("tweets_2015_2017", "gitlog_2003_2008", "abc_headlines_2003", "enron_partial_folders", "health_tweets")
DAY = 86_400_000_000


def stream(name: str, most: int) -> tuple[list[str], Ints]:
    """Return the first documents of a real stream and their times, in order, in microseconds."""
    table = pq.read_table(DATA / f"{name}.parquet", columns=["text", "time"])
    times = table["time"].to_numpy().astype("datetime64[us]")
    order = np.argsort(times, kind="stable")
    order = order[~np.isnat(times[order]) & (times[order] > np.datetime64("1971"))][:most]
    return [text or "" for text in table["text"].take(order).to_pylist()], times[order].astype(np.int64)


def texts_shuffled(texts: list[str], times: Ints, rng: np.random.Generator) -> tuple[list[str], Ints]:
    """Assign the texts to the times at random."""
    return [texts[i] for i in rng.permutation(len(texts))], times


def days_shuffled(texts: list[str], times: Ints, rng: np.random.Generator) -> tuple[list[str], Ints]:
    """Put the days into a random order; the documents of the n-th day take its place on the calendar."""
    days = times // DAY
    distinct = np.unique(days)
    place = dict(zip(distinct.tolist(), rng.permutation(distinct).tolist()))
    moved = times + DAY * (np.array([place[day] for day in days.tolist()]) - days)
    order = np.argsort(moved, kind="stable")
    return [texts[i] for i in order], moved[order]


class Alarms(NamedTuple):
    """The alarms of a stream: kind, start and end in days (None if it is on at the end), sentence."""

    rows: list[tuple[str, float, float | None, str]]

    def counts(self) -> np.ndarray:
        """Return the numbers of alarms of words, of topics, and of those that are on at the end."""
        return np.array(
            [
                sum(kind == "word" for kind, *_ in self.rows),
                sum(kind == "topic" for kind, *_ in self.rows),
                sum(ended is None for _, _, ended, _ in self.rows),
            ]
        )


def alarms(texts: list[str], times: Ints) -> Alarms:
    """Return the alarms of the service."""
    edges = [*np.flatnonzero(np.diff(times // DAY, prepend=-1)).tolist(), len(times)]
    with tempfile.TemporaryDirectory() as folder:
        database = open_store(folder, writes=True)
        database.execute("PRAGMA synchronous = OFF")
        writer = Writer(database, WriterQueue(), n_topics=20)

        for start, end in itertools.pairwise(edges):
            for first in range(start, end, 2_000):
                records = [
                    Record(int(times[i]), texts[i], None, None, digest_of(str(i).encode(), b"k"))
                    for i in range(first, min(first + 2_000, end))
                ]
                writer.process([submission := Submission("stream", records)])
                submission.done.result()
        rows = database.execute(f"SELECT {COLUMNS} FROM alarms ORDER BY id")
        database.close()
    found = []
    for row in (AlarmRow(*row) for row in rows):
        words = ", ".join(row.words[:3])
        ended = None if row.ended is None else row.ended / DAY
        found.append((row.kind, row.start / DAY, ended, sentence(row, words, {})))
    return Alarms(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("streams", nargs="*", default=STREAMS)
    parser.add_argument("--orders", type=int, default=2)
    parser.add_argument("--documents", type=int, default=12_000)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    print("Alarms of words, alarms of topics, alarms that are on at the end\n")
    print("| stream | documents | days | in order | days shuffled | texts shuffled |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in options.streams:
        texts, times = stream(name, options.documents)
        cells, listed = [], []
        for change in (None, days_shuffled, texts_shuffled):
            orders = 1 if change is None else options.orders
            total = np.zeros(3)
            for seed in range(orders):
                changed = (texts, times) if change is None else change(texts, times, np.random.default_rng(seed))
                raised = alarms(*changed)
                total += raised.counts()
                listed.append((change.__name__ if change else "in_order", raised))
            cells.append(", ".join(f"{value / orders:g}" for value in total))
        n_days = len(np.unique(times // DAY))
        print(f"| {name} | {len(texts):,} | {n_days:,} | {' | '.join(cells)} |", flush=True)
        if options.list:
            for label, raised in listed:
                for kind, start, ended, text in raised.rows:
                    days = "on" if ended is None else f"{ended - start:.1f} days"
                    print(f"{label} {kind} {days}: {text}", flush=True)


if __name__ == "__main__":
    main()
