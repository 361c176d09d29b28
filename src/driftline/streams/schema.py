"""The schema of documents, as a row and as a table: id, time, text, and optionally label, author, thread and origin.

>>> SCHEMA.names
['id', 'time', 'text', 'label', 'author', 'thread', 'origin']
>>> SCHEMA.field("time").type
TimestampType(timestamp[us, tz=UTC])
"""

from __future__ import annotations

import datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.errors import InvalidInput

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("text", pa.large_string()),
        ("label", pa.string()),
        ("author", pa.string()),
        ("thread", pa.string()),
        ("origin", pa.string()),
    ]
)
"""The columns of every batch and table of a `Stream`; only those of `OPTIONAL` are ever null."""
OPTIONAL = ("label", "author", "thread", "origin")
"""Optional columns: the label, the author and the conversation of a document, and the file or channel it is from."""


class Document(NamedTuple):
    """One dated text. The time is aware and in UTC; what is optional is None if missing."""

    id: str
    time: datetime.datetime
    text: str
    label: str | None = None
    author: str | None = None
    thread: str | None = None
    origin: str | None = None


def empty_table() -> pa.Table:
    """Return a table of `SCHEMA` without rows."""
    return SCHEMA.empty_table()


def conform(table: pa.Table, *, first_number: int = 1) -> pa.Table:
    """Return `table` with exactly the columns of `SCHEMA`; nulls in time or text are kept for the caller to handle.

    The columns must have the names of `SCHEMA`; a missing ``id`` becomes the row's number, a missing column of
    `OPTIONAL` null. A time without a zone is UTC.

    >>> table = pa.table({"time": [datetime.date(2003, 3, 20)], "text": ["war begins"]})
    >>> conform(table).to_pylist()[0]["time"].isoformat()
    '2003-03-20T00:00:00+00:00'
    """
    missing = {"time", "text"} - set(table.column_names)
    if missing:
        raise InvalidInput(
            f"the table has no column {' and no column '.join(sorted(missing))} (its columns: "
            f"{', '.join(map(str, table.column_names))}); rename them, or use driftline.read(table, time=…, text=…)"
        )
    numbers = pa.array(range(first_number, first_number + len(table)), pa.int64()).cast(pa.string())
    columns: dict[str, pa.Array | pa.ChunkedArray] = {"time": _to_time(table["time"])}
    for name in ("id", "text", *OPTIONAL):
        kind = SCHEMA.field(name).type
        if name not in table.column_names:
            columns[name] = numbers if name == "id" else pa.nulls(len(table), kind)
            continue
        try:
            columns[name] = table[name].cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InvalidInput(
                f"the column {name!r} contains {table[name].type}, which is not text; pass strings ({error})"
            ) from error
    columns["id"] = pc.coalesce(columns["id"], numbers)
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _to_time(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("ms"))
    elif not pa.types.is_timestamp(kind):
        raise InvalidInput(
            f"the column 'time' contains {kind}, which is not a date; convert it to timestamps, "
            f"or let driftline.read(table, time='time') do so"
        )
    try:
        # A strict cast would refuse nanoseconds with a remainder; documents do not need nanoseconds.
        return column.cast(pa.timestamp("us", tz="UTC"), safe=column.type.unit != "ns")
    except pa.ArrowInvalid as error:
        raise InvalidInput(f"the column 'time' has times out of range: {error}") from error
