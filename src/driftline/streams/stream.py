"""A stream of dated documents: iterated in batches, or loaded as one sorted table."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.core.errors import InvalidInput, UnorderedTimes
from driftline.core.progress import track
from driftline.core.times import days, describe_span
from driftline.streams.rejections import Rejection, Rejections
from driftline.streams.reorder import reorder, sort_by_time, times_of
from driftline.streams.schema import OPTIONAL, SCHEMA, Document, conform, empty_table

Source = Callable[[Rejections], Iterable[pa.RecordBatch]]
DEFAULT_BATCH_SIZE = 65_536
_Row = tuple[Any, ...]
"""The values of one document, in the order of `SCHEMA`, its time in microseconds."""


class StreamOptions(TypedDict, total=False):
    """The options of `Stream` that its other constructors take, too."""

    on_error: str
    reorder_within: str | datetime.timedelta | np.timedelta64 | None
    columns: Mapping[str, str] | None
    source_kind: str | None


class Stream:
    """Documents in the order of their source, read in batches each time they are iterated over.

    `driftline.read` creates one from a file, a folder or a data frame. `batches` and iteration keep only one batch in
    memory; `table` loads all documents, sorted by time. After a pass, every record that was present is accounted for:
    ``n_present == n_read + rejections.count``.

    >>> stream = Stream.from_documents([("2003-03-20", "war begins"), ("2003-03-19", "last hours of peace")])
    >>> [(document.time.day, document.text) for document in stream]
    [(20, 'war begins'), (19, 'last hours of peace')]
    >>> stream.table()["text"].to_pylist()
    ['last hours of peace', 'war begins']
    >>> stream
    <Stream 'documents': 2 read, 0 rejected; 2003-03-19 to 2003-03-20>

    Parameters
    ----------
    source : callable
        Called with a `Rejections` at the start of every pass; returns batches of `SCHEMA`.
    name : str
        Name of the stream in messages.
    on_error : {"report", "raise"}
        Count an unusable record and continue, or stop at the first.
    reorder_within : str, timedelta or None
        Maximum delay of a document (``"2h"``). `batches` then yields the documents in time order, and counts later ones
        as rejected (or raises `UnorderedTimes`). None keeps the order of the source.
    once : bool
        Whether the source can be read only once, like standard input.
    columns : mapping or None
        Descriptions of the origins of id, time, text, label, author and thread.
    source_kind : str or None
        The kind of texts if the source implies it, such as "commits" for a git log; None to detect it from the texts.
    """

    def __init__(
        self,
        source: Source,
        *,
        name: str = "stream",
        on_error: str = "report",
        reorder_within: str | datetime.timedelta | np.timedelta64 | None = None,
        once: bool = False,
        columns: Mapping[str, str] | None = None,
        source_kind: str | None = None,
    ) -> None:
        self.name = name
        self.on_error = on_error
        self.reorder_within = reorder_within
        self.rejections = Rejections(on_error)
        """The records rejected by the latest pass."""
        self.n_read = 0
        """The number of documents yielded by the latest pass."""
        self.columns = dict(columns or {})
        """The origins of id, time, text, label, author and thread."""
        self.source_kind = source_kind
        """The kind of texts, if the source implies it."""
        self._source = source
        self._window = None if reorder_within is None else _microseconds(reorder_within)
        self._once = once
        self._started = False
        self._finished = False
        self._span: tuple[int, int] | None = None
        self._table: pa.Table | None = None

    @classmethod
    def from_table(
        cls,
        table: pa.Table,
        *,
        name: str = "table",
        batch_size: int = DEFAULT_BATCH_SIZE,
        **options: Unpack[StreamOptions],
    ) -> Stream:
        """Create a stream from an Arrow table with the columns time and text, and optionally others of `SCHEMA`.

        Rows without a time or a text are rejected. `options` are those of `Stream`.
        """
        conformed = conform(table)

        def source(rejections: Rejections) -> Iterator[pa.RecordBatch]:
            row = 0
            for batch in conformed.to_batches(max_chunksize=batch_size):
                yield _without_nulls(batch, rejections, name, row)
                row += len(batch)

        return cls(source, name=name, **options)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Sequence[object]],
        *,
        name: str = "documents",
        batch_size: int = DEFAULT_BATCH_SIZE,
        **options: Unpack[StreamOptions],
    ) -> Stream:
        """Create a stream from `Document` values, ``(time, text)`` pairs, or tuples of the first three or more values.

        A time is a datetime, a date, a datetime64 or an ISO 8601 string; without a zone it is UTC. An iterator can be
        read only once, a list repeatedly. `options` are those of `Stream`.
        """
        once = isinstance(documents, Iterator)

        def source(rejections: Rejections) -> Iterator[pa.RecordBatch]:
            rows: list[_Row] = []
            for number, document in enumerate(documents, start=1):
                try:
                    rows.append(_row_of(document, number))
                except (TypeError, ValueError, OverflowError) as error:
                    rejections.add(Rejection(name, f"document {number}", f"unusable document: {error}"))
                if len(rows) >= batch_size:
                    yield _batch_of(rows)
                    rows = []
            if rows:
                yield _batch_of(rows)

        return cls(source, name=name, once=once, **options)

    @property
    def n_present(self) -> int:
        """The number of records in the latest pass: read + rejected."""
        return self.n_read + self.rejections.count

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as record batches of `SCHEMA`, never empty ones; one batch is in memory at a time."""
        if self._once and self._table is not None:
            return iter(self._table.to_batches())
        batches = self._read()
        if self._window is not None:
            batches = reorder(batches, self._window, self._reject_late)
        return self._counted(batches)

    def __iter__(self) -> Iterator[Document]:
        for batch in self.batches():
            yield from map(Document, *(column.to_pylist() for column in batch.columns))

    def table(self) -> pa.Table:
        """Load all documents and return them as one table of `SCHEMA`, stably sorted by time.

        The table is kept for the next call. No document can be late here, so `reorder_within` has no effect.
        """
        if self._table is None:
            batches = list(self._counted(self._read()))
            self._table = sort_by_time(pa.Table.from_batches(batches, SCHEMA)) if batches else empty_table()
        return self._table

    def _read(self) -> Iterator[pa.RecordBatch]:
        if self._once and self._started:
            raise InvalidInput(
                f"{self.name} can be read only once and was read before; call .table() first to load the documents, "
                f"or save them to a file"
            )
        self._started, self._finished = True, False
        self.rejections, self.n_read, self._span = Rejections(self.on_error), 0, None
        return iter(self._source(self.rejections))

    def _counted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in track(batches, f"reading {self.name}"):
            if not len(batch):
                continue
            times = times_of(batch)
            low, high = int(times.min()), int(times.max())
            self._span = (low, high) if self._span is None else (min(low, self._span[0]), max(high, self._span[1]))
            self.n_read += len(batch)
            yield batch
        self._finished = True

    def _reject_late(self, index: int, identifier: str, lag: int) -> None:
        lag_in_words = describe_span(lag / MICROSECONDS_PER_DAY)
        if self.on_error == "raise":
            raise UnorderedTimes(index, lag_in_words)
        reason = f"older than reorder_within allows: {lag_in_words} after a newer document"
        self.rejections.add(Rejection(self.name, f"document {index + 1} (id {identifier})", reason))

    def __repr__(self) -> str:
        if not self._started:
            found = ", ".join(f"{name} from {column}" for name, column in self.columns.items())
            return f"<Stream {self.name!r}: not read yet{'; ' * bool(found)}{found}>"
        state = "" if self._finished else " so far"
        span = "" if self._span is None else "; {} to {}".format(*map(_day, self._span))
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.rejections.reasons.most_common(3))
        rejected = f"{self.rejections.count:,} rejected{f' ({why})' * bool(why)}"
        return f"<Stream {self.name!r}: {self.n_read:,} read{state}, {rejected}{span}>"


def _microseconds(duration: str | datetime.timedelta | np.timedelta64) -> int:
    if isinstance(duration, datetime.timedelta):
        duration = np.timedelta64(duration)
    if not isinstance(duration, str | np.timedelta64):
        raise InvalidInput(f"reorder_within must be a duration such as '2h' or a timedelta, not {duration!r}")
    return round(days(duration) * MICROSECONDS_PER_DAY)


def _day(microseconds: int) -> str:
    return str(np.datetime64(microseconds, "us").astype("datetime64[D]"))


def _without_nulls(batch: pa.RecordBatch, rejections: Rejections, source: str, first_row: int) -> pa.RecordBatch:
    """Return the rows that have a time and a text, and report the others."""
    if not batch["time"].null_count and not batch["text"].null_count:
        return batch
    no_time = pc.is_null(batch["time"]).to_numpy(zero_copy_only=False)
    bad = no_time | pc.is_null(batch["text"]).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(bad):
        reason = "no time" if no_time[row] else "no text"
        rejections.add(Rejection(source, f"row {first_row + int(row) + 1}", reason))
    return batch.filter(pa.array(~bad))


def _row_of(document: Sequence[object], number: int) -> _Row:
    if isinstance(document, str | bytes) or not 2 <= len(document) <= len(SCHEMA):
        raise TypeError("a document is (time, text) or (id, time, text[, label[, author[, thread[, origin]]]])")
    rest: list[object] = []
    if len(document) == 2:
        identifier, (time, text) = str(number), document
    else:
        identifier, time, text, *rest = document
    if not isinstance(text, str):
        raise TypeError(f"not text but {type(text).__name__}")
    if time is None:
        raise TypeError("no time")
    text.encode()  # a lone surrogate cannot be stored; report it for this document, not for its whole batch
    given = [None if value is None else str(value) for value in rest]
    return str(identifier), _to_microseconds(time), text, *given, *[None] * (len(OPTIONAL) - len(given))


def _to_microseconds(time: object) -> int:
    if isinstance(time, str):
        time = datetime.datetime.fromisoformat(time)
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        time = time.astimezone(datetime.UTC).replace(tzinfo=None)
    if not isinstance(time, datetime.date | np.datetime64):
        raise TypeError(f"not a time but {type(time).__name__}")
    moment = np.datetime64(time).astype("datetime64[us]")
    if np.isnat(moment):
        raise TypeError("no time")
    return int(moment.astype(np.int64))


def _batch_of(rows: list[_Row]) -> pa.RecordBatch:
    arrays = [pa.array(values, field.type) for values, field in zip(zip(*rows), SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
