"""Deltas: small events with the changes since the last one, at most five per second."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from driftline.service.answers import Delta, PeriodDelta
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY, HOUR, period_starts
from driftline.service.views.alarms import alarms_at, alarms_on
from driftline.service.views.overview import DriftCache, headline
from driftline.service.views.read_connections import Readers
from driftline.service.views.shown_rows import document_rows, newest_first

NEWEST = 10
MOST_PERIODS = 6
"""Maximum number of periods of each level in a delta; older changes appear when the page is reloaded."""
HEADLINE_EVERY = 2.0


class Arrivals:
    """Collects committed batches until the next delta."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.hours: set[int] = set()
        self.batch = 0
        self.arrived: float | None = None

    def add(self, batch: dict[str, Any]) -> None:
        """Add a committed batch."""
        self.keys = [*self.keys, *batch["keys"]][-200:]
        self.hours |= set((np.unique(batch["times"] // HOUR) * HOUR).tolist())
        self.batch = batch["batch"]
        arrived = batch["arrived"]
        self.arrived = arrived if self.arrived is None else min(self.arrived, arrived)


class DeltaMaker:
    """Makes deltas, with headline and drifting words at most every two seconds."""

    def __init__(self, readers: Readers, cache: DriftCache) -> None:
        self.readers, self.cache = readers, cache
        self._headline_made = 0.0

    def make(self, arrivals: Arrivals) -> Delta:
        """Return the delta of some arrivals."""
        readers, now = self.readers, self.readers.writer.newest
        with readers.reading() as database:
            newest = sorted(arrivals.keys, reverse=True)[:NEWEST]
            hours = sorted(arrivals.hours)[-MOST_PERIODS:]
            periods = [*self._periods(database, hours, 0), *self._periods(database, hours, 1)]
            delta: Delta = {
                "batch": arrivals.batch,
                "now": now / 1e6,
                "n_documents": readers.writer.n_documents,
                "level": "hour",
                "periods": periods,
                "newest": newest_first(document_rows(database, newest)),
                "sent": 0.0,
                "arrived": arrivals.arrived,
            }
            if time.monotonic() - self._headline_made > HEADLINE_EVERY:
                drifting = self.cache.get(readers, database, now)
                delta["alarms"], delta["n_on"] = alarms_at(database, None), alarms_on(database, None)
                delta["headline"] = headline(delta["alarms"], drifting, readers.writer.n_documents)
                delta["drifting"] = drifting
                self._headline_made = time.monotonic()
        delta["sent"] = time.time()
        return delta

    def _periods(self, database: Database, hours: list[int], level: int) -> list[PeriodDelta]:
        found: list[PeriodDelta] = []
        for start in sorted(set(period_starts(np.array(hours, dtype=np.int64), level).tolist())):
            last = start + (HOUR if level == 0 else DAY) - 1
            series = self.readers.period(database, level, start, last)
            sums = {str(topic): round(value, 3) for topic, value in series.sums.items()}
            found.append({"level": "hour" if level == 0 else "day", "start": start / 1e6, "n": series.n, "sums": sums})
        return found
