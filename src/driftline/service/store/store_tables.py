"""Tables of the store as numbered migrations; each is applied once, in one transaction, after a backup."""

from __future__ import annotations

from collections.abc import Callable

from driftline.service.store.database import Database, StoreError
from driftline.service.store.period_words import divide_rows

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # key: hour of the document << 24 | place in that hour, so that an hour is a range of keys
        "CREATE TABLE documents (key INTEGER PRIMARY KEY, batch INTEGER NOT NULL, time INTEGER NOT NULL, "
        "arrived INTEGER NOT NULL, id TEXT, source TEXT NOT NULL, text TEXT NOT NULL, topic INTEGER, "
        "probability REAL, topics BLOB, label TEXT) STRICT",
        "CREATE INDEX documents_topic ON documents (topic, key)",
        "CREATE INDEX documents_label ON documents (label, key) WHERE label IS NOT NULL",
        # 8-byte digests of accepted documents; they outlive the documents, so that a repetition is always recognised
        "CREATE TABLE seen (digest INTEGER PRIMARY KEY) STRICT",
        # The log of all events that the models depend on; keys are those of the documents, in order of arrival
        "CREATE TABLE batches (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, arrived INTEGER NOT NULL, "
        "n INTEGER NOT NULL, keys BLOB, body TEXT) STRICT",
        "CREATE TABLE places (source TEXT NOT NULL, part TEXT NOT NULL, place INTEGER NOT NULL, mark TEXT, "
        "generation INTEGER NOT NULL, taken INTEGER NOT NULL, rejected INTEGER NOT NULL, repeated INTEGER NOT NULL, "
        "last INTEGER, PRIMARY KEY (source, part)) STRICT",
        "CREATE TABLE periods (level INTEGER NOT NULL, start INTEGER NOT NULL, kind TEXT NOT NULL, "
        "body BLOB NOT NULL, PRIMARY KEY (level, start, kind)) STRICT, WITHOUT ROWID",
        "CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT",
        "CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT, colour INTEGER NOT NULL, words TEXT NOT NULL, "
        "present INTEGER NOT NULL) STRICT",
        "CREATE TABLE lineage (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, time INTEGER NOT NULL, "
        "kind TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, overlap REAL NOT NULL) STRICT",
        "CREATE TABLE models (version INTEGER NOT NULL, batch INTEGER NOT NULL, base INTEGER NOT NULL, "
        "saved INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (version, batch)) STRICT",
        "CREATE TABLE labels (number INTEGER PRIMARY KEY, key INTEGER NOT NULL, label TEXT, person TEXT NOT NULL, "
        "time INTEGER NOT NULL, guess TEXT, probability REAL, double INTEGER NOT NULL, text TEXT NOT NULL) STRICT",
        "CREATE INDEX labels_key ON labels (key)",
        "CREATE TABLE alarms (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, topic INTEGER, word TEXT, "
        "state TEXT NOT NULL, start INTEGER NOT NULL, raised INTEGER NOT NULL, ended INTEGER, "
        "probability REAL NOT NULL, highest REAL NOT NULL, ratio REAL NOT NULL, acknowledged TEXT, "
        "muted INTEGER, evidence TEXT NOT NULL, batch INTEGER NOT NULL) STRICT",
        "CREATE INDEX alarms_raised ON alarms (raised)",
        "CREATE TABLE outbox (id INTEGER PRIMARY KEY, target TEXT NOT NULL, body TEXT NOT NULL, "
        "attempts INTEGER NOT NULL, due INTEGER NOT NULL, sent INTEGER) STRICT",
        "CREATE TABLE rejections (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, source TEXT NOT NULL, "
        "place TEXT NOT NULL, reason TEXT NOT NULL) STRICT",
        "CREATE TABLE tokens (digest TEXT PRIMARY KEY, name TEXT NOT NULL, rights TEXT NOT NULL, "
        "created INTEGER NOT NULL) STRICT",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    ),
    (
        # Parts of models, which are committed one by one; the body in `models` is then empty
        "CREATE TABLE model_parts (version INTEGER NOT NULL, batch INTEGER NOT NULL, part INTEGER NOT NULL, "
        "body BLOB NOT NULL, PRIMARY KEY (version, batch, part)) STRICT",
        "CREATE INDEX documents_source ON documents (source, key)",
    ),
    (
        # Counts of words in blocks; `most` is the largest count, so that a block of rare words need not be read
        "CREATE TABLE period_words (level INTEGER NOT NULL, block INTEGER NOT NULL, start INTEGER NOT NULL, "
        "most INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (level, block, start)) STRICT, WITHOUT ROWID",
        "CREATE INDEX period_words_start ON period_words (level, start, block, most)",
    ),
)
"""Statements of each version, for SQLite; PostgreSQL translates the types."""

SEARCH = {
    "sqlite": (
        "CREATE VIRTUAL TABLE search USING fts5(text, content='documents', content_rowid='key', columnsize=0, "
        "tokenize='unicode61 remove_diacritics 2')",
    ),
    "postgresql": (
        "ALTER TABLE documents ADD COLUMN words tsvector "
        "GENERATED ALWAYS AS (to_tsvector('simple', left(text, 200000))) STORED",
        "CREATE INDEX documents_words ON documents USING gin (words)",
        # Documents that other processes accepted and that the learning process has not stored yet
        "CREATE TABLE inbox (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source TEXT NOT NULL, "
        "arrived BIGINT NOT NULL, body BYTEA NOT NULL)",
    ),
}
"""Statements of the search index and of the table for several processes, run after those of version 1."""
CONVERSIONS: dict[int, Callable[[Database], None]] = {3: divide_rows}
"""Conversions of the rows of the previous version, run after the statements of a version."""
VERSION = len(MIGRATIONS)


def migrate(database: Database, version: int) -> None:
    """Migrate the tables from a version to the current one; refuse a newer store."""
    if version > VERSION:
        raise StoreError(
            f"the store has version {version}, and this driftline knows versions up to {VERSION}; "
            "install the newer driftline that wrote it, or restore a backup"
        )
    for number in range(version, VERSION):
        with database.transaction():
            for statement in (*MIGRATIONS[number], *(SEARCH[database.kind] if number == 0 else ())):
                database.execute(statement)
            if number + 1 in CONVERSIONS:
                CONVERSIONS[number + 1](database)
            database.execute("DELETE FROM settings WHERE name = 'schema'")
            database.execute("INSERT INTO settings VALUES ('schema', ?)", (str(number + 1),))
