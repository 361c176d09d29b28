"""The only thread that writes: it learns and commits batches from the queue, then reports and publishes the result."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from driftline.service.alarms import AlarmBook, AlarmRow
from driftline.service.json_records import Record
from driftline.service.learning.learner import LearnedBatch, Learner, main_topics
from driftline.service.queue_thread import QueueThread
from driftline.service.recovery import Recovered, aggregate, recover
from driftline.service.store.batch_rows import (
    Keys,
    insert_batch,
    insert_documents,
    insert_rejections,
    last_batch,
    newest_time,
    write_place,
)
from driftline.service.store.database import Database, StoreUnreachable
from driftline.service.store.models import Saving, remove_loose_parts, remove_model
from driftline.service.store.opened import secret_of, set_setting
from driftline.service.submissions import Outcome, Place, StaleGeneration, Submission, WriterQueue

SNAPSHOT_SECONDS, SNAPSHOT_DOCUMENTS = 30.0, 20_000
PER_STEP = 500
"""Number of documents of a batch per step of a pending snapshot."""
SNAPSHOTS = 3
"""Number of snapshots that are kept."""
LEAST_DISK = 0.05
"""Minimum free share of the disk."""
TRY_EVERY = 1.0
"""Seconds between two attempts to reach a store."""
log = logging.getLogger("driftline.service")


class DiskFull(Exception):
    """Too little of the disk is free to accept documents."""


def microseconds() -> int:
    """Return the time now, in microseconds since 1970."""
    return time.time_ns() // 1000


class Writer(QueueThread):
    """Processes the submissions in the queue, one batch at a time, and owns the models.

    A batch is scored and learned first, then stored with its aggregates, places and alarms in one transaction. If that
    fails, the models are loaded again, so that they never contain more than the store.
    """

    def __init__(
        self,
        database: Database,
        queue: WriterQueue,
        *,
        n_topics: int,
        publish: Callable[[str, object], None] = lambda kind, data: None,
        disk: Path | None = None,
        targets: tuple[str, ...] = (),
    ) -> None:
        super().__init__("writer")
        self.database, self.queue, self.n_topics = database, queue, n_topics
        self.publish, self.disk, self.targets = publish, disk, targets
        self.secret = secret_of(database)
        self.keys = Keys(database)
        self.batch = last_batch(database)
        self.state: Recovered = recover(database, n_topics)
        self.alarms = AlarmBook(database)
        self.saving: Saving | None = None
        """The snapshot that is being written, part by part."""
        self.flushes = 0
        """Counter that is odd while aggregates move from memory to the store; readers then read again."""
        self.last_snapshot = time.monotonic()
        self.scores: deque[tuple[float, float, int]] = deque(maxlen=500)
        """(score, share of unknown words, documents) of the last batches."""
        self.n_documents = int(database.execute("SELECT coalesce(sum(n), 0) FROM batches")[0][0])
        self.newest = newest_time(database)

    @property
    def learner(self) -> Learner:
        """The models."""
        return self.state.learner

    def mark(self, database: Database) -> object:
        """Return a mark that changes when aggregates move from memory to the store; None while they do."""
        return None if self.flushes % 2 else self.flushes

    def _run(self) -> None:
        try:
            while True:
                taken, commands = self.queue.take(0.2 if self.saving is None else 0.0)
                self.answer(commands)
                if taken:
                    self.process(taken)
                else:
                    self.save_further()
                if self._stop.is_set() and not taken and not commands:
                    break
            if self.state.n_since or self.saving is not None:
                self.save()
        except StoreUnreachable as error:  # at the end: until then, the writer waits
            self.failure = error
            log.warning("the models could not be saved before the end; the next start learns the last batches again")
        except BaseException as error:  # the service then reports itself as not ready
            self.failure = error
            log.exception("the writer stopped")
        finally:
            self.queue.end()

    def process(self, submissions: list[Submission]) -> None:
        """Learn, store and commit a batch; set the outcomes of its submissions."""
        submissions = [each for each in submissions if not each.is_cut_off()]
        if not submissions:
            return
        try:
            if self.disk is not None and disk_share(self.disk) < LEAST_DISK:
                raise DiskFull
            outcomes = self._store(submissions)
        except Exception as error:
            for submission in submissions:
                submission.done.set_exception(error)
            self.restore()
            if not isinstance(error, DiskFull):
                log.error("a batch could not be stored: %s", type(error).__name__)
            return
        for submission, outcome in zip(submissions, outcomes):
            submission.done.set_result(outcome)
        for _ in range(1 + sum(outcome.taken for outcome in outcomes) // PER_STEP):
            self.save_further()

    def restore(self) -> None:
        """Restore the stored state; while the store cannot be reached, wait, and report it as the failure."""
        self.keys.forget()
        self.saving = None
        self.flushes += self.flushes % 2
        while True:
            try:
                self.batch = last_batch(self.database)  # a commit whose answer was lost may have been made
                self.state = recover(self.database, self.n_topics)
                self.alarms.load()
                self.failure = None
                return
            except StoreUnreachable as error:
                if self.failure is None:
                    log.warning("the store cannot be reached; trying again")
                self.failure = error
                if self._stop.wait(TRY_EVERY):
                    raise

    def _store(self, submissions: list[Submission]) -> list[Outcome]:
        fresh, repeated = self._select(submissions)
        records = [record for part in fresh for record in part]
        now = microseconds()
        times = np.array([record.time for record in records], dtype=np.int64)
        keys = self.keys.of(times.tolist())
        number = self.batch + 1 if records else self.batch
        learned = self.learner.learn([record.text for record in records], times, now) if records else None
        state = self.state
        with self.database.transaction():
            if learned is not None:
                waiting, numbers = aggregate(self.database, state, learned, times, keys)
                self._insert(number, submissions, fresh, keys, learned, state.waiting, now)
                state = state._replace(waiting=waiting, numbers=numbers, n_since=state.n_since + len(records))
            self._places(submissions, fresh, repeated, now)
            changed: list[AlarmRow] = []
            if learned is not None:
                moments = np.minimum(times, now).tolist()
                changed = self.alarms.update(self.learner, learned.hours, learned.topic_events, moments, number)
                self.announce(changed, now)
            self.state, self.batch = state, number
            is_first = learned is not None and learned.earlier is not None
            if is_first:
                self.write_snapshot(now)
        if is_first:
            self.saved()
        self.n_documents += len(records)
        self.newest = max(self.newest, int(times.max(initial=0)))
        if learned is not None:
            if learned.score is not None:
                self.scores.append((learned.score, learned.unknown, len(records)))
            arrived = min(submission.arrived for submission in submissions)
            self.publish("batch", {"batch": number, "keys": keys, "times": times, "arrived": arrived})
        for row in changed:
            self.publish("alarm", row)
        return [Outcome(len(part), count, number if part else None) for part, count in zip(fresh, repeated)]

    def _select(self, submissions: list[Submission]) -> tuple[list[list[Record]], list[int]]:
        """Return the new records of every submission, and the number of its repetitions."""
        digests = [record.digest for submission in submissions for record in submission.records]
        seen = self.database.known(digests) if digests else set()
        fresh, repeated = [], []
        for submission in submissions:
            part = []
            for record in submission.records:
                if record.digest not in seen:
                    seen.add(record.digest)
                    part.append(record)
            fresh.append(part)
            repeated.append(len(submission.records) - len(part))
        return fresh, repeated

    def _insert(
        self,
        number: int,
        submissions: list[Submission],
        fresh: list[list[Record]],
        keys: list[int],
        learned: LearnedBatch,
        waiting: list[int],
        now: int,
    ) -> None:
        none = (None, None, None)
        ids = self.learner.ids
        topics: list[Any] = [none] * len(keys) if learned.shares is None else main_topics(learned.shares, ids)
        rows, place = [], 0
        for submission, part in zip(submissions, fresh):
            arrived = int(submission.arrived * 1e6)
            for record in part:
                key, found = keys[place], topics[place]
                head = (key, number, record.time, arrived, record.id, submission.source, record.text)
                rows.append((*head, *found, record.label))
                place += 1
        digests = [record.digest for part in fresh for record in part]
        insert_documents(self.database, rows, digests)
        insert_batch(self.database, number, "documents", now, keys=np.array(keys, dtype=np.int64))
        if learned.earlier is not None:
            late = zip(main_topics(learned.earlier.shares, ids), waiting)
            self.database.executemany(
                "UPDATE documents SET topic = ?, probability = ?, topics = ? WHERE key = ?",
                [(*found, key) for found, key in late],
            )

    def _places(self, submissions: list[Submission], fresh: list[list[Record]], repeated: list[int], now: int) -> None:
        rejections = []
        for submission, part, count in zip(submissions, fresh, repeated):
            last = max((record.time for record in part), default=None)
            counts = len(part), len(submission.rejected) + submission.n_unlisted, count
            place = submission.place
            values = Place("" if submission.inbox is None else "inbox", 0) if place is None else place
            if not write_place(self.database, submission.source, *values, counts, last):
                raise StaleGeneration(f"another process has taken over {submission.source} {values.part}")
            rejections += [
                (now, submission.source, f"{submission.where} {each.line}".strip(), each.reason)
                for each in submission.rejected
            ]
        insert_rejections(self.database, rejections)
        taken = [(submission.inbox,) for submission in submissions if submission.inbox is not None]
        if taken:
            self.database.executemany("DELETE FROM inbox WHERE number = ?", taken)

    def announce(self, changed: list[AlarmRow], now: int) -> None:
        """Add alarms that were raised or ended to the outbox of the webhooks."""
        for row in changed:
            if row.muted is not None and row.muted > now:
                continue
            body = json.dumps({"alarm": row.id, "state": row.state, "words": row.words, "probability": row.probability})
            for target in self.targets:
                number = int(self.database.execute("SELECT coalesce(max(id), 0) + 1 FROM outbox")[0][0])
                self.database.execute("INSERT INTO outbox VALUES (?, ?, ?, 0, ?, NULL)", (number, target, body, now))

    def snapshot_due(self) -> bool:
        """Return whether enough documents or time have passed since the last snapshot."""
        if not self.learner.has_topics or not self.state.n_since or self.saving is not None:
            return False
        is_old = time.monotonic() - self.last_snapshot >= SNAPSHOT_SECONDS
        return is_old or self.state.n_since >= SNAPSHOT_DOCUMENTS

    def save_further(self) -> None:
        """Do the next step of a snapshot, if one is pending or due; steps are short, so documents do not wait long."""
        if self.saving is None and not self.snapshot_due():
            return
        try:
            self._save_step()
        except Exception as error:  # the documents are stored, so the models can be saved later
            self.restore()
            self.last_snapshot = time.monotonic()
            log.error("the models could not be saved: %s", type(error).__name__)

    def _save_step(self) -> None:
        """Copy the models, write a part of the copy, or store the aggregates and make the copy valid, in this order.

        Aggregates must not be older than the models, because a replay counts only later batches.
        """
        if self.saving is None:
            self.saving = Saving(self.learner.version, self.batch, self.learner.to_bytes())
            self.state = self.state._replace(n_since=0)
            return
        with self.database.transaction():
            if not self.saving.is_written:
                self.saving.write_part(self.database)
                return
            self.flush()
            self._finish(self.saving, microseconds())
        self._flushed()
        self._snapshot_at(self.saving.batch)

    def save(self) -> None:
        """Save models and aggregates in a transaction of their own."""
        if not self.learner.has_topics:
            return
        with self.database.transaction():
            self.write_snapshot(microseconds())
        self.saved()

    def write_snapshot(self, now: int) -> None:
        """Write models and aggregates at once, within the transaction of the caller."""
        self.flush()
        remove_model(self.database, self.learner.version, self.batch)
        self._finish(Saving(self.learner.version, self.batch, self.learner.to_bytes()), now)

    def _finish(self, saving: Saving, now: int) -> None:
        """Make a snapshot valid, and remove all but the last three."""
        saving.finish(self.database, 0, now)
        version = saving.version
        self.database.execute(
            "DELETE FROM models WHERE version < ? OR (version = ? AND base = 0 AND batch NOT IN "
            "(SELECT batch FROM models WHERE version = ? AND base = 0 ORDER BY batch DESC LIMIT ?))",
            (version - 1, version, version, SNAPSHOTS),
        )
        remove_loose_parts(self.database, version)
        self.write_topics()

    def flush(self) -> None:
        """Add the aggregates in memory to those in the store, within the transaction of the caller."""
        self.flushes += 1
        self.state.increments.flush(self.database)
        set_setting(self.database, "flushed", self.batch)

    def write_topics(self) -> None:
        """Write the current topics with their words, within the transaction of the caller."""
        learner = self.learner
        for topic, words in zip(learner.ids.tolist(), learner.top_words()):
            self.database.execute(
                "INSERT INTO topics VALUES (?, NULL, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET words = excluded.words",
                (topic, topic, json.dumps(words)),
            )

    def saved(self) -> None:
        """Note that `write_snapshot` was committed."""
        self._flushed()
        self.state = self.state._replace(n_since=0)
        self._snapshot_at(self.batch)

    def _flushed(self) -> None:
        self.state.increments.clear()
        self.flushes += 1

    def _snapshot_at(self, batch: int) -> None:
        self.saving = None
        self.state = self.state._replace(snapshot=batch)
        self.last_snapshot = time.monotonic()
        self.publish("saved", {"batch": batch})

    def append(self, kind: str, body: object) -> int:
        """Append an event to the log, within the transaction of the caller; return its number."""
        self.batch += 1
        insert_batch(self.database, self.batch, kind, microseconds(), body=body)
        return self.batch


def disk_share(folder: Path) -> float:
    """Return the share of the disk that is free."""
    usage = shutil.disk_usage(folder)
    return usage.free / usage.total
