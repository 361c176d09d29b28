"""The current state that answers need: the models, and the aggregates that are not in the store yet.

In the learning process this is the `Writer`, in a joined process the `Follower`.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from driftline.service.learning.learner import Learner
from driftline.service.recovery import Recovered
from driftline.service.store.database import Database
from driftline.service.submissions import WriterQueue


class Live(Protocol):
    """The current state of a stream."""

    queue: WriterQueue
    """Queue of commands that run between two batches, in the thread that owns the models."""
    newest: int
    """Time of the newest document, in microseconds."""
    n_documents: int
    scores: deque[tuple[float, float, int]]
    """(score, share of unknown words, documents) of the last batches."""
    state: Recovered
    secret: bytes
    failure: BaseException | None

    @property
    def learner(self) -> Learner:
        """The models."""

    @property
    def batch(self) -> int:
        """Number of the last batch."""

    @property
    def is_alive(self) -> bool:
        """Whether the thread is running."""

    def mark(self, database: Database) -> object:
        """Return a mark that changes when aggregates move from memory to the store; None while they do."""

    def start(self) -> None:
        """Start the thread."""

    def stop(self) -> None:
        """End the thread."""
