"""The thread that takes from a queue: how it is started, ended, and seen to work."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from driftline.service.submissions import WriterQueue


class QueueThread(ABC):
    """Base of what works in a thread of its own until its queue is closed; `_run` is its work."""

    queue: WriterQueue

    def __init__(self, name: str) -> None:
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        """Whether the thread works."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is in the queue, and end the thread."""
        self.queue.close()
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Work until the queue is closed."""
