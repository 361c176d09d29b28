"""Number of documents with each word per hour, day and month, in blocks of words with neighbouring numbers.

A word gets the next number when it first occurs. New documents therefore change the blocks of frequent words, which
occurred early, and the last blocks; words that occurred once are in blocks that are not read or written again. Time
and memory of a snapshot depend on the documents since the previous one, not on all words of a month.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.service.store.database import Database
from driftline.service.store.keys import period_starts

BLOCK = 16_384
"""Number of words per block; part of the format of a store."""


class Counted(NamedTuple):
    """Numbers of words, ascending, and the number of documents with each."""

    words: Ints
    counts: Ints


class Span(NamedTuple):
    """The periods of a level that start within a closed interval."""

    level: int
    first: int
    last: int


NOTHING = Counted(np.empty(0, np.int64), np.empty(0, np.int64))


def pack_words(found: Counted) -> bytes:
    """Return counts as bytes: differences of the numbers, then the counts, compressed.

    >>> unpack_words(pack_words(Counted(np.array([2, 9]), np.array([1, 300])))).counts.tolist()
    [1, 300]
    """
    steps = np.diff(found.words, prepend=0).astype(np.uint32)
    return zlib.compress(np.concatenate([steps, found.counts.astype(np.uint32)]).tobytes(), 1)


def unpack_words(body: bytes) -> Counted:
    """Return the counts that `pack_words` packed."""
    both = np.frombuffer(zlib.decompress(body), np.uint32).astype(np.int64)
    return Counted(np.cumsum(both[: len(both) // 2]), both[len(both) // 2 :])


def add_counts(parts: Iterable[Counted]) -> Counted:
    """Return the sum of several counts.

    >>> add_counts([Counted(np.array([1, 4]), np.array([1, 1])), Counted(np.array([4]), np.array([5]))]).counts.tolist()
    [1, 6]
    """
    parts = [part for part in parts if len(part.words)]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    words, place = np.unique(np.concatenate([part.words for part in parts]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([part.counts for part in parts])).astype(np.int64)
    return Counted(words, counts)


def counts_of(counted: Counted, words: Ints) -> Floats:
    """Return the counts of some words, zero for words without a count.

    >>> counts_of(Counted(np.array([2, 9]), np.array([1, 300])), np.array([9, 4])).tolist()
    [300.0, 0.0]
    """
    if not len(counted.words):
        return np.zeros(len(words))
    place = np.minimum(np.searchsorted(counted.words, words), len(counted.words) - 1)
    found: Floats = np.where(counted.words[place] == words, counted.counts[place], 0.0)
    return found


def blocks_of(counted: Counted) -> Iterator[tuple[int, Counted]]:
    """Divide counts into blocks; yield (block, its counts).

    >>> [(block, part.words.tolist()) for block, part in blocks_of(Counted(np.array([2, BLOCK]), np.array([1, 3])))]
    [(0, [2]), (1, [16384])]
    """
    blocks, edges = np.unique(counted.words // BLOCK, return_index=True)
    for block, first, last in zip(blocks.tolist(), edges.tolist(), [*edges[1:].tolist(), len(counted.words)]):
        yield block, Counted(counted.words[first:last], counted.counts[first:last])


def add_words(database: Database, level: int, start: int, more: Counted) -> None:
    """Add counts to a period, block by block, within the transaction of the caller."""
    for block, part in blocks_of(more):
        rows = database.execute(
            "SELECT body FROM period_words WHERE level = ? AND block = ? AND start = ?", (level, block, start)
        )
        total = add_counts([*(unpack_words(bytes(body)) for (body,) in rows), part])
        database.execute(
            "INSERT INTO period_words VALUES (?, ?, ?, ?, ?) ON CONFLICT (level, block, start) "
            "DO UPDATE SET most = excluded.most, body = excluded.body",
            (level, block, start, int(total.counts.max()), pack_words(total)),
        )


def spans_of(level: int, first: int, last: int, *, cut: bool) -> list[Span]:
    """Return the spans of the rows from `first` to `last`.

    With `cut`, the last period ends after the hour of `last`: it is composed of rows of shorter periods.

    >>> from driftline.service.store.keys import DAY, HOUR
    >>> [span.level for span in spans_of(2, 0, 75 * DAY + 2 * HOUR, cut=True)]
    [2, 1, 0]
    """
    begin = int(period_starts(np.array([first]), level)[0])
    if not cut:
        return [Span(level, begin, last)]
    spans = []
    for each in range(level, 0, -1):
        end = int(period_starts(np.array([last]), each)[0])
        spans.append(Span(each, begin, end - 1))
        begin = end
    return [*spans, Span(0, begin, last)]


def most_of_blocks(database: Database, spans: Iterable[Span]) -> dict[int, int]:
    """Return an upper bound of the counts of each block's words; the counts themselves are not read."""
    found: dict[int, int] = {}
    for span in spans:
        rows = database.execute(
            "SELECT block, sum(most) FROM period_words WHERE level = ? AND start BETWEEN ? AND ? GROUP BY block", span
        )
        for block, most in rows:
            found[block] = found.get(block, 0) + int(most)
    return found


def read_block(database: Database, block: int, spans: Iterable[Span]) -> list[tuple[int, Counted]]:
    """Return (start, counts) of the words of a block; with several spans, a period may have several rows."""
    found = []
    for span in spans:
        rows = database.execute(
            "SELECT start, body FROM period_words WHERE level = ? AND block = ? AND start BETWEEN ? AND ?",
            (span.level, block, span.first, span.last),
        )
        found += [(int(start), unpack_words(bytes(body))) for start, body in rows]
    return found


def divide_rows(database: Database) -> None:
    """Divide the rows of table versions 1 and 2, which contain all words of a period, into blocks."""
    for level, start in database.execute("SELECT level, start FROM periods WHERE kind = 'words'"):
        where = "level = ? AND start = ? AND kind = 'words'"
        body = database.execute(f"SELECT body FROM periods WHERE {where}", (level, start))[0][0]
        add_words(database, level, start, unpack_words(bytes(body)))
        database.execute(f"DELETE FROM periods WHERE {where}", (level, start))
