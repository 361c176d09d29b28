"""Intake by several processes: checked documents wait in the store for the learning process.

A joined process commits its documents to the table `inbox`, together with the place of their source. The learning
process reads them there and removes them in the transaction that stores them. A document is therefore stored exactly
once, even if any of the processes is killed at any time.
"""

from __future__ import annotations

import json
import logging

from driftline.service.json_records import Record, Rejected
from driftline.service.queue_thread import QueueThread
from driftline.service.sources.threaded import ThreadedSource
from driftline.service.store.batch_rows import write_place
from driftline.service.store.database import Database, StoreUnreachable
from driftline.service.store.opened import open_store, setting_of
from driftline.service.submissions import Intake, Outcome, StaleGeneration, Submission, WriterQueue

AT_A_TIME = 20
"""Number of rows that are read from the inbox at once."""
MOST_WAITING = 2_000
"""Number of rows of the inbox at which documents are refused until the learning process has taken some."""
WAIT = 0.1
log = logging.getLogger("driftline.service")


class InboxWriter(QueueThread):
    """Commits the submissions in its queue to the inbox, as the `Writer` commits them to the store."""

    def __init__(self, where: str) -> None:
        super().__init__("inbox")
        self.database: Database = open_store(where, writes=True)
        self.queue = WriterQueue()
        self.secret = bytes.fromhex(setting_of(self.database, "secret"))

    def _run(self) -> None:
        try:
            while True:
                taken, commands = self.queue.take(0.2)
                self.answer(commands)
                if taken:
                    self.process(taken)
                if self._stop.is_set() and not taken and not commands:
                    return
        except BaseException as error:  # the service then reports itself as not ready
            self.failure = error
            log.exception("the inbox cannot be written")
        finally:
            self.queue.end()

    def process(self, submissions: list[Submission]) -> None:
        """Commit submissions, each with its place, and set their outcomes."""
        try:
            while self.is_full() and not self._stop.wait(WAIT):
                pass
        except StoreUnreachable as error:
            for submission in submissions:
                submission.done.set_exception(error)
            return
        for submission in submissions:
            if submission.is_cut_off():
                continue
            try:
                outcome = self._store(submission)
            except Exception as error:
                submission.done.set_exception(error)
                log.warning("documents of %s were not taken: %s", submission.source, type(error).__name__)
            else:
                submission.done.set_result(outcome)

    def is_full(self) -> bool:
        """Return whether too many documents wait for the learning process."""
        return int(self.database.execute("SELECT count(*) FROM inbox")[0][0]) >= MOST_WAITING

    def _store(self, submission: Submission) -> Outcome:
        database, place = self.database, submission.place
        known = database.known([record.digest for record in submission.records]) if submission.records else set()
        with database.transaction():
            # Accepted, repeated and rejected documents are counted when they are stored
            if place is not None and not write_place(database, submission.source, *place, (0, 0, 0), None):
                raise StaleGeneration(f"another process reads {submission.source} {place.part} now")
            if submission.records or submission.rejected:
                database.execute(
                    "INSERT INTO inbox (source, arrived, body) VALUES (?, ?, ?)",
                    (submission.source, int(submission.arrived * 1e6), packed(submission)),
                )
        repeated = sum(record.digest in known for record in submission.records)
        return Outcome(len(submission.records) - repeated, repeated, None)


class InboxSource(ThreadedSource):
    """Submits documents from the inbox to the writer, which removes them when it stores them."""

    kind = "inbox"

    def __init__(self, where: str) -> None:
        super().__init__("inbox")
        self.unit = "requests"
        self._where = where

    def read(self, writer: Intake) -> None:
        """Submit rows until stopped; wait until they are stored before reading the next ones."""
        database = open_store(self._where, writes=False)
        try:
            while not self.stopped.is_set():
                rows = database.execute(
                    "SELECT number, source, arrived, body FROM inbox ORDER BY number LIMIT ?", (AT_A_TIME,)
                )
                if not rows:
                    self.lag = 0.0
                    database.wait_for_change(WAIT)
                    continue
                handed = [self.hand_over(writer, submission_of(*row)) for row in rows]
                for submission in handed:
                    submission.done.result()
                self.lag = float(database.execute("SELECT count(*) FROM inbox")[0][0])
        finally:
            database.close()


def packed(submission: Submission) -> bytes:
    """Return a submission as bytes for the inbox."""
    body = {
        "records": submission.records,
        "rejected": submission.rejected,
        "n_unlisted": submission.n_unlisted,
        "where": submission.where,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def submission_of(number: int, source: str, arrived: int, body: bytes) -> Submission:
    """Return a row of the inbox as a submission.

    >>> sent = Submission("http:me", [Record(5, "rain", None, None, 7)], rejected=[Rejected(2, "no text")])
    >>> found = submission_of(1, "http:me", 10, packed(sent))
    >>> found.records == sent.records, found.rejected == sent.rejected, found.inbox
    (True, True, 1)
    """
    found = json.loads(body)
    return Submission(
        source,
        [Record(*values) for values in found["records"]],
        rejected=[Rejected(*values) for values in found["rejected"]],
        n_unlisted=found.get("n_unlisted", 0),  # rows of version 0.1.0 have none
        where=found["where"],
        arrived=arrived / 1e6,
        inbox=int(number),
    )
