"""A source that reads in its own thread; it continues where the store says, and waits while the queue is full."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from driftline.core.display import one_line
from driftline.service.submissions import Full, Intake, Place, StaleGeneration, Submission

PAUSE = 2.0
"""Seconds before a failed source is tried again."""
log = logging.getLogger("driftline.service")


class ThreadedSource(ABC):
    """Base of the sources: `read` runs in a thread until `stopped`, and is called again after an error."""

    kind = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = "starting"
        self.lag: float | None = None
        self.unit = ""
        self.stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._last: dict[str, Submission] = {}
        """What was handed over last, by part."""

    def start(self, writer: Intake) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, args=(writer,), name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; what was handed over is still stored."""
        self.stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=3)

    def health(self) -> dict[str, Any]:
        """Return state and lag."""
        return {"state": self.state, "lag": self.lag, "unit": self.unit}

    @abstractmethod
    def read(self, writer: Intake) -> None:
        """Read until `stopped`, or until the end."""

    def _run(self, writer: Intake) -> None:
        while not self.stopped.is_set():
            try:
                self.state = "open"
                self._last = {}
                self.read(writer)
                self.state = "ended"
                return
            except StaleGeneration:
                self.state = "taken over by another process"
                return
            except Full:
                return
            except Exception as error:
                self.state = one_line(f"waiting: {error}", longest=200)
                log.warning("%s: %s; trying again", self.name, type(error).__name__)
                self.stopped.wait(PAUSE)

    def hand_over(self, writer: Intake, submission: Submission) -> Submission:
        """Put documents into the queue, waiting for room."""
        self.in_order(submission)
        writer.queue.put(submission, wait=True)
        return submission

    def in_order(self, submission: Submission) -> None:
        """Let a submission count only if the one before it, of the same part, is stored."""
        self.check_last()
        part = "" if submission.place is None else submission.place.part
        submission.follows = self._last.get(part)
        self._last[part] = submission

    def check_last(self) -> None:
        """Raise the error of what was handed over last, so that reading starts again at the stored places."""
        for submission in self._last.values():
            if submission.done.done():
                submission.done.result()

    def finish(self) -> None:
        """Wait until everything is stored; raise the error if it is not."""
        for submission in self._last.values():
            submission.done.result()

    def place(self, writer: Intake, part: str = "") -> Place | None:
        """Return where this source stopped, from the store; asked in the writer's thread."""

        def stored(of: Intake) -> Any:
            sql = "SELECT part, place, mark, generation FROM places WHERE source = ? AND part = ?"
            return of.database.execute(sql, (self.name, part))

        rows = writer.queue.call(stored).result()
        return Place(*rows[0]) if rows else None

    def wait_until(self, moment: float) -> bool:
        """Wait until a time; return False if the source is stopped meanwhile."""
        return not self.stopped.wait(max(0.0, moment - time.time()))
