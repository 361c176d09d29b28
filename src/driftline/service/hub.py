"""Events to all readers: encoded once, at most five deltas per second; a slow reader gets a gap instead of a queue."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

MOST_READERS = 1_000
MOST_WAITING = 64
"""Events that wait for a slow reader before it gets a gap."""
COMMENT_EVERY = 15.0
"""Seconds between the comments that connections get, so that proxies keep them open."""


class TooManyReaders(Exception):
    """No further reader of events is accepted."""


def encoded(kind: str, data: object, batch: int) -> bytes:
    """Return an event as server-sent events have it.

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
        """(when, seconds from arrival to event) of the last deltas."""
        self._closed = False

    @property
    def n_readers(self) -> int:
        """Number of open connections."""
        return len(self._readers)

    def send(self, kind: str, data: object, batch: int | None = None) -> None:
        """Send an event to every reader; encoded once."""
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
        """Yield events for one connection, after some first ones, until it or the service ends.

        The first ones are made when the reader is already known, so that no event falls between them and the rest.
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
        """Send a comment to silent connections now and then, for ever; one task for all of them."""
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
        """Say goodbye to all readers and end their connections."""
        self._closed = True
        message = encoded("bye", {"retry": retry}, self.batch)
        for reader in self._readers:
            reader.put_nowait(message)
            reader.put_nowait(None)

    def latency(self, window: float = 300.0) -> dict[str, Any]:
        """Return median and 95th percentile of the seconds from arrival to event, of the last five minutes."""
        since = time.time() - window
        found = sorted(value for when, value in self.latencies if when >= since)
        if not found:
            return {"p50": None, "p95": None, "n": 0}
        return {
            "p50": found[len(found) // 2],
            "p95": found[min(len(found) - 1, int(0.95 * len(found)))],
            "n": len(found),
        }
