"""Models in the store, in parts of a megabyte; each has its own commit, so that documents do not wait for all of them.

Parts become valid when the row of their model is written; those of an interrupted snapshot are removed with the next
one. A row without parts, as in version 1 of the tables, contains the model itself.
"""

from __future__ import annotations

from driftline.service.store.database import Database, StoreError

PART = 2**20
"""Bytes of a part."""


class Saving:
    """A model that is being stored: call `write_part` until all parts are written, then `finish`."""

    def __init__(self, version: int, batch: int, body: bytes) -> None:
        self.version, self.batch = version, batch
        self._body = body
        self._written = 0

    @property
    def is_written(self) -> bool:
        """Whether all parts are written."""
        return self._written * PART >= len(self._body)

    def write_part(self, database: Database) -> None:
        """Write the next part, within the transaction of the caller."""
        if not self._written:  # parts of an attempt that was interrupted
            database.execute("DELETE FROM model_parts WHERE version = ? AND batch = ?", (self.version, self.batch))
        start = self._written * PART
        database.execute(
            "INSERT INTO model_parts VALUES (?, ?, ?, ?)",
            (self.version, self.batch, self._written, self._body[start : start + PART]),
        )
        self._written += 1

    def finish(self, database: Database, base: int, now: int) -> None:
        """Write the remaining parts, and the row that makes the model valid, within the transaction of the caller."""
        while not self.is_written:
            self.write_part(database)
        database.execute("INSERT INTO models VALUES (?, ?, ?, ?, ?)", (self.version, self.batch, base, now, b""))


def remove_model(database: Database, version: int, batch: int) -> None:
    """Remove a model and its parts, within the transaction of the caller."""
    for table in ("models", "model_parts"):
        database.execute(f"DELETE FROM {table} WHERE version = ? AND batch = ?", (version, batch))


def remove_loose_parts(database: Database, version: int) -> None:
    """Remove parts without a model, within the transaction of the caller; those of later versions belong to a refit."""
    database.execute(
        "DELETE FROM model_parts WHERE version <= ? AND NOT EXISTS (SELECT 1 FROM models "
        "WHERE models.version = model_parts.version AND models.batch = model_parts.batch)",
        (version,),
    )


def read_model(database: Database, version: int, batch: int) -> bytes:
    """Return the bytes of a model."""
    row = database.execute("SELECT body FROM models WHERE version = ? AND batch = ?", (version, batch))
    parts = database.execute(
        "SELECT body FROM model_parts WHERE version = ? AND batch = ? ORDER BY part", (version, batch)
    )
    body = b"".join(bytes(part) for (part,) in (*row, *parts))
    if not body:
        raise StoreError(f"the models of batch {batch} are missing in the store; restore a backup")
    return body
