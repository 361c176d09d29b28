"""SQLite files: one table or view, opened read-only; definitions in the file are not trusted."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.cell_values import NotText
from driftline.readers.records import (
    FIRST_RECORDS,
    Columns,
    Limits,
    Records,
    UnreadableFile,
    Unusable,
    Values,
    too_long,
)
from driftline.readers.settings import Settings

SIGNATURE = b"SQLite format 3\0"
"""First bytes of an SQLite file."""
_SAMPLE = 200
_CLEARLY_MORE = 2
_STEPS_AT_A_TIME = 100_000
_MOST_STEPS = 2_000
"""Maximum number of steps between two rows, in units of 100,000: a hostile view must not run indefinitely."""
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
_FAILURES = (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError)


class _Table(NamedTuple):
    """A readable table, with its columns and the amount of text in a sample."""

    name: str
    columns: Columns
    n_characters: int


def read_sqlite(path: Path, settings: Settings, *, name: str) -> Iterator[Records]:
    """Yield the rows of a table or view: the one called `settings.table`, or the one with a time and most text."""
    connection = _open(path, name)
    try:
        table = _chosen(connection, settings, name)
        yield from _rows(connection, table, settings, name)
    finally:
        connection.close()


def _open(path: Path, name: str) -> sqlite3.Connection:
    with path.open("rb") as file:
        if file.read(len(SIGNATURE)) != SIGNATURE:
            raise UnreadableFile(f"{name} is not an SQLite file")
    # A file that is not being written needs no lock; a file with a journal must be read together with the journal.
    is_written = any(journal.exists() and journal.stat().st_size for journal in _journals(path))
    mode = "mode=ro" if is_written else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, check_same_thread=False)
        connection.text_factory = _text
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}").close()
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("SELECT count(*) FROM sqlite_master").close()
    except _FAILURES as error:
        hint = "; it is being written; close the program that writes it" if is_written else ""
        raise UnreadableFile(f"{name} cannot be read as SQLite: {error}{hint}") from error
    return connection


def _journals(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]


def _chosen(connection: sqlite3.Connection, settings: Settings, name: str) -> _Table:
    try:
        listed = connection.execute(
            "SELECT name, type FROM sqlite_master "
            "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
        ).fetchall()
    except _FAILURES as error:
        raise UnreadableFile(f"{name} cannot be read as SQLite: {error}") from error
    kinds = {table: kind for table, kind in listed if isinstance(table, str)}
    shown = ", ".join(repr(table) for table in list(kinds)[:20]) or "none"
    if settings.table is not None:
        if settings.table not in kinds:
            raise InvalidInput(f"{name} has no table {settings.table!r} (its tables: {shown}); choose with table=")
        return _tried(connection, settings.table, settings, name)
    tables = [table for table, kind in kinds.items() if kind == "table"]
    if len(tables) == 1:
        return _tried(connection, tables[0], settings, name)
    found, problems = [], []
    for table in tables:
        try:
            found.append(_tried(connection, table, settings, name))
        except InvalidInput as error:
            problems.append(error)
    found.sort(key=lambda table: -table.n_characters)
    if not found:
        raise InvalidInput(
            f"no table of {name} has both a time and a text, judging by the column names (its tables: {shown}); choose "
            f"with table=, and name the columns with time= and text="
        )
    if len(found) > 1 and found[0].n_characters < _CLEARLY_MORE * found[1].n_characters:
        options = " or ".join(f"table={table.name!r}" for table in found[:4])
        raise AmbiguousInput(f"several tables of {name} contain dated texts; choose with {options}")
    return found[0]


def _tried(connection: sqlite3.Connection, table: str, settings: Settings, name: str) -> _Table:
    limits = settings.limits
    try:
        with _restricted(connection):
            cursor = connection.execute(f"SELECT * FROM {_quoted(table)} LIMIT 0")
            names = [column[0] for column in cursor.description]
            query = f"{_selection(names, limits)} FROM {_quoted(table)} LIMIT {_SAMPLE}"
            sample, failure = _fetched(connection.execute(query), limits)
    except _FAILURES as error:
        raise UnreadableFile(f"table {table!r} of {name} cannot be read: {error}") from error
    if failure is not None and not sample:
        raise UnreadableFile(f"table {table!r} of {name} cannot be read: {failure}") from failure
    if len({column.lower() for column in names}) < len(names):
        raise AmbiguousInput(
            f"table {table!r} of {name} has two columns of the same name; create a view that renames it"
        )
    choose = settings.chooser(f"table {table!r} of {name}")
    columns = choose({column: [row[i] for row in sample] for i, column in enumerate(names)})
    texts = [row[names.index(column)] for row in sample for column in columns.text]
    return _Table(table, columns, sum(len(text) for text in texts if isinstance(text, str)))


def _rows(connection: sqlite3.Connection, table: _Table, settings: Settings, name: str) -> Iterator[Records]:
    needed, limits = table.columns.needed(), settings.limits
    source = f"{name}, table {table.name}"
    first = limits._replace(batch_size=min(FIRST_RECORDS, limits.batch_size))
    row = 1
    with _restricted(connection) as steps:
        cursor = connection.execute(f"{_selection(needed, limits)} FROM {_quoted(table.name)}")
        failure: Exception | None = None
        while failure is None:
            steps[0] = 0
            rows, failure = _fetched(cursor, first if row == 1 else limits)
            if not rows and row > 1:
                break
            values = {column: _array([one[i] for one in rows]) for i, column in enumerate(needed)}
            yield Records(source, values, np.arange(row, row + len(rows), dtype=np.int64), table.columns, word="row")
            row += len(rows)
            if not rows:
                break
    if failure is not None:
        unusable = [Unusable(row, f"damaged: {failure}; nothing after this is read", place=f"after row {row - 1}")]
        yield Records(source, {}, np.empty(0, np.int64), None, unusable, word="row")


def _selection(names: Sequence[str], limits: Limits) -> str:
    """Return a query that replaces values that are too long or binary by a marker, so that they are never copied."""
    most = limits.max_record_bytes
    cells = (
        f"CASE typeof({name}) WHEN 'blob' THEN x'00' WHEN 'text' THEN "
        f"CASE WHEN length(CAST({name} AS BLOB)) > {most} THEN x'0000' ELSE {name} END ELSE {name} END"
        for name in map(_quoted, names)
    )
    return f"SELECT {', '.join(cells)}"


def _fetched(cursor: sqlite3.Cursor, limits: Limits) -> tuple[list[list[object]], Exception | None]:
    """Return the next rows, and the error that ended them, if any."""
    rows: list[list[object]] = []
    size = 0
    try:
        for row in cursor:
            rows.append([_value(value, limits) for value in row])
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if size >= limits.block_bytes or len(rows) >= limits.batch_size:
                break
    except _FAILURES as error:
        return rows, error
    return rows, None


def _array(values: list[object]) -> Values:
    """Return texts as an Arrow array, which is read faster; other or mixed values stay a list."""
    return pa.array(values, pa.large_string()) if all(type(value) is str for value in values) else values


def _value(value: object, limits: Limits) -> object:
    if isinstance(value, _WrongText):
        return bytes(value)
    if isinstance(value, bytes):
        return NotText(too_long(limits) if len(value) > 1 else "not text: a BLOB, which contains bytes")
    return value


class _WrongText(bytes):
    """A text whose bytes are not UTF-8."""


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _WrongText(data)


def _quoted(name: str) -> str:
    """Return a name as an SQL identifier, whatever characters it contains."""
    return '"' + name.replace('"', '""') + '"'


@contextlib.contextmanager
def _restricted(connection: sqlite3.Connection) -> Iterator[list[int]]:
    """Let a query only read, without recursion, and for a limited number of steps between two rows."""
    steps = [0]

    def took_too_long() -> bool:
        steps[0] += 1
        return steps[0] > _MOST_STEPS

    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(took_too_long, _STEPS_AT_A_TIME)
    try:
        yield steps
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
