"""Aggregates per hour, day and month: sums of topic shares, and number of documents with each word.

Rows are written when the models are saved. Later increments are in memory (`Increments`), and are rebuilt after a
restart by the replay that rebuilds the models, so aggregates, documents and models are always consistent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.service.store.database import Database
from driftline.service.store.keys import LEVELS, period_starts
from driftline.service.store.period_words import Counted, add_counts, add_words

UNIT = 65_536
"""Inverse of the unit of stored shares; sums of whole units are exact, whatever the order of the additions."""


class TopicSums(NamedTuple):
    """The number of documents of a period, and the sum of their shares by topic id, in units of 1 / UNIT."""

    n: int
    sums: dict[int, int]


def pack_topics(found: TopicSums) -> bytes:
    """Return sums as bytes: n, ids, sums."""
    ids = sorted(found.sums)
    return np.array([found.n, *ids, *(found.sums[k] for k in ids)], dtype=np.int64).tobytes()


def unpack_topics(body: bytes) -> TopicSums:
    """Return the sums that `pack_topics` packed.

    >>> unpack_topics(pack_topics(TopicSums(3, {0: 15, 7: 16})))
    TopicSums(n=3, sums={0: 15, 7: 16})
    """
    n, *rest = np.frombuffer(body, np.int64).tolist()
    return TopicSums(n, dict(zip(rest[: len(rest) // 2], rest[len(rest) // 2 :])))


class Increments:
    """Counts per hour since the last snapshot."""

    def __init__(self) -> None:
        self.n: dict[int, int] = {}
        self.topics: dict[int, dict[int, int]] = {}
        self._parts: dict[int, list[Counted]] = {}

    def add_topics(self, hours: Ints, ids: Ints, shares: np.ndarray) -> None:
        """Add the topic shares of documents (documents × topics) to the hour of each document."""
        distinct, place = np.unique(hours, return_inverse=True)
        units = np.rint(shares * UNIT).astype(np.int64)
        for number, hour in enumerate(distinct.tolist()):
            sums = self.topics.setdefault(hour, {})
            for topic, value in zip(ids.tolist(), units[place == number].sum(axis=0).tolist()):
                sums[topic] = sums.get(topic, 0) + value

    def add_words(self, hours: Ints, rows: Ints, words: Ints) -> None:
        """Add documents: the hour of each document, and the (row, word number) of each distinct word."""
        for hour, n in zip(*(part.tolist() for part in np.unique(hours, return_counts=True))):
            self.n[hour] = self.n.get(hour, 0) + n
        self.add_more_words(hours, rows, words)

    def add_more_words(self, hours: Ints, rows: Ints, words: Ints) -> None:
        """Add words of documents that are counted already; the arguments are those of `add_words`."""
        distinct, place = np.unique(hours, return_inverse=True)
        of_pair = place[rows]
        for number, hour in enumerate(distinct.tolist()):
            self.topics.setdefault(hour, {})
            found, counts = np.unique(words if len(distinct) == 1 else words[of_pair == number], return_counts=True)
            parts = self._parts.setdefault(hour, [])
            parts.append(Counted(found.astype(np.int64), counts.astype(np.int64)))
            if len(parts) > 32:
                self._parts[hour] = [add_counts(parts)]

    def topics_now(self) -> dict[int, dict[int, int]]:
        """Return the sums by hour and topic, for other threads than the writer's.

        A dictionary is copied in one step. A list of its items is not: each item is a new object, for which garbage
        may be collected, and meanwhile the writer adds an hour.
        """
        return {hour: sums.copy() for hour, sums in self.topics.copy().items()}

    def words(self, hour: int) -> Counted:
        """Return the counts of an hour; safe while another thread adds documents."""
        return add_counts(list(self._parts.get(hour, ())))

    def flush(self, database: Database) -> None:
        """Add all counts to the rows of hours, days and months, within the transaction of the caller."""
        hours = np.array(sorted(self.topics), dtype=np.int64)
        words = {hour: self.words(hour) for hour in hours.tolist()}
        for level in range(len(LEVELS)):
            starts = period_starts(hours, level)
            for start in np.unique(starts).tolist():
                inside = hours[starts == start].tolist()
                _add_topics(database, level, start, [TopicSums(self.n.get(h, 0), self.topics[h]) for h in inside])
                add_words(database, level, start, add_counts([words[h] for h in inside]))

    def clear(self) -> None:
        """Remove all counts, after the transaction of `flush`."""
        self.n, self.topics, self._parts = {}, {}, {}


def _add_topics(database: Database, level: int, start: int, more: list[TopicSums]) -> None:
    before = read_topics(database, level, start)
    total = TopicSums(0, {}) if before is None else unpack_topics(before)
    n, sums = total.n, dict(total.sums)
    for part in more:
        n += part.n
        for topic, value in part.sums.items():
            sums[topic] = sums.get(topic, 0) + value
    database.execute(
        "INSERT INTO periods VALUES (?, ?, 'topics', ?) ON CONFLICT (level, start, kind) "
        "DO UPDATE SET body = excluded.body",
        (level, start, pack_topics(TopicSums(n, sums))),
    )


def read_topics(database: Database, level: int, start: int) -> bytes | None:
    """Return the stored row of a period; None if it does not exist."""
    rows = database.execute(
        "SELECT body FROM periods WHERE level = ? AND start = ? AND kind = 'topics'", (level, start)
    )
    return bytes(rows[0][0]) if rows else None
