"""Opening a store: a folder with a SQLite file, or a PostgreSQL address."""

from __future__ import annotations

import secrets
from pathlib import Path

from driftline.core.errors import MissingDependency
from driftline.service.store.database import Database, StoreError

FILE = "driftline.sqlite"


def open_store(where: str, *, writes: bool) -> Database:
    """Open a store for reading or writing; with `writes` it is created or migrated if necessary."""
    if where.startswith(("postgresql://", "postgres://")):
        try:
            from driftline.service.store.postgresql import PostgresDatabase
        except ImportError as error:
            raise MissingDependency("a store in PostgreSQL", "psycopg", "postgresql") from error
        return PostgresDatabase(where, writes=writes)
    try:
        from driftline.service.store.sqlite_store import SQLiteDatabase
    except ImportError as error:
        raise MissingDependency("the store of the service", "apsw", "service") from error
    folder = Path(where)
    if writes:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder {folder} of the store cannot be created: {error.strerror}") from error
    elif not (folder / FILE).is_file():
        raise StoreError(f"there is no store in {folder}; name the folder of a service with --store")
    return SQLiteDatabase(folder / FILE, writes=writes)


def secret_of(database: Database) -> bytes:
    """Return the secret key of the digests of a store; it is created on first use."""
    return bytes.fromhex(setting_of(database, "secret", lambda: secrets.token_hex(16)))


def set_setting(database: Database, name: str, value: object) -> None:
    """Set a setting, within the transaction of the caller."""
    database.execute(
        "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, str(value))
    )


def setting_of(database: Database, name: str, make: object = None) -> str:
    """Return a setting; if it does not exist, create it (with a function) or return an empty text."""
    rows = database.execute("SELECT value FROM settings WHERE name = ?", (name,))
    if rows:
        return str(rows[0][0])
    if not callable(make):
        return ""
    value = str(make())
    database.execute("INSERT INTO settings VALUES (?, ?)", (name, value))
    return value
