"""A store in one SQLite file, through apsw: WAL, synchronous FULL, one writer, any number of readers."""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from driftline.persistence.locks import take_lock
from driftline.service.store.database import Row, StoreError, TooSlow
from driftline.service.store.keys import PLACES
from driftline.service.store.store_tables import VERSION, migrate

STEPS = 5_000
"""Number of SQLite instructions between two checks of the time limit."""
LOOK_EVERY = 0.01
"""Seconds between two checks for commits of other connections."""
BUSY = 5_000
"""Milliseconds that a reader waits for a lock."""


class SQLiteDatabase:
    """One connection; a reader cannot write, and its queries can have a time limit.

    Every call runs one statement and fetches all of its rows: apsw stops at the first row until it is read, and an
    open cursor keeps the log from being truncated.
    """

    kind = "sqlite"

    def __init__(self, path: Path, *, writes: bool) -> None:
        self.path = path
        self._data_version = -1
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writes else 0)
        try:
            self._connection = apsw.Connection(str(path), flags=flags)
            self._connection.set_busy_timeout(BUSY)
            if writes:
                self.execute("PRAGMA journal_mode = WAL")
                self.execute("PRAGMA synchronous = FULL")
                self.execute("PRAGMA journal_size_limit = 67108864")
            else:
                self.execute("PRAGMA query_only = ON")
            self.execute(f"PRAGMA cache_size = {-65536 if writes else -16384}")
            self.execute("PRAGMA temp_store = MEMORY")
            if writes:
                self._upgrade()
        except apsw.Error as error:
            raise StoreError(
                f"{path} cannot be used as a store: {error}; restore a backup, or name another --store"
            ) from error

    def _upgrade(self) -> None:
        tables = {name for (name,) in self.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        version = 0
        if tables:
            if "settings" not in tables or "batches" not in tables:
                raise StoreError(f"{self.path} is a database of another program; name another --store")
            version = int(self.execute("SELECT value FROM settings WHERE name = 'schema'")[0][0])
            if 0 < version < VERSION:
                self.backup(f"{self.path}.before-{VERSION}")
        migrate(self, version)

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement and return all of its rows."""
        try:
            return list(self._connection.execute(sql, values))
        except apsw.InterruptError as error:
            raise TooSlow("the query took longer than its time limit; request a shorter interval") from error

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for many rows of values."""
        for _ in self._connection.executemany(sql, rows):
            pass

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none of them if there is an error."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.execute("ROLLBACK")
            raise

    def match(self, words: Sequence[str]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for documents that contain all words, with its values."""
        quoted = " ".join(_quoted(word) for word in words)
        return "key IN (SELECT rowid FROM search WHERE search MATCH ?)", [quoted]

    def newest_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the newest documents with all words, newest first, within a range of keys."""
        quoted = " ".join(_quoted(word) for word in words)
        rows = self.execute(
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
            (quoted, lowest, highest, most),
        )
        return [key for (key,) in rows]

    def best_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the documents that match all words best (BM25), best first."""
        quoted = " ".join(_quoted(word) for word in words)
        rows = self.execute(
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rank LIMIT ?",
            (quoted, lowest, highest, most),
        )
        return [key for (key,) in rows]

    def matches_per_hour(self, words: Sequence[str], lowest: int, highest: int) -> list[tuple[int, int]]:
        """Return (hour, number of documents with all words) within a range of keys; hours are encoded as in keys."""
        rows = self.execute(
            f"SELECT rowid >> {PLACES} AS hour, count(*) FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? "
            "GROUP BY hour",
            (" ".join(_quoted(word) for word in words), lowest, highest),
        )
        return [(hour, n) for hour, n in rows]

    def n_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> int:
        """Return the number of documents with all words within a range of keys, counted up to `most`."""
        rows = self.execute(
            "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)",
            (" ".join(_quoted(word) for word in words), lowest, highest, most),
        )
        return int(rows[0][0])

    def among(self, keys: Sequence[int]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for the documents of a list, with its values."""
        return "key IN (SELECT value FROM json_each(?))", [json.dumps(list(keys))]

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """Add texts to the search index; rows are (key, text) in order of keys."""
        self.executemany("INSERT INTO search (rowid, text) VALUES (?, ?)", rows)

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Remove texts from the search index."""
        self.executemany("INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)", rows)

    def known(self, digests: Sequence[int]) -> set[int]:
        """Return the digests among these that are stored."""
        sql = "SELECT digest FROM seen WHERE digest IN (SELECT value FROM json_each(?))"
        return {digest for (digest,) in self.execute(sql, (json.dumps(list(digests)),))}

    @contextmanager
    def limit_time(self, seconds: float) -> Iterator[None]:
        """Raise `TooSlow` if the queries inside take longer, in CPU seconds of this thread."""
        end = time.thread_time() + seconds
        self._connection.set_progress_handler(lambda: time.thread_time() > end, STEPS)
        try:
            yield
        finally:
            self._connection.set_progress_handler(None)

    def wait_for_change(self, seconds: float) -> bool:
        """Wait up to this number of seconds until another connection commits; return whether one has."""
        end = time.monotonic() + seconds
        while True:
            version = int(self.execute("PRAGMA data_version")[0][0])
            if version != self._data_version or time.monotonic() >= end:
                is_changed = version != self._data_version
                self._data_version = version
                return is_changed
            time.sleep(LOOK_EVERY)

    def lock(self) -> None:
        """Lock the store for writing until the process ends."""
        self._lock_file = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        if take_lock(self._lock_file) is False:
            raise StoreError(f"another service uses {self.path.parent}; stop it first, or name another --store")

    def size(self) -> tuple[int, int]:
        """Return the size of the store and of its write-ahead log in bytes."""
        log = Path(f"{self.path}-wal")
        return os.path.getsize(self.path), os.path.getsize(log) if log.exists() else 0

    def backup(self, target: str) -> None:
        """Write a consistent copy to a new file, while the service runs."""
        if os.path.lexists(target):
            raise StoreError(f"{target} exists; name a new file")
        draft = f"{target}.part"
        # The copy contains all texts and the secret of the store: other users must not read it
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        copy = apsw.Connection(draft)
        try:
            with copy.backup("main", self._connection, "main") as backup:
                while not backup.done:
                    backup.step(1_000)
            for _ in copy.execute("PRAGMA journal_mode = DELETE"):
                pass
        finally:
            copy.close()
        os.replace(draft, target)

    def faults(self) -> list[str]:
        """Check the file and the search index, and return their faults."""
        found = [str(row[0]) for row in self.execute("PRAGMA integrity_check") if row[0] != "ok"]
        try:
            self.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
        except apsw.Error as error:
            found.append(f"the search index differs from the documents: {error}")
        return found

    def release_memory(self) -> None:
        """Return the memory of cached pages; the operating system still has them, where there is space."""
        self._connection.release_memory()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _quoted(word: str) -> str:
    """Return a word as an FTS5 string, never as syntax; a word that ends in * is a prefix.

    >>> _quoted('fever" OR x'), _quoted("fev*")
    ('"fever"" OR x"', '"fev"*')
    """
    is_beginning = word.endswith("*") and len(word) > 1
    text = word.rstrip("*") if is_beginning else word
    return '"' + text.replace("\0", "").replace('"', '""') + '"' + ("*" if is_beginning else "")


def plain_word(word: str) -> str:
    """Return a word in lower case and without diacritics.

    >>> plain_word("Zürich*")
    'zurich'
    """
    letters = unicodedata.normalize("NFD", word.lower().rstrip("*"))
    return re.sub(r"[\u0300-\u036f]", "", letters)
