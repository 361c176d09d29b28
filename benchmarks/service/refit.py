"""A refit while documents arrive: how long they wait for it, and which topics keep their ids.

    python -m benchmarks.service.refit [--words 200000] [--topics 20]

Stories of the simulated newswire, ten of whose words never came before, are stored until the models know so many words.
Then 200 documents per second arrive, in batches of fifty, for twenty seconds; a refit is requested, and they go on
arriving until ten seconds after the swap. Everything that the writer does for the refit and for snapshots is timed, in
CPU time of its thread (the machine is shared) and in wall time: while it lasts, documents wait.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from driftline.datasets.newswire import simulate_newswire
from driftline.service import writer as writer_module
from driftline.service.json_records import Record, digest_of
from driftline.service.refits import NewModels
from driftline.service.service import Options, Service
from driftline.service.submissions import Submission
from driftline.service.web.app import make_app
from driftline.service.writer import Writer, microseconds

PER_SECOND, PER_BATCH = 200, 50
NEW_WORDS = 10
BEFORE, AFTER = 20.0, 10.0
STEPS = ("batch", "step of a snapshot", "part of the new models stored", "new models stored", "swap")
Times = dict[str, list[tuple[float, float]]]


def timed(times: Times, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that notes its CPU and wall seconds."""

    def wrapped(*arguments: Any) -> Any:
        cpu, wall = time.thread_time(), time.perf_counter()
        try:
            return function(*arguments)
        finally:
            times[name].append((time.thread_time() - cpu, time.perf_counter() - wall))

    return wrapped


class Stories:
    """Stories without end, each with a number."""

    def __init__(self) -> None:
        self._texts = simulate_newswire(50_000, random_state=1).texts
        self._n = 0

    def records(self, n: int, new_words: int) -> list[Record]:
        """Return the next stories, with so many new words each."""
        found = []
        for _ in range(n):
            self._n += 1
            words = "".join(f" w{self._n:x}n{k}" for k in range(new_words))
            text = self._texts[self._n % len(self._texts)] + words
            found.append(Record(microseconds(), text, None, None, digest_of(str(self._n).encode(), b"r")))
        return found


def arriving(service: Service, stories: Stories, ended: threading.Event, waits: list[float]) -> None:
    """Submit documents at a steady rate, and note how long each batch waits for its answer."""
    due = time.time()
    while not ended.is_set():
        time.sleep(max(0.0, due - time.time()))
        due = max(due + PER_BATCH / PER_SECOND, time.time() - 1.0)
        begun = time.perf_counter()
        service.queue.put(submission := Submission("bench", stories.records(PER_BATCH, 0)))
        submission.done.result()
        waits.append(time.perf_counter() - begun)


def table(times: Times) -> None:
    """Print what the writer did, and for how long."""
    print("| the writer | times | longest, CPU ms | longest, wall ms |\n|---|--:|--:|--:|")
    for name in STEPS:
        found = times[name]
        longest = [1000 * max((each[k] for each in found), default=0.0) for k in (0, 1)]
        print(f"| {name} | {len(found)} | {longest[0]:.0f} | {longest[1]:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--topics", type=int, default=20)
    options = parser.parse_args()
    times: Times = {name: [] for name in STEPS}
    store = Writer._store
    Writer._store = timed(times, STEPS[0], store)  # type: ignore[method-assign]
    Writer._save_step = timed(times, STEPS[1], Writer._save_step)  # type: ignore[method-assign]
    NewModels.store_part = timed(times, STEPS[2], NewModels.store_part)  # type: ignore[method-assign]
    NewModels.store = timed(times, STEPS[3], NewModels.store)  # type: ignore[method-assign]
    NewModels.swap = timed(times, STEPS[4], NewModels.swap)  # type: ignore[method-assign]
    writer_module.SNAPSHOT_SECONDS = 10.0
    stories, ended, waits = Stories(), threading.Event(), []
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Options(store=folder, token="refit", n_topics=options.topics))
        app = TestClient(make_app(service), base_url="http://127.0.0.1:8765", headers={"Authorization": "Bearer refit"})
        with app as client:
            while service.writer.learner.words.n_slots < options.words:
                service.queue.put(submission := Submission("bench", stories.records(2_000, NEW_WORDS)))
                submission.done.result()
            service.refits.stop()  # the one that is due because there are ten times the documents
            service.refits = type(service.refits)(service)
            service.refits.due = lambda: None  # type: ignore[method-assign]
            service.refits.start()
            for found in times.values():
                found.clear()
            feeder = threading.Thread(target=arriving, args=(service, stories, ended, waits))
            feeder.start()
            time.sleep(BEFORE)
            before, old = len(waits), {topic["id"] for topic in client.get("/api/topics").json()["topics"]}
            begun = time.time()
            client.post("/api/refit", json={}).raise_for_status()
            while service.refits.finished is None and service.refits.state != "failed":
                time.sleep(0.2)
            took = time.time() - begun
            time.sleep(AFTER)
            ended.set()
            feeder.join()
            new = service.writer.learner.ids.tolist()
            version, n_words = service.writer.learner.version, service.writer.learner.words.n_slots
            n = service.writer.n_documents
    print(f"{n:,} documents, {n_words:,} words, {options.topics} topics; {PER_SECOND} documents per second.\n")
    table(times)
    slowest = [1000 * max(part) for part in (waits[:before], waits[before:])]
    print(
        f"\nThe refit took {took:.0f} s; version {version} is in use; {len(old & set(new))} of {len(new)} topics kept "
        f"their ids. Longest wait of a batch: {slowest[0]:.0f} ms before the refit was requested, "
        f"{slowest[1]:.0f} ms since."
    )


if __name__ == "__main__":
    main()
