"""Refits: when one is due, its run in another process, and the swap of the models between two batches."""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.core.arrays import Ints
from driftline.service.learning.learner import Learner
from driftline.service.recovery import Recovered
from driftline.service.refit_places import refit_place
from driftline.service.store.batch_rows import batch_texts, word_numbers
from driftline.service.store.database import Database
from driftline.service.store.models import Saving
from driftline.service.store.opened import set_setting
from driftline.service.store.period_aggregates import Increments
from driftline.service.writer import Writer, microseconds

if TYPE_CHECKING:
    from driftline.service.refit_child import Refitted
    from driftline.service.service import Service

FRAME, FRAMES = 20, 3
"""Number of batches per frame, and of consecutive frames outside the band before a refit."""
UNKNOWN = 0.1
"""Share of unknown words above which a refit is due."""
WEEK = 7 * 86_400.0
GROWN = 10
"""Ratio of the number of documents to that of the last fit at which a refit is due."""
LEAST = 2_000
"""Minimum number of documents of the first refit."""
FEW = 100
"""Maximum number of documents that are learned within the swap itself."""
LOOK_EVERY = 10.0
log = logging.getLogger("driftline.service")


class Refits:
    """Runs refits one at a time, in a thread that waits for each, and swaps in their models."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.state, self.reason = "idle", ""
        self.started: float | None = None
        self.finished: float | None = None
        self._place = refit_place(service.options.refit_on, service.options.store)
        self._stopped = threading.Event()
        self._wanted: tuple[str, str] | None = None
        self._wake = threading.Event()
        self._fitted_at = (time.time(), service.writer.learner.n_documents)
        self._thread = threading.Thread(target=self._run, name="refits", daemon=True)

    def start(self) -> None:
        """Start the thread that checks whether a refit is due."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and the running refit."""
        self._stopped.set()
        self._wake.set()
        self._place.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=3)

    def request(self, mode: str, reason: str) -> bool:
        """Request a refit (``"fit"``) or the previous version (``"back"``); return False while one is running."""
        if self.state in ("fitting", "catching up"):
            return False
        self.state, self._wanted = "fitting", (mode, reason)
        self._wake.set()
        return True

    @property
    def can_go_back(self) -> bool:
        """Whether the previous version is still kept."""
        with self.service.readers.reading() as database:
            version = self.service.writer.learner.version - 1
            return bool(database.execute("SELECT 1 FROM models WHERE version = ? LIMIT 1", (version,)))

    def band(self) -> tuple[float, float] | None:
        """Return the interval in which the mean score of a frame should stay: ± 4 standard errors."""
        earlier = list(self.service.writer.scores)[: -FRAME * FRAMES]
        if len(earlier) < 5 * FRAME:
            return None
        values = np.array([each[0] for each in earlier])
        half = 4 * float(values.std()) / np.sqrt(FRAME)
        return round(float(values.mean()) - half, 4), round(float(values.mean()) + half, 4)

    def due(self) -> str | None:
        """Return the reason why a refit is due; None if none is."""
        writer = self.service.writer
        if not writer.learner.has_topics or writer.learner.n_documents < LEAST:
            return None
        scores = list(writer.scores)
        when, n_documents = self._fitted_at
        if writer.learner.n_documents >= GROWN * max(n_documents, 500):
            return "the stream has ten times as many documents as at the last fit"
        if time.time() - when > WEEK:
            return "the last fit was a week ago"
        recent = scores[-FRAME * FRAMES :]
        if len(recent) == FRAME * FRAMES:
            if np.mean([each[1] for each in recent]) > UNKNOWN:
                return "more than 10 % of the words were unknown"
            band = self.band()
            frames = [np.mean([each[0] for each in recent[k::1][:FRAME]]) for k in range(0, FRAME * FRAMES, FRAME)]
            if band is not None and all(not band[0] <= frame <= band[1] for frame in frames):
                return "the score left its band in three frames"
        return None

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(LOOK_EVERY)
            self._wake.clear()
            if self._stopped.is_set():
                return
            wanted = self._wanted
            if wanted is None:
                reason = self.due()
                wanted = None if reason is None else ("fit", reason)
            if wanted is not None:
                self._refit(*wanted)
                self._wanted = None

    def _refit(self, mode: str, reason: str) -> None:
        self.state, self.reason, self.started, self.finished = "fitting", reason, time.time(), None
        store = self.service.options.store
        version = self.service.writer.learner.version
        try:
            body, found = self._place.run(store, mode, version)
            if self._stopped.is_set():
                return
            self.state = "catching up"
            self._take_over(body, found)
            self.state, self.finished = "idle", time.time()
        except Exception as error:
            if self._stopped.is_set():
                return
            self.state, self.reason, self.finished = "failed", f"{reason}: {error}", time.time()
            log.warning("the refit failed: %s", error)
        self._fitted_at = (time.time(), self.service.writer.learner.n_documents)

    def _take_over(self, body: bytes, found: Refitted) -> None:
        learner = Learner.of_bytes(body)
        with self.service.readers.reading(60.0) as database:
            numbers = word_numbers(database, learner.words)
        new = NewModels(learner, body, found["batch"], found["events"], numbers)
        # The bytes are stored first, part by part, so that the swap itself is one row
        while not new.saving.is_written:
            self.service.queue.call(new.store_part).result()
        self.service.queue.call(new.store).result()
        with self.service.readers.reading(60.0) as database:
            new.catch_up(database)
        events = self.service.queue.call(new.swap).result()
        self.service._published("swapped", {"version": learner.version, "lineage": events})


class NewModels:
    """New models: stored in one transaction, brought up to date and swapped in another, in the writer's thread."""

    def __init__(self, learner: Learner, body: bytes, batch: int, events: list[Any], numbers: Ints) -> None:
        self.learner, self.batch, self.events, self.numbers = learner, batch, events, numbers
        self.learned = batch
        """The last batch that was learned."""
        self.saving = Saving(learner.version, batch, body)

    def store_part(self, writer: Writer) -> None:
        """Store the next part of the models."""
        with writer.database.transaction():
            self.saving.write_part(writer.database)

    def store(self, writer: Writer) -> None:
        """Store the models of the new version, which is not in use yet."""
        with writer.database.transaction():
            writer.database.execute("DELETE FROM models WHERE version >= ?", (self.learner.version,))
            self.saving.finish(writer.database, 1, microseconds())

    def catch_up(self, database: Database) -> None:
        """Learn the documents that came meanwhile, in parallel with the writer, until few are left."""
        while self._learn(database) > FEW:
            pass

    def _learn(self, database: Database) -> int:
        """Learn the batches after the last one learned; return the number of their documents."""
        rows = database.execute(
            "SELECT number, keys, arrived, n FROM batches WHERE number > ? AND kind = 'documents' ORDER BY number",
            (self.learned,),
        )
        for number, keys, arrived, _ in rows:
            texts = batch_texts(database, bytes(keys))
            times = np.array([text.time for text in texts], dtype=np.int64)
            learned = self.learner.learn([text.text for text in texts], times, int(arrived))
            if learned.new_words:
                self.numbers = np.concatenate([self.numbers, word_numbers(database, learned.new_words)])
            if learned.kept is not None:
                self.numbers = self.numbers[learned.kept]
            self.learned = int(number)
        return sum(int(n) for *_, n in rows)

    def swap(self, writer: Writer) -> list[Any]:
        """Learn the remaining documents, and put the new models into use."""
        database, learner = writer.database, self.learner
        now = microseconds()
        with database.transaction():
            self._learn(database)
            writer.flush()
            set_setting(database, "version", learner.version)
            writer.append("swap", {"version": learner.version})
            set_setting(database, "flushed", writer.batch)
            first = int(database.execute("SELECT coalesce(max(number), 0) + 1 FROM lineage")[0][0])
            database.executemany(
                "INSERT INTO lineage VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (first + k, learner.version, now, kind, json.dumps(old), json.dumps(new), overlap)
                    for k, (kind, old, new, overlap) in enumerate(self.events)
                ],
            )
            writer.write_topics()  # topics that end keep their current words, not those of the last snapshot
            database.execute("UPDATE topics SET present = 0")
            writer.state = Recovered(learner, Increments(), self.numbers, self.batch, 0, [])
            writer.write_topics()
            marks = ", ".join("?" * len(learner.ids))
            database.execute(f"UPDATE topics SET present = 1 WHERE id IN ({marks})", [int(k) for k in learner.ids])
            ended = writer.alarms.swapped(learner, writer.newest)
            writer.announce(ended, now)
        for row in ended:
            writer.publish("alarm", row)
        writer.flushes += 1
        writer.saving = None
        writer.scores.clear()
        return [
            {"time": now / 1e6, "kind": kind, "old": old, "new": new, "overlap": round(overlap, 4)}
            for kind, old, new, overlap in self.events
        ]
