"""Submissions of sources to the writer, and the queue between them, bounded in bytes: sources wait or are refused."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from driftline.service.json_records import Record, Rejected
from driftline.service.store.database import Database

QUEUE_BYTES = 32 * 2**20
MOST_DOCUMENTS = 2_000
"""Maximum number of documents per batch."""
LINGER = 0.02
"""Seconds for which a small batch waits for more documents."""
DRAIN_SECONDS = 4.0
"""Seconds for which a closed queue is still processed; later documents were not confirmed and are sent again."""
PER_DOCUMENT = 200
"""Memory of a waiting document in bytes, in addition to its text."""


class Place(NamedTuple):
    """The position after these documents: offset and mark of a part of a source, fenced by its generation."""

    part: str
    place: int
    mark: str | None = None
    generation: int = 0


R = TypeVar("R")


class Outcome(NamedTuple):
    """The outcome of a submission: number of stored documents, of repetitions, and the batch."""

    taken: int
    repeated: int
    batch: int | None


def promise() -> Future[R]:
    """Return a future that waiters cannot cancel; only its creator completes it.

    >>> promise().cancel()
    False
    """
    found: Future[R] = Future()
    found.set_running_or_notify_cancel()
    return found


@dataclass
class Submission:
    """Documents of one source, with the position after them. `done` contains the `Outcome` after the commit."""

    source: str
    records: list[Record]
    place: Place | None = None
    rejected: list[Rejected] = field(default_factory=list)
    n_unlisted: int = 0
    """Number of further rejected records, which are counted but not listed."""
    where: str = "line"
    arrived: float = field(default_factory=time.time)
    inbox: int | None = None
    """Row of the inbox with these documents, which their commit removes."""
    follows: Submission | None = None
    """The previous submission of the same part of the source. If it was not stored, this one must not be stored
    either, because the position of the source would then be after both."""
    done: Future[Outcome] = field(default_factory=promise)

    def is_cut_off(self) -> bool:
        """Refuse this submission if the one it follows was not stored; return whether it was refused."""
        before, self.follows = self.follows, None  # otherwise all earlier submissions would stay in memory
        if before is None or not before.done.done() or before.done.exception() is None:
            return False
        self.done.set_exception(CutOff("documents before these were not stored"))
        return True

    @property
    def size(self) -> int:
        """Approximate size in memory in bytes."""
        return sum(len(record.text) + PER_DOCUMENT for record in self.records) + PER_DOCUMENT


@dataclass
class Command(Generic[R]):
    """A command that the writer runs between two batches: `run` is called in its thread with the writer."""

    run: Callable[..., R]
    done: Future[R] = field(default_factory=promise)

    def answer(self, owner: object) -> None:
        """Run the command, in the thread of the owner of the queue."""
        try:
            self.done.set_result(self.run(owner))
        except BaseException as error:
            self.done.set_exception(error)


class Full(Exception):
    """The queue is full; the sender should wait."""


class CutOff(Exception):
    """An earlier submission of the source was not stored; the source starts again there."""


class StaleGeneration(Exception):
    """Another process reads this part of a source now."""


class WriterQueue:
    """A queue of submissions in order of arrival, and of commands, which come first.

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
        self._commands: deque[Command[Any]] = deque()
        self._changed = threading.Condition()
        self.closed = False
        self.ended = False
        self._until = float("inf")

    def put(self, submission: Submission, *, wait: bool = False) -> None:
        """Append a submission; if the queue is full, wait or raise `Full`."""
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

    def call(self, run: Callable[..., R]) -> Future[R]:
        """Schedule a function that the writer calls between two batches; return its future result."""
        command = Command(run)
        with self._changed:
            if self.ended:
                command.done.set_exception(Full())
                return command.done
            self._commands.append(command)
            self._changed.notify_all()
        return command.done

    def take(self, wait: float) -> tuple[list[Submission], list[Command[Any]]]:
        """Return at most a batch of submissions, and all commands; wait for the first of them."""
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
        """Refuse commands, too, after the thread that runs them has ended."""
        with self._changed:
            self.ended = True
            for command in self._commands:
                command.done.set_exception(Full())
            for submission, _ in self._submissions:
                submission.done.set_exception(Full())
            self._commands.clear()
            self._submissions.clear()

    def close(self) -> None:
        """Refuse further submissions; those in the queue are processed for some seconds more."""
        with self._changed:
            if not self.closed:
                self.closed, self._until = True, time.monotonic() + DRAIN_SECONDS
            self._changed.notify_all()


class Intake(Protocol):
    """The intake of documents: the writer, or the inbox of a joined process."""

    queue: WriterQueue
    database: Database
    secret: bytes
    """Secret key of the digests of documents."""
    failure: BaseException | None

    def start(self) -> None:
        """Start the thread that processes the queue."""

    def stop(self) -> None:
        """Commit the submissions in the queue, and end the thread."""
