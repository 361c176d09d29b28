"""What sources hand to the writer, and the queue between them, bounded in bytes: sources wait or are refused."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from driftline.service.json_records import Record, Rejected
from driftline.service.store.database import Database

QUEUE_BYTES = 32 * 2**20
MOST_DOCUMENTS = 2_000
"""Documents of a batch."""
LINGER = 0.02
"""Seconds that a small batch waits for more documents."""
DRAIN_SECONDS = 4.0
"""Seconds for which documents are still taken out of a closed queue; the others have not been confirmed."""
PER_DOCUMENT = 200
"""Bytes of a waiting document beside its text."""


class Place(NamedTuple):
    """Where a source continues after these documents: offset and mark of a part, fenced by its generation."""

    part: str
    place: int
    mark: str | None = None
    generation: int = 0


class Outcome(NamedTuple):
    """What became of a submission: stored documents, repetitions, and the batch."""

    taken: int
    repeated: int
    batch: int | None


def promise() -> Future[Any]:
    """Return a future that only its maker ends: who waits for it may give up, but cannot cancel it.

    >>> promise().cancel()
    False
    """
    found: Future[Any] = Future()
    found.set_running_or_notify_cancel()
    return found


@dataclass
class Submission:
    """Documents of one source, with the place after them. `done` has the `Outcome` after the commit."""

    source: str
    records: list[Record]
    place: Place | None = None
    rejected: list[Rejected] = field(default_factory=list)
    where: str = "line"
    arrived: float = field(default_factory=time.time)
    inbox: int | None = None
    """Row of the inbox that these documents come from, and that their commit removes."""
    follows: Submission | None = None
    """What the same part of the source handed over before: if that is not stored, this must not be, either, or the
    place of the source would move past it."""
    done: Future[Outcome] = field(default_factory=promise)

    def is_cut_off(self) -> bool:
        """Return whether what it follows was not stored; it is then refused."""
        before, self.follows = self.follows, None  # else all that ever came would stay in memory
        if before is None or not before.done.done() or before.done.exception() is None:
            return False
        self.done.set_exception(CutOff("documents before these were not stored"))
        return True

    @property
    def size(self) -> int:
        """Bytes in memory, roughly."""
        return sum(len(record.text) + PER_DOCUMENT for record in self.records) + PER_DOCUMENT


@dataclass
class Command:
    """Something else that the writer does between two batches: `run` is called in its thread with the writer."""

    run: Any
    done: Future[Any] = field(default_factory=promise)

    def answer(self, owner: object) -> None:
        """Call it with the owner of the queue, in whose thread this is."""
        try:
            self.done.set_result(self.run(owner))
        except BaseException as error:
            self.done.set_exception(error)


class Full(Exception):
    """The queue is full; the sender should wait."""


class CutOff(Exception):
    """What the source handed over before was not stored; it starts again there."""


class StaleGeneration(Exception):
    """Another process reads this part of a source now."""


class WriterQueue:
    """Submissions in order of arrival, and commands, which come first.

    >>> queue = WriterQueue()
    >>> queue.put(Submission("http", [Record(0, "rain", None, None, 1)]))
    >>> batch, commands = queue.take(0.0)
    >>> len(batch), len(commands), queue.n_bytes
    (1, 0, 0)
    """

    def __init__(self, limit: int = QUEUE_BYTES) -> None:
        self.limit = limit
        self.n_bytes = 0
        self._n_documents = 0
        self._submissions: deque[tuple[Submission, int]] = deque()
        self._commands: deque[Command] = deque()
        self._changed = threading.Condition()
        self.closed = False
        self.ended = False
        self._until = float("inf")

    def put(self, submission: Submission, *, wait: bool = False) -> None:
        """Append a submission; if the queue is full, wait for room or raise `Full`."""
        size = submission.size
        with self._changed:
            while self.n_bytes and self.n_bytes + size > self.limit and not self.closed:
                if not wait:
                    raise Full
                self._changed.wait(0.5)
            if self.closed:
                raise Full
            self._submissions.append((submission, size))
            self.n_bytes += size
            self._n_documents += len(submission.records)
            self._changed.notify_all()

    def call(self, run: object) -> Future[Any]:
        """Let the writer call a function between two batches; return its future result."""
        command = Command(run)
        with self._changed:
            if self.ended:
                command.done.set_exception(Full())
                return command.done
            self._commands.append(command)
            self._changed.notify_all()
        return command.done

    def take(self, wait: float) -> tuple[list[Submission], list[Command]]:
        """Return up to a batch of documents, and all commands; wait for the first of them."""
        with self._changed:
            if not self._submissions and not self._commands:
                self._changed.wait(wait)
            if self._submissions and not self._commands and self._n_documents < MOST_DOCUMENTS and not self.closed:
                self._changed.wait(LINGER)
            commands = list(self._commands)
            self._commands.clear()
            taken: list[Submission] = []
            n = 0
            while self._submissions and time.monotonic() < self._until:
                submission, size = self._submissions[0]
                if taken and n + len(submission.records) > MOST_DOCUMENTS:
                    break
                self._submissions.popleft()
                self.n_bytes -= size
                self._n_documents -= len(submission.records)
                taken.append(submission)
                n += len(submission.records)
            self._changed.notify_all()
        return taken, commands

    def end(self) -> None:
        """Refuse commands, too: nobody takes them any more."""
        with self._changed:
            self.ended = True
            for command in self._commands:
                command.done.set_exception(Full())
            for submission, _ in self._submissions:
                submission.done.set_exception(Full())
            self._commands.clear()
            self._submissions.clear()

    def close(self) -> None:
        """Refuse further submissions; those inside are still taken for some seconds."""
        with self._changed:
            if not self.closed:
                self.closed, self._until = True, time.monotonic() + DRAIN_SECONDS
            self._changed.notify_all()


class Intake(Protocol):
    """Where documents are handed in: the writer, or the inbox of a process that joined another one."""

    queue: WriterQueue
    database: Database
    secret: bytes
    """With which documents are recognised."""
    failure: BaseException | None

    def start(self) -> None:
        """Start the thread that takes from the queue."""

    def stop(self) -> None:
        """Commit what is in the queue, and end the thread."""
