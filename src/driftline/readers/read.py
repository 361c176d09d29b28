"""`driftline.read`: dated texts from any source, as a `Stream`."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.columns import Choice
from driftline.readers.data_frames import is_frame, read_frame
from driftline.readers.documents import to_documents
from driftline.readers.encodings import check_encoding
from driftline.readers.file_parts import stream_records
from driftline.readers.formats import check_format
from driftline.readers.records import Columns, Limits, Records
from driftline.readers.regular_files import is_pipe
from driftline.readers.settings import Part, Settings
from driftline.readers.sources import check_choices, parts_of, records_of
from driftline.readers.standard_input import NAME as STANDARD_INPUT
from driftline.readers.standard_input import standard_input_format
from driftline.readers.text_files import FILE_TIMES
from driftline.streams.rejections import Rejections
from driftline.streams.stream import DEFAULT_BATCH_SIZE, Stream


def read(
    source: object,
    *,
    time: str | Sequence[str] | None = None,
    text: str | Sequence[str] | None = None,
    label: str | bool | None = None,
    id: str | bool | None = None,
    author: str | bool | None = None,
    thread: str | bool | None = None,
    format: str | None = None,
    on_error: str = "report",
    reorder_within: str | datetime.timedelta | np.timedelta64 | None = None,
    time_unit: str | None = None,
    dayfirst: bool | None = None,
    timezone: str | None = None,
    encoding: str | None = None,
    file_time: str = "auto",
    drop_quotes: bool = False,
    sheet: str | int | None = None,
    table: str | None = None,
    max_record_bytes: int = 2**24,
    max_expansion: float = 200.0,
    batch_size: int = DEFAULT_BATCH_SIZE,
) -> Stream:
    """Read dated texts from almost any source, as a `Stream` that is read in batches when it is used.

    >>> stream = read([{"date": "2003-03-20", "headline": "war begins"}, {"date": "", "headline": "undated"}])
    >>> stream
    <Stream 'list': not read yet; time from date, text from headline>
    >>> [document.text for document in stream]
    ['war begins']
    >>> print(stream.rejections.summary())
    1 record rejected: 1 no time (list, row 2)

    Parameters
    ----------
    source : path, pattern, list of paths, "-", Arrow table or reader, pandas or polars frame, list of dictionaries
        A file of JSON lines (or one JSON array), CSV, TSV, Parquet, Arrow, mbox, mail, RSS, Atom or text, a log, or the
        output of ``git log``; a spreadsheet or SQLite file; an export of Elasticsearch, Slack, Mastodon or Telegram; a
        folder or zip archive of such files, a data set in shards, a Maildir or a git repository; a pattern such as
        ``"news/*.jsonl.gz"``; ``"-"`` for standard input, or the name of a pipe, both of which are read once. gzip,
        bzip2, xz and zstd are decompressed.
    time, text, label, id, author, thread : str or None
        The columns to read. None finds them by name, time and text otherwise by their values; False (except for time
        and text) means none. Several columns of text are joined: ``text=["subject", "body"]`` or ``"subject,body"``.
        So are those of the time: ``time=["date", "clock"]``, or year, month and day, and perhaps a time of day.
        The author is the sender, account or source; the thread is the conversation, which for mail is identified by the
        mail that started it.
    format : str or None
        None detects it from the name, otherwise from the content. One of "jsonl", "csv", "tsv", "parquet", "arrow",
        "spreadsheet", "sqlite", "mbox", "eml", "feed", "gitlog", "log", "elasticsearch", "slack", "mastodon",
        "telegram", "text", "maildir", "git".
    on_error : {"report", "raise"}
        What to do with an unusable record: count it in `Stream.rejections`, or raise `BadRecord`.
    reorder_within : str, timedelta or None
        How late a document may arrive when the stream is iterated, such as ``"2h"``; see `Stream`.
    time_unit : {"s", "ms", "us", "ns", "d", "year", "yyyymmdd", "yyyymmddhhmmss", "excel", "excel1904"} or None
        Unit of numeric times, if their magnitude is ambiguous.
    dayfirst : bool or None
        Whether 05/04/2003 is in April (True) or in May (False), if no other date decides it.
    timezone : str or None
        Time zone of times without one, such as ``"Europe/Berlin"``. None means UTC.
    encoding : str or None
        Character encoding. None means UTF-8, or UTF-16 or UTF-32 if a byte order mark or zero bytes at regular
        positions indicate it.
    file_time : {"auto", "name", "header", "mtime"}
        Where the time of a text file is found: in its name, in a line ``Date: …``, or in the file system.
    drop_quotes : bool
        Omit quoted lines of mail, which start with ``>``.
    sheet : str, int or None
        The sheet of a spreadsheet, by its name or its number from 1. None selects the first with a time and a text.
    table : str or None
        The table or view of an SQLite file. None selects the table with a time and a text, or the one with most text.
    max_record_bytes : int
        A record larger than this (16 MiB) is rejected without being loaded.
    max_expansion : float
        Maximum expansion of a compressed file (beyond 64 MiB); a larger one is treated as a decompression bomb.
    batch_size : int
        Maximum number of documents per batch.
    """
    check_format(format)
    for name, number in (("max_record_bytes", max_record_bytes), ("batch_size", batch_size)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise InvalidInput(f"{name} must be a whole number of at least 1, not {number!r}")
    if not max_expansion > 0:
        raise InvalidInput(f"max_expansion must be greater than 0, not {max_expansion!r}")
    if file_time not in FILE_TIMES:
        raise InvalidInput(f"file_time must be one of {', '.join(FILE_TIMES)}, not {file_time!r}")
    settings = Settings(
        choice=Choice(time, text, label, id, author, thread),
        format=format,
        limits=Limits(max_record_bytes=max_record_bytes, batch_size=batch_size),
        encoding=None if encoding is None else check_encoding(encoding),
        max_expansion=max_expansion,
        file_time=file_time,
        drop_quotes=drop_quotes,
        sheet=None if sheet is None else str(sheet),
        table=table,
        time_unit=time_unit,
        dayfirst=dayfirst,
        timezone=timezone,
    )
    return _stream(source, settings, on_error=on_error, reorder_within=reorder_within)


def read_own_ids(source: object) -> Stream:
    """Read a source like `read`, except that the id of a document that has none is null, and not its number.

    >>> read_own_ids([{"date": "2003-03-20", "text": "war begins", "id": ""}]).table()["id"].to_pylist()
    [None]
    """
    return _stream(source, Settings(), own_ids=True)


def _stream(
    source: object,
    settings: Settings,
    *,
    on_error: str = "report",
    reorder_within: str | datetime.timedelta | np.timedelta64 | None = None,
    own_ids: bool = False,
) -> Stream:
    settings.times()  # so that an unknown unit or zone is an immediate error
    parts, once = _parts(source, settings)
    kinds = {part.source_kind for part in parts}

    def documents(rejections: Rejections) -> Iterator[pa.RecordBatch]:
        sources = (records_of(part, alone=len(parts) == 1) for part in parts)
        return to_documents(
            sources,
            rejections,
            times=settings.times(),
            limits=settings.limits,
            number_sources=len(parts) > 1,
            own_ids=own_ids,
        )

    return Stream(
        documents,
        name=parts[0].name if len(parts) == 1 and not _is_folder(source) else _common_name(source, parts),
        on_error=on_error,
        reorder_within=reorder_within,
        once=once,
        columns={} if once else _described(parts[0], alone=len(parts) == 1),
        source_kind=kinds.pop() if len(kinds) == 1 else None,
    )


def _is_folder(source: object) -> bool:
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)


def _common_name(source: object, parts: Sequence[Part]) -> str:
    """Return the name of the source if it is a folder, or else that of the folder that contains all parts.

    >>> _common_name(["/data/2019/a.csv", "/data/2020/b.csv"], [Part("a.csv", list), Part("b.csv", list)])
    'data'
    """
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(paths, list | tuple) and all(isinstance(path, str | os.PathLike) for path in paths):
        absolute = [os.path.abspath(os.fspath(path)) for path in paths]
        try:
            shared = absolute[0] if len(absolute) == 1 else os.path.commonpath(absolute)
        except ValueError:  # on different drives
            shared = ""
        if name := os.path.basename(os.fsdecode(shared)):
            return name
    return f"{len(parts)} sources"


def _parts(source: object, settings: Settings) -> tuple[list[Part], bool]:
    """Return the parts of a source, and whether it can be read only once."""
    is_stream = isinstance(source, str | os.PathLike) and (source == "-" or is_pipe(os.fspath(source)))
    if not is_stream and not is_frame(source):
        return parts_of(source, settings), False
    check_choices(settings, ())
    if isinstance(source, str) and source == "-":
        return [Part(STANDARD_INPUT, lambda: _read_standard_input(settings))], True
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return [Part(path, lambda: _read_pipe(path, settings))], True
    name = "list" if isinstance(source, list) else "table"
    chooser = settings.chooser(f"the {name}")
    part = Part(name, lambda: read_frame(source, chooser, settings.limits, name=name))
    return [part], isinstance(source, pa.RecordBatchReader)


def _read_standard_input(settings: Settings) -> Iterator[Records]:
    return _read_once(sys.stdin.buffer, STANDARD_INPUT, settings)


def _read_pipe(path: str, settings: Settings) -> Iterator[Records]:
    with open(path, "rb") as file:
        yield from _read_once(file, path, settings)


def _read_once(file: BinaryIO, name: str, settings: Settings) -> Iterator[Records]:
    stream = ByteStream(file, name, encoding=settings.encoding, max_expansion=settings.max_expansion)
    return stream_records(stream, standard_input_format(stream, settings.format), settings)


def _described(part: Part, *, alone: bool) -> Mapping[str, str]:
    """Return the columns of a part's documents; finding them now reports a wrong column immediately."""
    columns = part.columns or _first_columns(part, alone=alone)
    if columns is None:
        return {}
    found = {"time": part.time_from or "+".join(columns.time_names()), "text": "+".join(columns.text)}
    optional = {role: getattr(columns, role) for role in ("label", "id", "author", "thread")}
    return found | {role: column for role, column in optional.items() if column}


def _first_columns(part: Part, *, alone: bool) -> Columns | None:
    records = records_of(part, alone=alone)
    try:
        return next((some.columns for some in records), None)
    finally:
        records.close()  # type: ignore[attr-defined]
