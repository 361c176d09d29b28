"""Every question of the page on a large store: seconds by screen.

    python -m benchmarks.service.large [--documents 1000000] [--times 10] [--new-word-every 2] [--store FOLDER]

Documents are stories of the simulated newswire over three years, written by the service itself. With `--times`, each of
them is then stored so many times within its hour, with the index of words and the aggregates that belong to it; this
takes a tenth of the time. With `--new-word-every N`, one document in N has a word that never came before, so that the
counts of words fill many blocks. Each question is asked five times; the table has the median, as CPU time (the machine
is shared) and as wall time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from driftline.datasets.newswire import simulate_newswire
from driftline.service.json_records import Record, digest_of
from driftline.service.service import Options, Service
from driftline.service.store.keys import DAY, PLACES
from driftline.service.store.opened import open_store
from driftline.service.store.period_aggregates import TopicSums, pack_topics, unpack_topics
from driftline.service.store.period_words import pack_words, unpack_words
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.views import overview
from driftline.service.web.app import make_app
from driftline.service.writer import Writer

YEARS = 3
TOPICS = 50
APART = 1 << 17
"""Distance of the keys of two copies of a document; an hour has fewer documents."""
HOURS_AT_A_TIME = 240


def filled(folder: str, n: int, new_word_every: int = 0) -> int:
    """Write a store of so many documents, unless it has more; return their number."""

    def text(k: int) -> str:
        new = f" word{k:x}" if new_word_every and k % new_word_every == 0 else ""
        return f"{texts[k % len(texts)]} n{k % 9973:x}{new}"

    database = open_store(folder, writes=True)
    writer = Writer(database, WriterQueue(), n_topics=TOPICS)
    wire = simulate_newswire(100_000, random_state=1)
    texts, labels = wire.texts, [str(label) for label in wire.labels]
    begin, step = 1_672_531_200_000_000, YEARS * 365 * DAY // n
    for first in range(writer.n_documents, n, 2_000):
        records = [
            Record(
                begin + k * step,
                text(k),
                None,
                labels[k % len(texts)],
                digest_of(str(k).encode(), b"k"),
            )
            for k in range(first, min(first + 2_000, n))
        ]
        writer.process([submission := Submission("bench", records)])
        submission.done.result()
    writer.save()
    database.close()
    return writer.n_documents


def multiplied(folder: str, factor: int) -> None:
    """Store every document so many times within its hour: documents, index of words, and aggregates."""
    database = open_store(folder, writes=True)
    database.execute("PRAGMA synchronous = OFF")
    copies = json.dumps(list(range(1, factor)))
    lowest, highest = database.execute("SELECT min(key), max(key) FROM documents")[0]
    for first in range(lowest, highest + 1, HOURS_AT_A_TIME << PLACES):
        with database.transaction():
            database.execute(
                f"INSERT INTO documents SELECT d.key + copy.value * {APART}, batch, time, arrived, NULL, source, text, "
                "topic, probability, topics, label FROM documents AS d, json_each(?) AS copy "
                f"WHERE d.key BETWEEN ? AND ? AND d.key & {(1 << PLACES) - 1} < {APART}",
                (copies, first, first + (HOURS_AT_A_TIME << PLACES) - 1),
            )
    with database.transaction():
        database.execute("INSERT INTO search (search) VALUES ('rebuild')")
        database.execute("UPDATE batches SET n = n * ?", (factor,))
        for level, start, body in database.execute("SELECT level, start, body FROM periods"):
            n, sums = unpack_topics(body)
            more = pack_topics(TopicSums(n * factor, {topic: value * factor for topic, value in sums.items()}))
            database.execute("UPDATE periods SET body = ? WHERE level = ? AND start = ?", (more, level, start))
        for level, block, start, body in database.execute("SELECT level, block, start, body FROM period_words"):
            counted = unpack_words(body)
            database.execute(
                "UPDATE period_words SET most = most * ?, body = ? WHERE level = ? AND block = ? AND start = ?",
                (factor, pack_words(counted._replace(counts=counted.counts * factor)), level, block, start),
            )
    database.close()


def median(client: TestClient, address: str, times: int = 5) -> tuple[float, float, int]:
    """Return median CPU and wall milliseconds of a question, and the bytes of its answer."""
    cpu, wall, size = [], [], 0
    for _ in range(times):
        start, begun = time.process_time(), time.perf_counter()
        found = client.get(address)
        cpu.append(time.process_time() - start)
        wall.append(time.perf_counter() - begun)
        if found.status_code != 200:
            raise SystemExit(f"{address}: {found.text}")
        size = len(found.content)
    return 1000 * float(np.median(cpu)), 1000 * float(np.median(wall)), size


def questions(client: TestClient) -> dict[str, str]:
    """Return the addresses that the screens request."""
    span = f"span={YEARS * 365 * 86_400}"
    now = client.get("/api/overview").json()["now"]
    key = client.get("/api/documents").json()["documents"][0]["key"]
    return {
        "overview, 60 days": "/api/overview",
        "overview, three years": f"/api/overview?{span}",
        "overview, as it was a year ago": f"/api/overview?at={now - 365 * 86_400}",
        "topics": "/api/topics",
        "topic, three years": f"/api/topics/0?{span}",
        "drifting words": "/api/words",
        "words with a beginning": "/api/words?prefix=s",
        "curve of a rare word": f"/api/words/curves?word=n1a2&{span}",
        "curves of five frequent words": "/api/words/curves?word=said&word=week&word=rain&word=percent&word=health&"
        + span,
        "documents, newest": "/api/documents",
        "documents of a topic": "/api/documents?topic=3",
        "documents of a source that has none": "/api/documents?source=nothing",
        "documents of a label, two years ago": f"/api/documents?label=sport&to={now - 2 * 365 * 86_400}",
        "search, a frequent word": "/api/documents?q=rain+",
        "search, a beginning": "/api/documents?q=rai",
        "search, two words, best first": "/api/documents?q=rain+week+&sort=best",
        "search, a frequent word, best first": "/api/documents?q=rain+&sort=best",
        "document": f"/api/documents/{key}",
        "desk, suggestions": "/api/suggestions?n=2",
        "desk, classifier": "/api/classifier",
        "alarms": "/api/alarms",
        "health": "/api/health",
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=1, help="then store every document so many times")
    parser.add_argument("--new-word-every", type=int, default=0, help="documents per word that never came before")
    parser.add_argument("--store", help="keep the store there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.store or temporary
        begun = time.process_time()
        if filled(folder, options.documents, options.new_word_every) == options.documents and options.times > 1:
            multiplied(folder, options.times)
        took, begun = time.process_time() - begun, time.process_time()
        service = Service(Options(store=folder, token="large", n_topics=TOPICS))
        print(
            f"{service.writer.n_documents:,} documents over {YEARS} years, {TOPICS} topics: "
            f"{Path(folder, 'driftline.sqlite').stat().st_size / 2**20:,.0f} MB, written in {took:,.0f} CPU s; "
            f"opened in {1000 * (time.process_time() - begun):,.0f} CPU ms.\n"
        )
        with service.readers.reading() as database:
            n_words, n_rows = database.execute(
                "SELECT (SELECT count(*) FROM words), (SELECT count(*) FROM period_words)"
            )[0]
        print(f"{n_words:,} words have been counted, in {n_rows:,} blocks of periods.\n")
        overview.FRESH = 0.0  # drifting words are computed for each answer
        headers = {"Authorization": "Bearer large"}
        with TestClient(make_app(service), base_url="http://127.0.0.1:8765", headers=headers) as client:
            print("| screen | CPU ms | wall ms | answer, KB |\n|---|--:|--:|--:|")
            for name, address in questions(client).items():
                cpu, wall, size = median(client, address)
                print(f"| {name} | {cpu:.0f} | {wall:.0f} | {size / 1024:.0f} |", flush=True)


if __name__ == "__main__":
    main()
