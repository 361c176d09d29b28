"""The service as a whole: store, writer, readers, desk, sources and events, started and stopped together."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import driftline
from driftline.core.freed_memory import release_memory
from driftline.service.alarms import AlarmRow
from driftline.service.answers import Alarm, Classifier
from driftline.service.answers.running import SourceState
from driftline.service.deltas import Arrivals, DeltaMaker
from driftline.service.desk import Desk
from driftline.service.follower import Follower
from driftline.service.hub import Hub
from driftline.service.live import Live
from driftline.service.refits import Refits
from driftline.service.retention import AT_A_TIME, remove_old
from driftline.service.security import Limits, Sessions, Tokens, new_token
from driftline.service.sources.inbox import InboxSource, InboxWriter
from driftline.service.store.database import StoreUnreachable
from driftline.service.store.opened import open_store
from driftline.service.submissions import Intake, WriterQueue
from driftline.service.views.alarms import alarms_shown
from driftline.service.views.overview import DriftCache
from driftline.service.views.read_connections import Readers
from driftline.service.webhooks import Webhooks
from driftline.service.writer import Writer, disk_share, microseconds

DELTA_EVERY = 0.2
"""Minimum seconds between two deltas."""
RETENTION_EVERY = RELEASE_EVERY = 60.0
log = logging.getLogger("driftline.service")


class Source(Protocol):
    """A source that submits documents to the writer, in its own thread."""

    name: str
    kind: str

    def start(self, writer: Intake) -> None:
        """Start reading at the stored place."""

    def stop(self) -> None:
        """Stop reading."""

    def health(self) -> SourceState:
        """Return state and lag."""


@dataclass
class Options:
    """The options of `driftline serve`."""

    store: str = "driftline-live"
    n_topics: int = 20
    keep: float | None = None
    """Days after which text is removed; None keeps all."""
    token: str | None = None
    demo: bool = False
    webhooks: tuple[str, ...] = ()
    webhook_secret: str = ""
    sources: list[Source] = field(default_factory=list)
    labels: tuple[str, ...] = ()
    join: bool = False
    """Whether another process learns, and this one only accepts documents and answers requests."""
    refit_on: str | None = None
    """Address of the scheduler of a Dask cluster on which refits run."""


class Service:
    """All parts of a running service."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.started = time.time()
        self.version = driftline.__version__
        self.folder = None if "://" in options.store else Path(options.store)
        self.hub = Hub()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.writer: Live
        """The state from which requests are answered."""
        self.intake: Intake
        """The intake of documents."""
        self.sources = list(options.sources)
        if options.join:
            self.writer = Follower(options.store, n_topics=options.n_topics, publish=self._published)
            self.intake = InboxWriter(options.store)
        else:
            self.writer = self.intake = self._learning()
            if self.folder is None:
                self.sources.append(InboxSource(options.store))
        self.queue = self.writer.queue
        self.readers = Readers(options.store, self.writer)
        self.cache = DriftCache()
        self.desk = Desk(self.readers, self._published)
        self.token = options.token or self._own_token()
        self.tokens = Tokens(self.token)
        self.sessions = Sessions(self.writer.secret)
        self.limits = Limits()
        self.refits = Refits(self)
        self.webhooks = Webhooks(self.queue, options.webhooks, options.webhook_secret)
        self._arrivals = Arrivals()
        self._has_arrivals = asyncio.Event()
        self._maker = DeltaMaker(self.readers, self.cache)
        self._tasks: list[asyncio.Task[None]] = []
        self._once: set[asyncio.Task[None]] = set()
        self.counts: list[tuple[float, int]] = []
        self.is_stopping = False
        self._ending: list[Future[None]] = []

    def _learning(self) -> Writer:
        """Return the writer of the learning process, of which a store has one."""
        options = self.options
        database = open_store(options.store, writes=True)
        database.lock()
        return Writer(
            database,
            WriterQueue(),
            n_topics=options.n_topics,
            publish=self._published,
            disk=self.folder,
            targets=options.webhooks,
        )

    def _own_token(self) -> str:
        """Return the console token of this store; it survives restarts and is readable by its owner only."""
        if self.folder is None:
            return new_token()
        path = self.folder / "token"
        if path.is_file():
            found = path.read_text().strip()
            if found:
                return found
        token = new_token()
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(token + "\n")
        return token

    async def start(self) -> None:
        """Start the writer, the sources and the events."""
        self.loop = asyncio.get_running_loop()
        self.hub.batch = self.writer.batch
        self.writer.start()
        if self.options.join:
            self.intake.start()
        for source in self.sources:
            source.start(self.intake)
        forever = (self._send_deltas(), self.hub.keep_open(), self._release_memory())
        self._tasks = [asyncio.create_task(task) for task in forever]
        if not self.options.join:
            self.webhooks.start()
            self.refits.start()
            self._tasks.append(asyncio.create_task(self._remove_old()))

    def begin_to_stop(self) -> None:
        """End the intake, the connections of the readers, and all threads except the writer's."""
        if self.is_stopping:
            return
        self.is_stopping = True
        self.hub.close()
        self.intake.queue.close()
        stops = [self.desk.stop, *(source.stop for source in self.sources)]
        if not self.options.join:
            stops += [self.webhooks.stop, self.refits.stop]
        threads = ThreadPoolExecutor(len(stops), "stop")  # the other threads may take longer
        self._ending = [threads.submit(stop) for stop in stops]
        threads.shutdown(wait=False)

    async def stop(self) -> None:
        """Commit the queue, save the models, and stop."""
        self.begin_to_stop()
        await asyncio.gather(*map(asyncio.wrap_future, self._ending))
        await asyncio.to_thread(self.intake.stop)
        if self.options.join:
            await asyncio.to_thread(self.writer.stop)
        for task in self._tasks:
            task.cancel()
        await asyncio.to_thread(self.readers.close)
        self.intake.database.close()

    def _published(self, kind: str, data: object) -> None:
        """Receive an event from another thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._on_event, kind, data)

    def _on_event(self, kind: str, data: Any) -> None:
        if kind == "batch":
            self._arrivals.add(data)
            self._has_arrivals.set()
            self.counts.append((time.time(), len(data["keys"])))
            del self.counts[:-2_000]
        elif kind == "alarm":
            self._later(self._send_alarm(data))
        elif kind == "learned":
            self._later(self._send_learned())
        elif kind in ("swapped", "renamed", "deleted", "label"):
            self.hub.send(kind, data, self.writer.batch)

    def _later(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._once.add(task)
        task.add_done_callback(self._once.discard)

    async def _send_alarm(self, row: AlarmRow) -> None:
        def shown() -> Alarm:
            with self.readers.reading() as database:
                return alarms_shown(database, [row])[0]

        self.hub.send("alarm", {"alarm": await asyncio.to_thread(shown)})

    async def _send_learned(self) -> None:
        def state() -> Classifier:
            with self.readers.reading() as database:
                return self.desk.classifier(database)

        self.hub.send("learned", {"classifier": await asyncio.to_thread(state)})

    async def _send_deltas(self) -> None:
        """Send deltas of new documents: at once, or a fifth of a second after the last delta."""
        sent = -DELTA_EVERY
        while True:
            await self._has_arrivals.wait()
            await asyncio.sleep(max(0.0, sent + DELTA_EVERY - time.monotonic()))
            self._has_arrivals.clear()
            sent = time.monotonic()
            arrivals, self._arrivals = self._arrivals, Arrivals()
            try:
                delta = await asyncio.to_thread(self._maker.make, arrivals)
            except StoreUnreachable:
                log.warning("a delta could not be made: the store cannot be reached")
                continue
            except Exception:
                log.exception("a delta could not be made")
                continue
            self.hub.send("delta", delta, arrivals.batch)
            if arrivals.arrived is not None:
                self.hub.latencies.append((time.time(), time.time() - arrivals.arrived))

    async def _remove_old(self) -> None:
        while True:
            await asyncio.sleep(RETENTION_EVERY)
            keep = self.options.keep
            if keep is None:
                continue
            before = min(self.writer.newest, microseconds()) - int(keep * 86_400e6)
            removed = AT_A_TIME
            with suppress(StoreUnreachable):  # the next attempt is in a minute
                while removed == AT_A_TIME:
                    removed = await asyncio.wrap_future(self.queue.call(partial(remove_old, before=before)))

    async def _release_memory(self) -> None:
        """Return freed memory to the system at intervals: a refit leaves gaps of tens of megabytes."""

        def release() -> None:
            self.readers.release_memory()
            release_memory()

        while True:
            await asyncio.sleep(RELEASE_EVERY)
            await asyncio.to_thread(release)

    def per_second(self, window: float = 10.0) -> float:
        """Return the number of documents per second over the last ten seconds."""
        since = time.time() - window
        return sum(n for when, n in self.counts if when >= since) / window

    @property
    def is_ready(self) -> bool:
        """Whether the service accepts documents."""
        return (
            self.writer.is_alive
            and self.writer.failure is None
            and self.intake.failure is None
            and not self.is_stopping
            and (self.folder is None or disk_share(self.folder) >= 0.05)
        )
