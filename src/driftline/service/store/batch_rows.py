"""Rows of documents, batches, places and rejections, which a batch writes in one transaction."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.service.store.database import Database
from driftline.service.store.keys import HOUR, PLACES, first_key, pack_keys, unpack_keys

MOST_REJECTIONS = 10_000
"""Number of rejections that are kept; older ones are only counted."""


class StoredText(NamedTuple):
    """The fields of a document that a replay needs."""

    key: int
    time: int
    text: str


class Keys:
    """Assigns keys to documents: the next free place in the hour of each, to those of a batch in order of time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next: dict[int, int] = {}

    def of(self, times: Sequence[int]) -> list[int]:
        """Return a new key for each time in microseconds."""
        keys = [0] * len(times)
        for row in sorted(range(len(times)), key=times.__getitem__):
            first = first_key(times[row])
            following = self._next.get(first)
            if following is None:
                last = first + (1 << PLACES) - 1
                rows = self._database.execute("SELECT max(key) FROM documents WHERE key BETWEEN ? AND ?", (first, last))
                following = first if rows[0][0] is None else int(rows[0][0]) + 1
                if len(self._next) > 10_000:
                    self._next.clear()
            keys[row] = following
            self._next[first] = following + 1
        return keys

    def forget(self) -> None:
        """Read the places from the store again, after a failed transaction."""
        self._next.clear()


def insert_documents(database: Database, rows: Iterable[Sequence[Any]], digests: Sequence[int]) -> None:
    """Insert documents and index their words, in order of keys, which is faster for the index."""
    ordered = sorted(rows, key=lambda row: row[0])
    database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", ordered)
    database.index([(row[0], row[6]) for row in ordered])
    database.executemany("INSERT INTO seen VALUES (?)", [(digest,) for digest in sorted(digests)])


def insert_batch(
    database: Database, number: int, kind: str, arrived: int, *, keys: Ints | None = None, body: object = None
) -> None:
    """Append a batch or another event to the log."""
    packed = None if keys is None else pack_keys(keys)
    n = 0 if keys is None else len(keys)
    database.execute(
        "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?)",
        (number, kind, arrived, n, packed, None if body is None else json.dumps(body)),
    )


def last_batch(database: Database) -> int:
    """Return the number of the last batch, 0 before the first."""
    return int(database.execute("SELECT coalesce(max(number), 0) FROM batches")[0][0])


def batch_texts(database: Database, keys: bytes) -> list[StoredText]:
    """Return the documents of a batch in order of arrival, without deleted ones."""
    wanted = unpack_keys(keys)
    rows: dict[int, StoredText] = {}
    for first in range(0, len(wanted), 500):
        part = [int(key) for key in wanted[first : first + 500]]
        marks = ", ".join("?" * len(part))
        found = database.execute(f"SELECT key, time, text FROM documents WHERE key IN ({marks})", part)
        rows |= {int(key): StoredText(int(key), int(moment), text) for key, moment, text in found}
    return [rows[key] for key in wanted.tolist() if key in rows]


def write_place(
    database: Database,
    source: str,
    part: str,
    place: int,
    mark: str | None,
    generation: int,
    counts: tuple[int, int, int],
    last: int | None,
) -> bool:
    """Move the place of a source and add to its counts; return False, without a change, for an old generation."""
    # One statement, so that of two concurrent processes the one with the old generation changes nothing
    changed = database.execute(
        "INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, part) DO UPDATE SET "
        "place = excluded.place, mark = excluded.mark, generation = excluded.generation, "
        "taken = places.taken + excluded.taken, rejected = places.rejected + excluded.rejected, "
        "repeated = places.repeated + excluded.repeated, last = coalesce(excluded.last, places.last) "
        "WHERE places.generation <= excluded.generation RETURNING generation",
        (source, part, place, mark, generation, *counts, last),
    )
    return bool(changed)


def claim_place(database: Database, source: str, part: str) -> tuple[int, str | None, int]:
    """Increase the generation of a part, so that its previous reader is refused; return place, mark and generation.

    The place of a part that has not been read is −1.
    """
    with database.transaction():
        rows = database.execute(
            "INSERT INTO places VALUES (?, ?, -1, NULL, 1, 0, 0, 0, NULL) ON CONFLICT (source, part) DO UPDATE SET "
            "generation = places.generation + 1 RETURNING place, mark, generation",
            (source, part),
        )
    place, mark, generation = rows[0]
    return int(place), mark, int(generation)


def insert_rejections(database: Database, rows: Sequence[tuple[int, str, str, str]]) -> None:
    """Store rejections (time, source, place, reason) and remove the oldest."""
    if not rows:
        return
    number = int(database.execute("SELECT coalesce(max(number), 0) FROM rejections")[0][0])
    numbered = [(number + i, *row) for i, row in enumerate(rows, start=1)]
    database.executemany("INSERT INTO rejections VALUES (?, ?, ?, ?, ?)", numbered)
    database.execute("DELETE FROM rejections WHERE number <= ?", (number + len(rows) - MOST_REJECTIONS,))


def word_numbers(database: Database, words: Iterable[str]) -> Ints:
    """Return the permanent number of each word, of which none occurs twice; new words get the next free numbers."""
    found: list[Ints] = [np.empty(0, dtype=np.int64)]
    remaining = iter(words)
    while part := list(itertools.islice(remaining, 500)):
        marks = ", ".join("?" * len(part))
        rows = database.execute(f"SELECT word, number FROM words WHERE word IN ({marks})", part)
        known = {word: int(number) for word, number in rows}
        new = [word for word in part if word not in known]
        if new:
            following = int(database.execute("SELECT coalesce(max(number), 0) FROM words")[0][0]) + 1
            known |= {word: following + place for place, word in enumerate(new)}
            database.executemany("INSERT INTO words VALUES (?, ?)", [(known[word], word) for word in new])
        found.append(np.array([known[word] for word in part], dtype=np.int64))
    return np.concatenate(found)


def newest_time(database: Database) -> int:
    """Return the time of the newest document, or 0 if there is none; only the last hour with documents is read."""
    last = database.execute("SELECT max(key) FROM documents")[0][0]
    if last is None:
        return 0
    first = int(last) >> PLACES << PLACES
    return int(database.execute("SELECT max(time) FROM documents WHERE key >= ?", (first,))[0][0])


def hours_of(times: Ints) -> Ints:
    """Return the start of the hour of each time, in microseconds."""
    found: Ints = np.asarray(times, dtype=np.int64) // HOUR * HOUR
    return found
