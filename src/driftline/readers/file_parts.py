"""Files as parts of a source: the reader of every format, and the formats in which many files form one part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from driftline.readers.arrow_files import read_arrow
from driftline.readers.byte_stream import ByteStream, open_bytes
from driftline.readers.columns import known_columns
from driftline.readers.dated_lines import LOG_CHOICE, LOG_COLUMNS, is_chat, read_dated_lines
from driftline.readers.delimited import read_delimited
from driftline.readers.entries import Entry, entry_name, is_elsewhere, local_file
from driftline.readers.exports.export_records import read_export
from driftline.readers.exports.shapes import export_format
from driftline.readers.exports.slack import people_of
from driftline.readers.feed import FEED_CHOICE, FEED_COLUMNS, read_feed
from driftline.readers.formats import EXPORT_FORMATS
from driftline.readers.git_log_text import read_git_log_text
from driftline.readers.gitlog import GIT_CHOICE, GIT_COLUMNS
from driftline.readers.jsonl import read_jsonl
from driftline.readers.mail import MAIL_CHOICE, MAIL_COLUMNS
from driftline.readers.mail_files import read_mail_files
from driftline.readers.mbox import read_mbox
from driftline.readers.parquet import read_parquet
from driftline.readers.records import Columns, Records, UnreadableFile, Unusable
from driftline.readers.settings import Part, Settings
from driftline.readers.spreadsheet import read_spreadsheet
from driftline.readers.sqlite import read_sqlite
from driftline.readers.text_files import FILE_CHOICE, FILE_COLUMNS, read_text_files, time_rule
from driftline.readers.walk import OUTSIDE, shown_name

_NOT_FORWARD = ("parquet", "arrow", "spreadsheet", "sqlite")


def stream_records(stream: ByteStream, kind: str, settings: Settings) -> Iterator[Records]:
    """Read a sequential format: JSON lines, exports as JSON, delimited text, mbox, feeds, printed git logs."""
    if kind == "jsonl" and settings.format is None:
        kind = export_format(stream) or kind
    if kind in EXPORT_FORMATS:
        return read_export(stream, kind, settings)
    if kind == "jsonl":
        return read_jsonl(stream, settings.chooser(stream.name), settings.limits)
    if kind == "mbox":
        columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail", origin="list")
        return read_mbox(stream, columns, settings.limits, drop_quotes=settings.drop_quotes)
    if kind == "gitlog":
        return read_git_log_text(stream, _log_columns(settings), settings.limits)
    if kind == "log":
        return read_dated_lines(stream, _line_columns(settings), settings.limits)
    if kind == "feed":
        columns = known_columns(FEED_COLUMNS, settings.choice, FEED_CHOICE, source="the feed")
        return read_feed(stream, columns, settings.limits, encoding=settings.encoding)
    delimiter = "\t" if kind == "tsv" else None
    return read_delimited(stream, settings.chooser(stream.name), settings.limits, delimiter=delimiter)


def file_part(entry: Entry, kind: str, root: Path, settings: Settings) -> Part:
    """Return a part that is one file, read as `kind`."""
    name = entry_name(entry, root)

    def read() -> Iterator[Records]:
        if is_elsewhere(entry, root):
            yield Records(name, {}, np.empty(0, np.int64), None, [Unusable(0, OUTSIDE, place="file")])
        elif kind in _NOT_FORWARD:
            with local_file(entry, max_expansion=settings.max_expansion) as path:
                yield from _table_records(path, name, kind, settings)
        else:
            encoding, most = settings.encoding, settings.max_expansion
            with open_bytes(entry, name=name, encoding=encoding, max_expansion=most) as stream:
                yield from stream_records(stream, kind, settings)

    if kind == "mbox":
        columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail", origin="list")
        return Part(name, read, columns, source_kind="mail")
    if kind == "gitlog":
        return Part(name, read, _log_columns(settings), source_kind="commits")
    if kind == "log":
        with open_bytes(entry, encoding=settings.encoding) as stream:
            source_kind = None if is_chat(stream) else "logs"
        return Part(name, read, _line_columns(settings), source_kind=source_kind)
    return Part(name, read)


def _log_columns(settings: Settings) -> Columns:
    return known_columns(GIT_COLUMNS, settings.choice, GIT_CHOICE, source="the git log")


def _line_columns(settings: Settings) -> Columns:
    return known_columns(LOG_COLUMNS, settings.choice, LOG_CHOICE, source="the dated lines")


def text_part(files: Sequence[Entry], root: Path, settings: Settings) -> Part:
    """Return a part of text files, each a document."""
    columns = known_columns(FILE_COLUMNS, settings.choice, FILE_CHOICE, source="text files", origin="folder")
    rule = time_rule(files, root) if settings.file_time == "auto" else settings.file_time

    def read() -> Iterator[Records]:
        return read_text_files(
            files,
            columns,
            settings.limits,
            root=root,
            file_time=rule,
            encoding=settings.encoding,
            max_expansion=settings.max_expansion,
        )

    return Part(_name_of(files, root), read, columns, f"the file's {rule}")


def mail_part(files: Sequence[Entry], root: Path, settings: Settings) -> Part:
    """Return a part of files with one mail each."""
    columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail", origin="folder")

    def read() -> Iterator[Records]:
        return read_mail_files(
            files,
            columns,
            settings.limits,
            root=root,
            drop_quotes=settings.drop_quotes,
            max_expansion=settings.max_expansion,
        )

    return Part(_name_of(files, root), read, columns, source_kind="mail")


def slack_part(files: Sequence[Entry], root: Path, settings: Settings, users: Entry | None) -> Part:
    """Return a part of files of Slack messages, one per channel and day; `users` lists the authors."""

    def read() -> Iterator[Records]:
        people = people_of(users, settings.limits) if users is not None else {}
        for file in files:
            name = entry_name(file, root)
            if is_elsewhere(file, root):
                yield Records(name, {}, np.empty(0, np.int64), None, [Unusable(0, OUTSIDE, place="file")])
                continue
            try:
                with open_bytes(file, name=name, max_expansion=settings.max_expansion) as stream:
                    yield from read_export(stream, "slack", settings, people=people)
            except (UnreadableFile, OSError) as error:
                reason = f"unreadable file: {getattr(error, 'strerror', None) or error}"
                yield Records(name, {}, np.empty(0, np.int64), None, [Unusable(0, reason, place="file")])

    return Part(shown_name(root), read)


def _table_records(path: Path, name: str, kind: str, settings: Settings) -> Iterator[Records]:
    choose, limits, most = settings.chooser(name), settings.limits, settings.max_expansion
    if kind == "parquet":
        return read_parquet(path, choose, limits, name=name, max_expansion=most)
    if kind == "arrow":
        return read_arrow(path, choose, limits, name=name)
    if kind == "sqlite":
        return read_sqlite(path, settings, name=name)
    return read_spreadsheet(path, settings, name=name)


def _name_of(files: Sequence[Entry], root: Path) -> str:
    return entry_name(files[0]) if len(files) == 1 else shown_name(root)
