"""Sending events to all readers: each is encoded once; a slow reader gets a gap event instead of a growing queue."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable

from driftline.service.answers.running import Latency

MOST_READERS = 1_000
MOST_WAITING = 64
"""Maximum number of events in the queue of a reader; a slower one gets a gap event."""
COMMENT_EVERY = 15.0
"""Seconds between comments on idle connections, so that proxies keep them open."""


class TooManyReaders(Exception):
    """The maximum number of readers is reached."""


def encoded(kind: str, data: object, batch: int) -> bytes:
    """Return an event in the format of server-sent events.

    >>> encoded("gap", {"batch": 3}, 3)
    b'id: 3\\nevent: gap\\ndata: {"batch":3}\\n\\n'
    """
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"id: {batch}\nevent: {kind}\ndata: {body}\n\n".encode()


class Hub:
    """The readers of events, all in the event loop."""

    def __init__(self) -> None:
        self._readers: set[asyncio.Queue[bytes | None]] = set()
        self.batch = 0
        self.latencies: deque[tuple[float, float]] = deque(maxlen=10_000)
        """(time, seconds from arrival to event) of the last deltas."""
        self._closed = False

    @property
    def n_readers(self) -> int:
        """Number of open connections."""
        return len(self._readers)

    def send(self, kind: str, data: object, batch: int | None = None) -> None:
        """Encode an event once and send it to every reader."""
        self.batch = self.batch if batch is None else batch
        message = encoded(kind, data, self.batch)
        for reader in self._readers:
            self._put(reader, message)

    def _put(self, reader: asyncio.Queue[bytes | None], message: bytes) -> None:
        if reader.qsize() >= MOST_WAITING:
            while not reader.empty():
                reader.get_nowait()
            message = encoded("gap", {"batch": self.batch}, self.batch)
        reader.put_nowait(message)

    async def events(self, first: Callable[[], list[bytes]]) -> AsyncIterator[bytes]:
        """Yield the first events and then all later ones, until the connection or the service ends.

        The first events are made after the reader is registered, so that no event between them and the rest is lost.
        """
        reader: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._readers.add(reader)
        try:
            for message in first():
                yield message
            while not self._closed:
                found = await reader.get()
                if found is None:
                    return
                yield found
        finally:
            self._readers.discard(reader)

    async def keep_open(self) -> None:
        """Send comments to idle connections, in one endless task for all of them."""
        while True:
            await asyncio.sleep(COMMENT_EVERY)
            for reader in self._readers:
                if reader.empty():
                    reader.put_nowait(b": open\n\n")

    def check_room(self) -> None:
        """Raise `TooManyReaders` if there are too many connections."""
        if len(self._readers) >= MOST_READERS:
            raise TooManyReaders

    def close(self, retry: float = 2.0) -> None:
        """Send a last event to all readers and end their connections."""
        self._closed = True
        message = encoded("bye", {"retry": retry}, self.batch)
        for reader in self._readers:
            reader.put_nowait(message)
            reader.put_nowait(None)

    def latency(self, window: float = 300.0) -> Latency:
        """Return median and 95th percentile of the seconds from arrival to event, of the last five minutes."""
        since = time.time() - window
        latencies = list(self.latencies)  # one step of the interpreter: another thread adds to them meanwhile
        found = sorted(value for when, value in latencies if when >= since)
        if not found:
            return {"p50": None, "p95": None, "n": 0}
        return {
            "p50": found[len(found) // 2],
            "p95": found[min(len(found) - 1, int(0.95 * len(found)))],
            "n": len(found),
        }
