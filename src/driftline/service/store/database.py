"""What the service needs of a database; the SQL of this folder is understood by SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from driftline.core.errors import DriftlineError

Row = tuple[Any, ...]


class StoreError(DriftlineError):
    """The store is damaged, newer than this version, in use, or cannot be reached."""


class TooSlow(DriftlineError):
    """A question took longer than its time limit."""


class Database(Protocol):
    """A connection to a store. Placeholders are question marks; all rows are fetched at once."""

    kind: str

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and return all of its rows."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many rows of values."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit what is done inside, or nothing of it if there is an error."""

    def match(self, words: Sequence[str]) -> tuple[str, list[Any]]:
        """Return a condition on `documents.key` for documents that contain all words, with its values."""

    def newest_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the newest documents with all words, newest first, within a range of keys."""

    def best_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> list[int]:
        """Return the keys of the documents in which all words weigh most, best first."""

    def matches_per_hour(self, words: Sequence[str], lowest: int, highest: int) -> list[tuple[int, int]]:
        """Return (hour, documents with all words) of the hours of a range of keys, hours as in the keys."""

    def n_matches(self, words: Sequence[str], most: int, lowest: int, highest: int) -> int:
        """Return the number of documents with all words within a range of keys, counted up to `most`."""

    def among(self, keys: Sequence[int]) -> tuple[str, list[Any]]:
        """Return a condition on `documents.key` for documents of a list, with its values."""

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """Add texts to the index of words; rows are (key, text) in order of keys."""

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Remove texts from the index of words."""

    def known(self, digests: Sequence[int]) -> set[int]:
        """Return which of the digests of documents are stored."""

    def limit_time(self, seconds: float) -> AbstractContextManager[None]:
        """Raise `TooSlow` if what is done inside takes longer."""

    def wait_for_change(self, seconds: float) -> bool:
        """Wait until another process commits, at most so long; return whether one has."""

    def lock(self) -> None:
        """Be the only service that writes to this store, or raise `StoreError`."""

    def size(self) -> tuple[int, int]:
        """Return the bytes of the store and of its log."""

    def backup(self, target: str) -> None:
        """Write a consistent copy to a new file."""

    def faults(self) -> list[str]:
        """Check the files of the store and return what is wrong."""

    def close(self) -> None:
        """Close the connection."""
