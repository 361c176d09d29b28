"""A store in PostgreSQL, for several processes or machines: the same tables and statements, its own search index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.errors import QueryCanceled

from driftline.service.store.database import Row, StoreError, StoreUnreachable, TooSlow
from driftline.service.store.keys import PLACES
from driftline.service.store.store_tables import migrate

CHANNEL = "'driftline.' || current_schema()"
"""Channel on which every commit of a service is notified."""
LOCK = 0x6472_6966
"""Number of the advisory lock of the writer."""


class PostgresDatabase:
    """One connection. A lock ensures that there is one writer; connections for reading cannot write.

    If the server ends the connection, as when it restarts, the current statement or transaction fails with
    `StoreUnreachable`, and the next one connects again. A statement that only reads is repeated at once.
    """

    kind = "postgresql"

    def __init__(self, address: str, *, writes: bool) -> None:
        self._address, self._writes = address, writes
        self._locks = self._is_inside = self._is_closed = False
        self._seconds = 0.0
        self._connect()
        if not writes:
            return
        tables = {
            name for (name,) in self.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        }
        version = 0
        if "settings" in tables:
            rows = self.execute("SELECT value FROM settings WHERE name = 'schema'")
            version = int(rows[0][0]) if rows else 0
        elif tables & {"documents", "batches"}:
            raise StoreError("the database has tables of another program; name an empty one in --store")
        migrate(self, version)

    def _connect(self) -> None:
        """Connect, with the settings and the lock of this connection."""
        try:
            self._connection = psycopg.connect(self._address, autocommit=True)
            self._listens = False
            if not self._writes:
                self._connection.execute("SET default_transaction_read_only = on")
            if self._seconds:
                self._connection.execute(self._limit())
            has_lock = not self._locks or self._take_lock()
        except psycopg.Error as error:
            raise StoreUnreachable(f"PostgreSQL cannot be reached: {str(error).strip()}; see --store") from error
        if not has_lock:
            self._connection.close()
            raise StoreUnreachable("another session writes to this store, perhaps one that has not ended yet")

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend the connection, made again if it was lost; within a transaction that was lost, there is none."""
        if self._connection.closed and not self._is_inside and not self._is_closed:
            self._connect()
        try:
            yield self._connection
        except QueryCanceled as error:
            raise TooSlow("the query took longer than its time limit; request a shorter interval") from error
        except psycopg.OperationalError as error:
            if not self._connection.closed:
                raise
            raise StoreUnreachable("the connection to PostgreSQL was lost; try again") from error

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement and return all of its rows."""
        try:
            return self._executed(sql, values)
        except StoreUnreachable:
            if self._writes or self._is_inside:
                raise
            return self._executed(sql, values)

    def _executed(self, sql: str, values: Sequence[object]) -> list[Row]:
        with self._connected() as connection, connection.cursor() as cursor:
            cursor.execute(translated(sql), [_value(value) for value in values])
            return [] if cursor.description is None else [tuple(map(_plain, row)) for row in cursor.fetchall()]

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for many rows of values."""
        with self._connected() as connection, connection.cursor() as cursor:
            cursor.executemany(translated(sql), [[_value(value) for value in row] for row in rows])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none of them if there is an error."""
        with self._connected() as connection:
            outermost, self._is_inside = not self._is_inside, True
            try:
                with connection.transaction():
                    yield
                    if self._writes:
                        self.execute(f"SELECT pg_notify({CHANNEL}, '')")
            finally:
                self._is_inside = not outermost

    def match(self, words: Sequence[str]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for documents that contain all words, with its values."""
        return "words @@ to_tsquery('simple', ?)", [_query(words)]

    def newest_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the newest documents with all words, newest first, within a range of keys."""
        condition, values = self.match(words)
        rows = self.execute(
            f"SELECT key FROM documents WHERE {condition} AND key BETWEEN ? AND ? ORDER BY key DESC LIMIT ?",
            (*values, lowest, highest, most),
        )
        return [key for (key,) in rows]

    def best_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the documents that match all words best, best first."""
        condition, values = self.match(words)
        rows = self.execute(
            f"SELECT key FROM documents WHERE {condition} AND key BETWEEN ? AND ? "
            "ORDER BY ts_rank(words, to_tsquery('simple', ?), 1) DESC, key DESC LIMIT ?",
            (*values, lowest, highest, *values, most),
        )
        return [key for (key,) in rows]

    def matches_per_hour(self, words: Sequence[str], lowest: int, highest: int) -> list[tuple[int, int]]:
        """Return (hour, number of documents with all words) within a range of keys; hours are encoded as in keys."""
        condition, values = self.match(words)
        rows = self.execute(
            f"SELECT key >> {PLACES} AS hour, count(*) FROM documents WHERE {condition} AND key BETWEEN ? AND ? "
            "GROUP BY hour ORDER BY hour",
            (*values, lowest, highest),
        )
        return [(hour, n) for hour, n in rows]

    def n_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> int:
        """Return the number of documents with all words within a range of keys, counted up to `most`."""
        condition, values = self.match(words)
        rows = self.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM documents WHERE {condition} AND key BETWEEN ? AND ? LIMIT ?) AS few",
            (*values, lowest, highest, most),
        )
        return int(rows[0][0])

    def among(self, keys: Sequence[int]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for the documents of a list, with its values."""
        return "key = ANY(?)", [list(keys)]

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """Do nothing: the index is a generated column."""

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Do nothing: the index is a generated column."""

    def known(self, digests: Sequence[int]) -> set[int]:
        """Return the digests among these that are stored."""
        return {digest for (digest,) in self.execute("SELECT digest FROM seen WHERE digest = ANY(?)", (list(digests),))}

    @contextmanager
    def limit_time(self, seconds: float) -> Iterator[None]:
        """Raise `TooSlow` if the queries inside take longer."""
        self._seconds = seconds
        self.execute(self._limit())
        try:
            yield
        finally:
            self._seconds = 0.0
            with suppress(StoreUnreachable):  # the next connection has no limit
                self.execute(self._limit())

    def _limit(self) -> str:
        return f"SET statement_timeout = {int(1000 * self._seconds)}"

    def wait_for_change(self, seconds: float) -> bool:
        """Wait up to this number of seconds until another connection commits; return whether one has."""
        if not self._listens:
            channel = self.execute(f"SELECT quote_ident({CHANNEL})")[0][0]
            self.execute(f"LISTEN {channel}")
            self._listens = True
        with self._connected() as connection:
            return any(True for _ in connection.notifies(timeout=seconds, stop_after=1))

    def lock(self) -> None:
        """Lock the store for writing until the connection ends."""
        if not self._take_lock():
            raise StoreError("another service writes to this store; stop it first")
        self._locks = True

    def _take_lock(self) -> bool:
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(current_schema()))", (LOCK,))
            [(taken,)] = cursor.fetchall()
        return bool(taken)

    def size(self) -> tuple[int, int]:
        """Return the size of the database in bytes; that of its log is not available."""
        return int(self.execute("SELECT pg_database_size(current_database())")[0][0]), 0

    def backup(self, target: str) -> None:
        """Refuse: PostgreSQL has its own tools."""
        raise StoreError("a store in PostgreSQL is copied with pg_dump, and restored with pg_restore")

    def faults(self) -> list[str]:
        """Return an empty list: PostgreSQL has its own checks (pg_amcheck)."""
        return []

    def release_memory(self) -> None:
        """Do nothing: the server has the pages."""

    def close(self) -> None:
        """Close the connection."""
        self._is_closed = True
        self._connection.close()


def translated(sql: str) -> str:
    """Translate a statement from SQLite to PostgreSQL.

    >>> translated("CREATE TABLE a (b INTEGER PRIMARY KEY, c BLOB) STRICT, WITHOUT ROWID")
    'CREATE TABLE a (b BIGINT PRIMARY KEY, c BYTEA)'
    >>> translated("SELECT b FROM a WHERE c = ?")
    'SELECT b FROM a WHERE c = %s'
    """
    if sql.startswith("CREATE TABLE"):
        sql = re.sub(r"\) STRICT(, WITHOUT ROWID)?$", ")", sql)
        sql = sql.replace("INTEGER", "BIGINT").replace("BLOB", "BYTEA").replace("REAL", "DOUBLE PRECISION")
    return sql.replace("%", "%%").replace("?", "%s")


def _query(words: Sequence[str]) -> str:
    """Return words as a query of letters and digits, without syntax; a word that ends in * is a prefix."""
    parts = []
    for word in words:
        letters = re.sub(r"\W+", "", word)
        if letters:
            parts.append(f"'{letters}':*" if word.endswith("*") else f"'{letters}'")
    return " & ".join(parts) or "''"


def _plain(value: Any) -> object:
    """Return a value as SQLite returns it: whole numbers instead of decimals."""
    return int(value) if type(value).__name__ == "Decimal" else value


def _value(value: object) -> object:
    """Return a value that PostgreSQL can store: text without zero bytes."""
    return value.replace("\0", " ") if isinstance(value, str) else value
