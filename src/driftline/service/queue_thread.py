"""A thread that processes a queue: start, stop and state."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any

from driftline.service.submissions import Command, WriterQueue


class QueueThread(ABC):
    """Base class of workers that run in their own thread until their queue is closed."""

    queue: WriterQueue

    def __init__(self, name: str) -> None:
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Process the rest of the queue, and end the thread."""
        self.queue.close()
        self._stop.set()
        self._thread.join()

    def answer(self, commands: list[Command[Any]]) -> None:
        """Run commands.

        Not in the loop of the thread: its variable would keep the last command, and with it the models of a refit as
        bytes, until the next one.
        """
        for command in commands:
            command.answer(self)

    @abstractmethod
    def _run(self) -> None:
        """Process the queue until it is closed."""
