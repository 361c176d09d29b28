"""A joined process replays the commits of the learning process, and therefore has the same models and aggregates.

PostgreSQL notifies it of every commit. The replay is the one of a restart, so its models have the same bytes as those
of the learning process; the processes share nothing but the batches in the store.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.learning.learner import Learner
from driftline.service.log_events import event_of
from driftline.service.queue_thread import QueueThread
from driftline.service.recovery import Recovered, recover, replay
from driftline.service.store.batch_rows import newest_time
from driftline.service.store.database import Database, StoreError, StoreUnreachable
from driftline.service.store.opened import open_store, setting_of
from driftline.service.submissions import WriterQueue

WAIT = 0.05
"""Maximum seconds of waiting for a notification, and so the longest delay of a command of this process."""
LOOK_EVERY = TRY_EVERY = 1.0
"""Seconds after which the store is read without a notification."""
WATCHED = 100
"""Number of newest alarms that are checked for changes."""
log = logging.getLogger("driftline.service")


class Position(NamedTuple):
    """Progress of a store: its last batch, the last batch with stored aggregates, and the version of the models."""

    batch: int
    flushed: int
    version: int


def position(database: Database) -> Position:
    """Return the progress of a store, read in one statement."""
    row = database.execute(
        "SELECT (SELECT coalesce(max(number), 0) FROM batches), "
        "(SELECT value FROM settings WHERE name = 'flushed'), (SELECT value FROM settings WHERE name = 'version')"
    )[0]
    return Position(int(row[0]), int(row[1] or 0), int(row[2] or 1))


class Follower(QueueThread):
    """Replicates the `Writer` of another process and publishes its commits, in its own thread."""

    def __init__(
        self, where: str, *, n_topics: int, publish: Callable[[str, object], None] = lambda kind, data: None
    ) -> None:
        super().__init__("follower")
        self.database = open_store(where, writes=False)
        self.queue, self.n_topics, self.publish = WriterQueue(), n_topics, publish
        try:
            secret = setting_of(self.database, "secret")
        except Exception:  # the tables do not exist yet
            secret = ""
        if not secret:
            self.database.close()
            raise StoreError("no service has written to this store yet; start one without --join first")
        self.secret = bytes.fromhex(secret)
        self.scores: deque[tuple[float, float, int]] = deque(maxlen=500)
        self._moves = 0
        """Counter that is odd while the aggregates in memory are replaced."""
        self._recover()
        self.n_documents = int(self.database.execute("SELECT coalesce(sum(n), 0) FROM batches")[0][0])
        self.newest = newest_time(self.database)
        self._alarms = {row.id: row for row in self._newest_alarms()}

    @property
    def learner(self) -> Learner:
        """The models."""
        return self.state.learner

    @property
    def batch(self) -> int:
        """Number of the last batch that was replayed."""
        return self._position.batch

    def mark(self, database: Database) -> object:
        """Return a mark that changes when aggregates move from memory to the store; None while they differ."""
        flushed = position(database).flushed
        return None if self._moves % 2 or flushed != self._position.flushed else (self._moves, flushed)

    def stop(self) -> None:
        """End the thread."""
        super().stop()
        self.database.close()

    def _run(self) -> None:
        try:
            looked = 0.0
            while not self._stop.is_set():
                self.answer(self.queue.take(0.0)[1])
                try:
                    is_changed = self.database.wait_for_change(WAIT)
                    if is_changed or self.failure is not None or time.monotonic() - looked > LOOK_EVERY:
                        looked = time.monotonic()
                        self.catch_up()
                    self.failure = None
                except StoreUnreachable as error:
                    self.failure = error
                    self._stop.wait(TRY_EVERY)
        except BaseException as error:  # the service then reports itself as not ready
            self.failure = error
            log.exception("the follower stopped")
        finally:
            self.queue.end()

    def catch_up(self) -> None:
        """Replay the commits since the last call."""
        now = position(self.database)
        before = self._position
        if now == before:
            return
        if now.version != before.version:
            self._recover()
        else:
            try:
                self._replay(now)
            except StoreUnreachable:
                raise
            except StoreError:  # documents of the last batches were deleted; the next snapshot includes them
                self._recover()
        self._publish_log(before.batch, self.batch)
        self._publish_alarms()

    def _recover(self) -> None:
        """Start from the last snapshot."""
        while True:
            now = position(self.database)
            found = recover(self.database, self.n_topics, until=now.batch)
            again = position(self.database)
            if (again.flushed, again.version) == (now.flushed, now.version):
                break
        self._moves += 1
        self.state: Recovered = found
        self._position = now
        self._moves += 1

    def _replay(self, now: Position) -> None:
        if now.flushed > self._position.flushed:
            # These counts are in the store now; batches up to there are learned without counting
            self._moves += 1
            self.state.increments.clear()
            self.state = self.state._replace(snapshot=now.flushed, n_since=0)
            self._position = self._position._replace(flushed=now.flushed)
            self._moves += 1
        steps = replay(self.database, self.state, after=self.batch, until=now.batch, flushed=now.flushed)
        for number, state, learned, texts in steps:
            self.state = state
            self._position = self._position._replace(batch=number)
            if learned.score is not None:
                self.scores.append((learned.score, learned.unknown, len(texts)))
            times = np.array([text.time for text in texts], dtype=np.int64)
            self.n_documents += len(texts)
            self.newest = max(self.newest, int(times.max(initial=0)))
            arrived = self.database.execute("SELECT arrived FROM documents WHERE key = ?", (texts[0].key,))
            data = {"batch": number, "keys": [text.key for text in texts], "times": times}
            self.publish("batch", data | {"arrived": arrived[0][0] / 1e6 if arrived else None})
        self._position = now

    def _publish_log(self, after: int, until: int) -> None:
        """Publish changes by people, which are in the log of the store."""
        rows = self.database.execute(
            "SELECT kind, body FROM batches WHERE number > ? AND number <= ? AND kind <> 'documents' ORDER BY number",
            (after, until),
        )
        for kind, body in rows:
            found = event_of(self.database, kind, body)
            if found is not None:
                self.publish(*found)

    def _newest_alarms(self) -> list[AlarmRow]:
        rows = self.database.execute(f"SELECT {COLUMNS} FROM alarms ORDER BY id DESC LIMIT ?", (WATCHED,))
        return [AlarmRow(*row) for row in rows]

    def _publish_alarms(self) -> None:
        """Publish alarms that began, ended, gained a word, or were acknowledged or muted."""
        found = self._newest_alarms()
        for row in reversed(found):
            known = self._alarms.get(row.id)
            if known is None or _shown(known) != _shown(row):
                self.publish("alarm", row)
        self._alarms = {row.id: row for row in found}


def _shown(row: AlarmRow) -> tuple[object, ...]:
    return row.state, row.evidence, row.acknowledged, row.muted
