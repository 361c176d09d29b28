"""Read-only connections with a time limit per query, and aggregates that combine the store and the memory."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeVar, overload

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.service.live import Live
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY, HOUR, LEVELS, period_starts
from driftline.service.store.opened import open_store
from driftline.service.store.period_aggregates import UNIT, TopicSums, read_topics, unpack_topics

TIME_LIMIT = 1.0
"""Time limit of a query in seconds."""
ATTEMPTS, PAUSE = 200, 0.005
"""Maximum number of repetitions, and seconds between them, if aggregates move to the store while they are read."""
MOST_POINTS = 600
Z = 1.6448536269514722
"""Quantile of the standard normal distribution for an interval of 90 %."""


R = TypeVar("R")


class TopicSeries(NamedTuple):
    """The periods of an interval in order: starts, numbers of documents, and topic id → sums of shares."""

    level: int
    starts: Ints
    n: Ints
    sums: dict[int, Floats]


class PeriodSums(NamedTuple):
    """The number of documents of a period, and topic id → sum of shares."""

    n: int
    sums: dict[int, float]


class Readers:
    """A pool of connections, and the writer, which has the aggregates that are not stored yet."""

    def __init__(self, where: str, writer: Live, n: int = 4) -> None:
        self.writer = writer
        self._free: queue.Queue[Database] = queue.Queue()
        self.at_once = open_store(where, writes=False)
        """Connection for short queries of the event loop, which must not wait for the pool."""
        self._all = [open_store(where, writes=False) for _ in range(n)]
        for database in self._all:
            self._free.put(database)

    @contextmanager
    def reading(self, seconds: float = TIME_LIMIT) -> Iterator[Database]:
        """Lend a connection; queries that exceed the time limit are stopped."""
        database = self._free.get()
        try:
            with database.limit_time(seconds):
                yield database
        finally:
            self._free.put(database)

    def release_memory(self) -> None:
        """Empty the caches of the connections that are not in use.

        SQLite empties a cache when the store has changed, but only at the next query of its connection: in a quiet
        stream, the connections would keep 16 MB each.
        """
        for _ in self._all:
            try:
                database = self._free.get_nowait()
            except queue.Empty:
                return
            try:
                database.release_memory()
            finally:
                self._free.put(database)

    def close(self) -> None:
        """Close all connections, each after the query that uses it.

        A connection that is still in use after a timeout is left open until the process ends: it only reads.
        """
        self.at_once.close()
        for _ in self._all:
            with suppress(queue.Empty):
                self._free.get(timeout=2 * TIME_LIMIT).close()

    def topic_series(
        self, database: Database, first: int, last: int, *, at: int | None = None, most: int = MOST_POINTS
    ) -> TopicSeries:
        """Return the topics from `first` to `last`, in periods of the finest level with at most `most` periods."""
        level = level_of(first, last, most)
        return self.settled(database, lambda: self._topic_series(database, level, first, last, at))

    def settled(self, database: Database, read: Callable[[], R]) -> R:
        """Read aggregates from store and memory, and repeat if some of them moved to the store meanwhile."""
        for _ in range(ATTEMPTS):
            before = self.writer.mark(database)
            found = read()
            if before is not None and before == self.writer.mark(database):
                break
            time.sleep(PAUSE)
        return found

    def _topic_series(self, database: Database, level: int, first: int, last: int, at: int | None) -> TopicSeries:
        starts = all_starts(first, last, level)
        place = {start: k for k, start in enumerate(starts.tolist())}
        n = np.zeros(len(starts), dtype=np.int64)
        sums: dict[int, Floats] = {}

        def add(start: int, documents: int, of_topics: dict[int, int]) -> None:
            k = place.get(start)
            if k is None:
                return
            n[k] += documents
            for topic, value in of_topics.items():
                if topic not in sums:
                    sums[topic] = np.zeros(len(starts))
                sums[topic][k] += value / UNIT

        whole = int(starts[-1])
        increments = self.writer.state.increments
        recent = increments.topics_now()
        counts = increments.n.copy()
        sql = "SELECT start, body FROM periods WHERE level = ? AND kind = 'topics' AND start BETWEEN ? AND ?"
        stop = whole - 1 if at is not None and level else whole
        for start, body in database.execute(sql, (level, int(starts[0]), stop)):
            add(start, *unpack_topics(body))
        if at is not None and level:  # the period of that moment, up to that moment
            for _, body in database.execute(sql, (0, whole, at)):
                add(whole, *unpack_topics(body))
        for hour, of_topics in recent.items():
            if at is None or hour <= at:
                start = int(period_starts(np.array([hour]), level)[0])
                add(start, counts.get(hour, 0), of_topics)
        return TopicSeries(level, starts, n, sums)

    def period(self, database: Database, level: int, start: int, last: int) -> PeriodSums:
        """Return one period, up to a time."""
        return self.settled(database, lambda: self._period(database, level, start, last))

    def _period(self, database: Database, level: int, start: int, last: int) -> PeriodSums:
        increments = self.writer.state.increments
        body = read_topics(database, level, start)
        stored = TopicSums(0, {}) if body is None else unpack_topics(body)
        n, sums = stored.n, {topic: value / UNIT for topic, value in stored.sums.items()}
        for hour, of_topics in increments.topics_now().items():
            if start <= hour <= last:
                n += increments.n.get(hour, 0)
                for topic, value in of_topics.items():
                    sums[topic] = sums.get(topic, 0.0) + value / UNIT
        return PeriodSums(n, sums)


def level_of(first: int, last: int, most: int = MOST_POINTS) -> int:
    """Return the finest level with at most `most` periods.

    >>> level_of(0, 10 * DAY), level_of(0, 400 * DAY), level_of(0, 4000 * DAY)
    (0, 1, 2)
    """
    length = max(last - first, 0)
    return 0 if length <= (most - 1) * HOUR else 1 if length <= (most - 1) * DAY else 2


def all_starts(first: int, last: int, level: int) -> Ints:
    """Return the starts of all periods from the one of `first` to the one of `last`."""
    begin, end = period_starts(np.array([first, max(first, last)]), level).tolist()
    if level < 2:
        return np.arange(begin, end + 1, HOUR if level == 0 else DAY, dtype=np.int64)
    months = np.arange(
        np.datetime64(begin, "us").astype("M8[M]"), np.datetime64(end, "us").astype("M8[M]") + np.timedelta64(1, "M")
    )
    found: Ints = months.astype("M8[us]").astype(np.int64)
    return found


def band(count: Floats, n: Ints) -> dict[str, list[float | None]]:
    """Return shares with Wilson's interval of 90 %, None where there is no document.

    For topics the interval is conservative: shares of documents vary less than zeros and ones.

    >>> band(np.array([5.0, 0.0]), np.array([10, 0]))
    {'values': [0.5, None], 'low': [0.2693, None], 'high': [0.7307, None]}
    """
    size = np.maximum(n, 1)
    share = np.clip(count / size, 0.0, 1.0)
    middle = (share + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * np.sqrt(share * (1 - share) / size + Z**2 / (4 * size**2))
    return {
        "values": _listed(share, n, 4),
        "low": _listed(np.clip(middle - half, 0, 1), n, 4),
        "high": _listed(np.clip(middle + half, 0, 1), n, 4),
    }


def _listed(values: Floats, n: Ints, digits: int) -> list[float | None]:
    return [round(value, digits) if count else None for value, count in zip(values.tolist(), n.tolist())]


@overload
def seconds(moments: int) -> float: ...
@overload
def seconds(moments: Ints) -> list[float]: ...
def seconds(moments: int | Ints) -> float | list[float]:
    """Return microseconds as seconds: a number, or a list of numbers."""
    if isinstance(moments, int):
        return moments / 1e6
    found: list[float] = (np.asarray(moments) / 1e6).tolist()
    return found


def level_name(level: int) -> str:
    """Return the name of a level."""
    return LEVELS[level]
