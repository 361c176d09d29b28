"""A service for tests, in a folder and without a network, with a client."""

from __future__ import annotations

import contextlib
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from driftline.datasets.newswire import simulate_newswire
from driftline.service.json_records import read_lines
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer

TOKEN = "a-token-for-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ADDRESS = "http://127.0.0.1:8765"


def story_lines(n: int, seed: int = 0, first: int = 0) -> list[bytes]:
    """Return stories of the simulated newswire, which are spread over a year, as JSON lines."""
    wire = simulate_newswire(max(n + first, 100), random_state=seed)
    rows = zip(wire.ids, np.datetime_as_string(wire.times, unit="s"), wire.texts)
    lines = [json.dumps({"id": i, "time": f"{t}Z", "text": x}).encode() for i, t, x in rows]
    return lines[first : first + n]


@contextlib.contextmanager
def writing(store: str, n_topics: int = 6) -> Iterator[Writer]:
    """Open a store with a writer whose thread is not started."""
    database = open_store(store, writes=True)
    try:
        yield Writer(database, WriterQueue(), n_topics=n_topics)
    finally:
        database.close()


def take(writer: Writer, lines: list[bytes], batch: int = 200, source: str = "test") -> list[Any]:
    """Process lines in batches by a writer."""
    outcomes = []
    for start in range(0, len(lines), batch):
        found = read_lines(lines[start : start + batch], now=2**60, secret=writer.secret)
        submission = Submission(source, found.records, rejected=found.rejected)
        writer.process([submission])
        outcomes.append(submission.done.result())
    return outcomes


@contextlib.contextmanager
def served(store: Path | str, **more: Any) -> Iterator[Any]:
    """Run a service and yield a client of it, with the service as `client.service`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it prefers a newer httpx
        from starlette.testclient import TestClient

    from driftline.service.service import Options, Service
    from driftline.service.web.app import make_app

    gate = {name: more.pop(name) for name in ("hosts", "proxy") if name in more}
    service = Service(Options(store=str(store), token=TOKEN, **{"n_topics": 6, **more}))
    with TestClient(make_app(service, **gate), base_url=ADDRESS, headers=BEARER) as client:
        client.service = service
        yield client


def send(client: Any, lines: list[bytes], **headers: str) -> Any:
    """Send documents and return the answer."""
    return client.post("/api/documents", content=b"\n".join(lines), headers=headers)


def wait_for(condition: Any, seconds: float = 120.0) -> Any:
    """Wait until a function returns something true, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("the condition was not met in time")
