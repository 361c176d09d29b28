"""Aggregates per hour, day and month: sums of topic shares, and documents with each word.

A row is written when the models are saved. What has come since is in memory (`Increments`), and is rebuilt after a
restart by the same replay as the models: aggregates, documents and models always belong together.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.service.store.database import Database
from driftline.service.store.keys import LEVELS, period_starts

UNIT = 65_536
"""Shares are added as whole numbers of 1 / UNIT: sums are then exact, however the additions are cut into parts."""


class TopicSums(NamedTuple):
    """The number of documents of a period, and by topic id the sum of their shares, in units."""

    n: int
    sums: dict[int, int]


class Counted(NamedTuple):
    """Numbers of words, ascending, and the number of documents with each."""

    words: Ints
    counts: Ints


NOTHING = Counted(np.empty(0, np.int64), np.empty(0, np.int64))


def pack_topics(found: TopicSums) -> bytes:
    """Return sums as bytes: n, then ids, then sums."""
    ids = sorted(found.sums)
    return np.array([found.n, *ids, *(found.sums[k] for k in ids)], dtype=np.int64).tobytes()


def unpack_topics(body: bytes) -> TopicSums:
    """Return the sums of `pack_topics`.

    >>> unpack_topics(pack_topics(TopicSums(3, {0: 15, 7: 16})))
    TopicSums(n=3, sums={0: 15, 7: 16})
    """
    n, *rest = np.frombuffer(body, np.int64).tolist()
    return TopicSums(n, dict(zip(rest[: len(rest) // 2], rest[len(rest) // 2 :])))


def pack_words(found: Counted) -> bytes:
    """Return counts as bytes: differences of the numbers, then the counts, compressed.

    >>> unpack_words(pack_words(Counted(np.array([2, 9]), np.array([1, 300])))).counts.tolist()
    [1, 300]
    """
    steps = np.diff(found.words, prepend=0).astype(np.uint32)
    return zlib.compress(np.concatenate([steps, found.counts.astype(np.uint32)]).tobytes(), 1)


def unpack_words(body: bytes) -> Counted:
    """Return the counts of `pack_words`."""
    both = np.frombuffer(zlib.decompress(body), np.uint32).astype(np.int64)
    return Counted(np.cumsum(both[: len(both) // 2]), both[len(both) // 2 :])


def add_counts(parts: Iterable[Counted]) -> Counted:
    """Return the sum of several counts.

    The words of the largest part are not sorted again: with a month of words, it is a thousand times the others.

    >>> add_counts([Counted(np.array([1, 4]), np.array([1, 1])), Counted(np.array([4]), np.array([5]))]).counts.tolist()
    [1, 6]
    """
    parts = sorted(parts, key=lambda part: len(part.words))
    if not parts:
        return NOTHING
    *others, largest = parts
    if not others:
        return largest
    words, place = np.unique(np.concatenate([part.words for part in others]), return_inverse=True)
    added = np.bincount(place, np.concatenate([part.counts for part in others])).astype(np.int64)
    place = np.searchsorted(largest.words, words)
    counts = largest.counts.copy()
    is_new = np.ones(len(words), dtype=bool)
    inside = place < len(largest.words)
    is_new[inside] = largest.words[place[inside]] != words[inside]
    counts[place[~is_new]] += added[~is_new]
    before, new = place[is_new], words[is_new]
    return Counted(np.insert(largest.words, before, new), np.insert(counts, before, added[is_new]))


def counts_of(counted: Counted, words: Ints) -> Floats:
    """Return the counts of some words, zero for those without.

    >>> counts_of(Counted(np.array([2, 9]), np.array([1, 300])), np.array([9, 4])).tolist()
    [300.0, 0.0]
    """
    if not len(counted.words):
        return np.zeros(len(words))
    place = np.minimum(np.searchsorted(counted.words, words), len(counted.words) - 1)
    found: Floats = np.where(counted.words[place] == words, counted.counts[place], 0.0)
    return found


class Increments:
    """What has been counted per hour since the last saved state."""

    def __init__(self) -> None:
        self.n: dict[int, int] = {}
        self.topics: dict[int, dict[int, int]] = {}
        self._parts: dict[int, list[Counted]] = {}

    def add_topics(self, hours: Ints, ids: Ints, shares: np.ndarray) -> None:
        """Add the topic shares of documents, documents × topics, by the hour of each."""
        distinct, place = np.unique(hours, return_inverse=True)
        units = np.rint(shares * UNIT).astype(np.int64)
        for number, hour in enumerate(distinct.tolist()):
            sums = self.topics.setdefault(hour, {})
            for topic, value in zip(ids.tolist(), units[place == number].sum(axis=0).tolist()):
                sums[topic] = sums.get(topic, 0) + value

    def add_words(self, hours: Ints, rows: Ints, words: Ints) -> None:
        """Add documents: the hour of each, and the (row, number) of each distinct word."""
        distinct, place = np.unique(hours, return_inverse=True)
        of_pair = place[rows]
        for number, hour in enumerate(distinct.tolist()):
            self.n[hour] = self.n.get(hour, 0) + int((place == number).sum())
            self.topics.setdefault(hour, {})
            found, counts = np.unique(words if len(distinct) == 1 else words[of_pair == number], return_counts=True)
            parts = self._parts.setdefault(hour, [])
            parts.append(Counted(found.astype(np.int64), counts.astype(np.int64)))
            if len(parts) > 32:
                self._parts[hour] = [add_counts(parts)]

    def words(self, hour: int) -> Counted:
        """Return the counts of an hour; may be called while another thread adds."""
        return add_counts(list(self._parts.get(hour, ())))

    def flush(self, database: Database) -> None:
        """Add everything to the rows of hours, days and months, within the transaction of the caller."""
        hours = np.array(sorted(self.topics), dtype=np.int64)
        for level in range(len(LEVELS)):
            starts = period_starts(hours, level)
            for start in np.unique(starts).tolist():
                inside = hours[starts == start].tolist()
                _add_topics(database, level, start, [TopicSums(self.n.get(h, 0), self.topics[h]) for h in inside])
                _add_words(database, level, start, [self.words(h) for h in inside])

    def clear(self) -> None:
        """Start again, after the transaction of `flush`."""
        self.n, self.topics, self._parts = {}, {}, {}


def _add_topics(database: Database, level: int, start: int, more: list[TopicSums]) -> None:
    before = read_period(database, level, start, "topics")
    total = TopicSums(0, {}) if before is None else unpack_topics(before)
    n, sums = total.n, dict(total.sums)
    for part in more:
        n += part.n
        for topic, value in part.sums.items():
            sums[topic] = sums.get(topic, 0) + value
    _write(database, level, start, "topics", pack_topics(TopicSums(n, sums)))


def _add_words(database: Database, level: int, start: int, more: list[Counted]) -> None:
    before = read_period(database, level, start, "words")
    parts = more if before is None else [unpack_words(before), *more]
    _write(database, level, start, "words", pack_words(add_counts(parts)))


def read_period(database: Database, level: int, start: int, kind: str) -> bytes | None:
    """Return the stored row of a period; None if there is none."""
    rows = database.execute("SELECT body FROM periods WHERE level = ? AND start = ? AND kind = ?", (level, start, kind))
    return bytes(rows[0][0]) if rows else None


def _write(database: Database, level: int, start: int, kind: str, body: bytes) -> None:
    database.execute(
        "INSERT INTO periods VALUES (?, ?, ?, ?) ON CONFLICT (level, start, kind) DO UPDATE SET body = excluded.body",
        (level, start, kind, body),
    )
