"""The interface of a database that the service uses; the SQL of this folder is valid in SQLite and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from driftline.core.errors import DriftlineError

Row = tuple[Any, ...]


class StoreError(DriftlineError):
    """The store is damaged, newer than this version, in use, or unreachable."""


class StoreUnreachable(StoreError):
    """The server of the store ended the connection or does not answer; another attempt may succeed."""


class TooSlow(DriftlineError):
    """A query took longer than its time limit."""


class Database(Protocol):
    """A connection to a store. Placeholders are question marks; each call fetches all rows."""

    kind: str

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement and return all of its rows."""

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for many rows of values."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all changes made inside, or none of them if there is an error."""

    def match(self, words: Sequence[str]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for documents that contain all words, with its values."""

    def newest_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the newest documents with all words, newest first, within a range of keys."""

    def best_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the documents that match all words best, best first."""

    def matches_per_hour(self, words: Sequence[str], lowest: int, highest: int) -> list[tuple[int, int]]:
        """Return (hour, number of documents with all words) within a range of keys; hours are encoded as in keys."""

    def n_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> int:
        """Return the number of documents with all words within a range of keys, counted up to `most`."""

    def among(self, keys: Sequence[int]) -> tuple[str, list[object]]:
        """Return a condition on `documents.key` for the documents of a list, with its values."""

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """Add texts to the search index; rows are (key, text) in order of keys."""

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Remove texts from the search index."""

    def known(self, digests: Sequence[int]) -> set[int]:
        """Return the digests among these that are stored."""

    def limit_time(self, seconds: float) -> AbstractContextManager[None]:
        """Raise `TooSlow` if the queries inside take longer."""

    def wait_for_change(self, seconds: float) -> bool:
        """Wait up to this number of seconds until another process commits; return whether one has."""

    def lock(self) -> None:
        """Lock the store for writing, or raise `StoreError` if another service has the lock."""

    def size(self) -> tuple[int, int]:
        """Return the size of the store and of its write-ahead log in bytes."""

    def backup(self, target: str) -> None:
        """Write a consistent copy to a new file."""

    def faults(self) -> list[str]:
        """Check the files of the store and return their faults."""

    def release_memory(self) -> None:
        """Return the memory of cached pages; they are read again when they are needed."""

    def close(self) -> None:
        """Close the connection."""
