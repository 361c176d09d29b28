"""A source that reads in its own thread, starts at its stored place, and waits while the queue is full."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from driftline.core.display import one_line
from driftline.core.errors import SourceNotFound
from driftline.service.answers.running import SourceState
from driftline.service.submissions import Full, Intake, Place, Submission

PAUSE = 2.0
"""Seconds before a failed source is read again."""
log = logging.getLogger("driftline.service")


class Unreadable(Exception):
    """The source cannot be read, and another attempt would not help; the message says why."""


class ThreadedSource(ABC):
    """Base class of sources: `read` runs in a thread until `stopped` is set, and is called again after an error."""

    kind = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = "starting"
        self.lag: float | None = None
        self.unit = ""
        self.stopped = threading.Event()
        self.over = threading.Event()
        """Set when nothing more is read: at the end, after a stop, or if the source does not exist."""
        self._thread: threading.Thread | None = None
        self._last: dict[str, Submission] = {}
        """The last submission of each part."""
        self._fault = ""
        """The last error, so that one that occurs again is not logged again."""

    def start(self, writer: Intake) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, args=(writer,), name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; documents already submitted are still stored."""
        self.stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=3)

    def health(self) -> SourceState:
        """Return state and lag."""
        return {"state": self.state, "lag": self.lag, "unit": self.unit}

    @abstractmethod
    def read(self, writer: Intake) -> None:
        """Read until `stopped`, or until the end."""

    def _run(self, writer: Intake) -> None:
        try:
            self._read_again(writer)
        finally:
            self.over.set()

    def _read_again(self, writer: Intake) -> None:
        while not self.stopped.is_set():
            try:
                self.state = "open"
                self._last = {}
                self.read(writer)
                self.state = "ended"
                return
            except Full:
                return
            except (SourceNotFound, Unreadable) as error:
                self.state = one_line(str(error), longest=200)
                log.warning("%s is not read: %s", self.name, self.state)
                return
            except Exception as error:
                self.state = one_line(f"waiting: {error}", longest=200)
                if self.state != self._fault:
                    log.warning("%s: %s; trying again", self.name, type(error).__name__)
                self._fault = self.state
                self.stopped.wait(PAUSE)

    def hand_over(self, writer: Intake, submission: Submission) -> Submission:
        """Put documents into the queue; wait while it is full."""
        self.in_order(submission)
        writer.queue.put(submission, wait=True)
        return submission

    def offer(self, writer: Intake, submission: Submission) -> bool:
        """Put documents into the queue without waiting; return False if it is full, or raise `Full` if it is closed."""
        try:
            writer.queue.put(submission)
        except Full:
            if writer.queue.closed:
                raise
            return False
        return True

    def in_order(self, submission: Submission) -> None:
        """Make a submission depend on the previous one of the same part: it is stored only if that one is."""
        self.check_last()
        part = "" if submission.place is None else submission.place.part
        submission.follows = self._last.get(part)
        self._last[part] = submission

    def check_last(self) -> None:
        """Raise the error of the last submissions, if any, so that reading starts again at the stored places."""
        for submission in self._last.values():
            if submission.done.done():
                submission.done.result()

    def finish(self) -> None:
        """Wait until all submissions are stored; raise the error of one that is not."""
        for submission in self._last.values():
            submission.done.result()

    def place(self, writer: Intake, part: str = "") -> Place | None:
        """Return the stored place of this source, read in the writer's thread; None for a new source."""

        def stored(of: Intake) -> Any:
            sql = "SELECT part, place, mark, generation FROM places WHERE source = ? AND part = ?"
            return of.database.execute(sql, (self.name, part))

        rows = writer.queue.call(stored).result()
        return Place(*rows[0]) if rows else None

    def wait_until(self, moment: float) -> bool:
        """Wait until a time; return False if the source is stopped before it."""
        return not self.stopped.wait(max(0.0, moment - time.time()))
