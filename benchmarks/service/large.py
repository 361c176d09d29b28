"""Every question of the page on a large store: seconds by screen.

    python -m benchmarks.service.large [--documents 1000000] [--store FOLDER]

Documents are stories of the simulated newswire over three years, written by the service itself. Each question is asked
five times; the table has the median, as CPU time (the machine is shared) and as wall time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from driftline.datasets.newswire import simulate_newswire
from driftline.service.records import Record, digest_of
from driftline.service.store.keys import DAY
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.views.alarms import alarm_list
from driftline.service.views.documents import Asked, document_list, document_page
from driftline.service.views.overview import DriftCache, overview, topic_list
from driftline.service.views.reading import Readers
from driftline.service.views.topic import topic_page
from driftline.service.views.words import word_list, word_page
from driftline.service.writer import Writer

YEARS = 3
TOPICS = 50


def filled(folder: str, n: int) -> Writer:
    """Write a store of so many documents."""
    database = open_store(folder, writes=True)
    writer = Writer(database, WriterQueue(), n_topics=TOPICS)
    stored = writer.n_documents
    texts = simulate_newswire(100_000, random_state=1).texts
    begin, step = 1_672_531_200_000_000, YEARS * 365 * DAY // n
    for first in range(stored, n, 2_000):
        records = [
            Record(
                begin + k * step, f"{texts[k % len(texts)]} n{k % 9973:x}", None, None, digest_of(str(k).encode(), b"k")
            )
            for k in range(first, min(first + 2_000, n))
        ]
        writer.process([submission := Submission("bench", records)])
        submission.done.result()
    writer.save()
    return writer


def median(question: Callable[[], Any], times: int = 5) -> tuple[float, float, int]:
    """Return median CPU and wall milliseconds of a question, and the bytes of its answer."""
    cpu, wall, size = [], [], 0
    for _ in range(times):
        start, begun = time.process_time(), time.perf_counter()
        size = len(json.dumps(question()))
        cpu.append(time.process_time() - start)
        wall.append(time.perf_counter() - begun)
    return 1000 * float(np.median(cpu)), 1000 * float(np.median(wall)), size


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--store", help="keep the store there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.store or temporary
        begun = time.process_time()
        writer = filled(folder, options.documents)
        took = time.process_time() - begun
        size = Path(folder, "driftline.sqlite").stat().st_size
        print(
            f"{options.documents:,} documents over {YEARS} years, {TOPICS} topics: {size / 2**20:,.0f} MB, "
            f"written in {took:,.0f} CPU s.\n"
        )
        readers = Readers(folder, writer, n=1)
        print("| screen | CPU ms | wall ms | answer, KB |\n|---|--:|--:|--:|")
        now, span = writer.newest, YEARS * 365 * DAY
        with readers.reading(60.0) as database:
            key = document_list(database, Asked())["documents"][0]["key"]
            questions: dict[str, Callable[[], Any]] = {
                "overview, 60 days": lambda: overview(readers, database, DriftCache(), at=None, span=60 * DAY),
                "overview, three years": lambda: overview(readers, database, DriftCache(), at=None, span=span),
                "overview, as it was a year ago": lambda: overview(
                    readers, database, DriftCache(), at=now - 365 * DAY, span=60 * DAY
                ),
                "topics": lambda: topic_list(readers, database, at=None, span=60 * DAY),
                "topic, three years": lambda: topic_page(readers, database, 0, at=None, span=span),
                "words with a beginning": lambda: word_list(readers, database, DriftCache(), prefix="s", at=None),
                "curve of a rare word": lambda: word_page(readers, database, ["n1a2"], at=None, span=span),
                "curves of five frequent words": lambda: word_page(
                    readers, database, ["said", "week", "rain", "percent", "health"], at=None, span=span
                ),
                "documents, newest": lambda: document_list(database, Asked()),
                "search, a frequent word": lambda: document_list(database, Asked(q="rain ")),
                "search, a beginning": lambda: document_list(database, Asked(q="rai")),
                "search, two words, best first": lambda: document_list(database, Asked(q="rain week ", sort="best")),
                "document": lambda: document_page(database, key),
                "alarms": lambda: alarm_list(database, state=None, first=None, last=None, after=None),
            }
            for name, question in questions.items():
                cpu, wall, bytes_ = median(question)
                print(f"| {name} | {cpu:.0f} | {wall:.0f} | {bytes_ / 1024:.0f} |", flush=True)
        readers.close()
        writer.database.close()


if __name__ == "__main__":
    main()
