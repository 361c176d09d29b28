"""Detection of file formats, by suffix, or otherwise by the first bytes."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from driftline.core.errors import InvalidInput
from driftline.readers.arrow_files import ARROW_FILE
from driftline.readers.byte_stream import ByteStream
from driftline.readers.dated_lines import are_dated_lines
from driftline.readers.delimited import DELIMITERS
from driftline.readers.git_log_text import FIRST_LINES
from driftline.readers.parquet import MAGIC

_TABLE_LINES = 10
SQLITE = b"SQLite format 3\0"
_FEED = re.compile(
    rb"(?>(?><\?.{0,500}?\?>|<!--.{0,5000}?-->|<!DOCTYPE[^\[>]{0,500}(?:\[.{0,5000}?\]\s{0,9})?>)\s*+)*+"
    rb"<(rss|feed|rdf:RDF)[\s>]",
    re.DOTALL,
)
"""Start of a feed after declarations and comments; the groups are atomic, so that matching takes linear time."""
_MAIL = re.compile(
    rb"(?:(?:Return-Path|Received|Delivered-To|Message-ID|MIME-Version|DKIM-Signature|X-[\w-]{1,60}): )", re.IGNORECASE
)

EXPORT_FORMATS = ("elasticsearch", "slack", "mastodon", "telegram")
FORWARD_FORMATS = ("jsonl", "csv", "tsv", "mbox", "feed", "gitlog", "log", *EXPORT_FORMATS)
"""Formats that are read sequentially, and hence also from standard input."""
FILE_FORMATS = (*FORWARD_FORMATS, "parquet", "arrow", "spreadsheet", "sqlite", "eml", "text")
FOLDER_FORMATS = ("maildir", "git")
FORMATS = (*FILE_FORMATS, *FOLDER_FORMATS)
"""Values of ``format=``; the last two are folders, and a folder may also contain files of the others."""
ARCHIVE_SUFFIX = ".zip"

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "spreadsheet",
    ".xlsm": "spreadsheet",
    ".ods": "spreadsheet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".db3": "sqlite",
    ".rss": "feed",
    ".atom": "feed",
    ".rdf": "feed",
    ".eml": "eml",
    ".mbox": "mbox",
    ".mbx": "mbox",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".rst": "text",
}
_PACKED = {".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}


def check_format(name: str | None) -> None:
    """Raise an error that lists the formats if `name` is not one of them."""
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}, not {name!r}")


def format_by_name(name: str) -> str | None:
    """Return the format for a file's suffix, ignoring ``.gz``, ``.bz2``, ``.xz`` and ``.zst``.

    >>> format_by_name("news.JSONL.gz"), format_by_name("49960")
    ('jsonl', None)
    """
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def is_log_name(name: str) -> bool:
    """Return whether the name of a file is that of a log.

    >>> is_log_name("app.log"), is_log_name("app.log.2.gz"), is_log_name("catalog")
    (True, True, False)
    """
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    return ".log" in suffixes[-3:]


def is_git_log(stream: ByteStream) -> bool:
    """Return whether the first bytes are output of ``git log``."""
    return FIRST_LINES.match(stream.peek()) is not None


def is_tab_separated(stream: ByteStream) -> bool:
    r"""Return whether the first lines have equally many tabs, as in the Unicode text of a spreadsheet program.

    >>> import io
    >>> is_tab_separated(ByteStream(io.BytesIO(b"Date Posted\tFeedback\n2003-03-20\tslow\n"), "x"))
    True
    """
    lines = [line for line in stream.peek().splitlines()[:_TABLE_LINES] if line.strip()]
    counts = {line.count(b"\t") for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {0}


def format_by_content(stream: ByteStream) -> str:
    """Return the format that the first bytes indicate; text if they indicate none.

    >>> import io
    >>> [format_by_content(ByteStream(io.BytesIO(data), "x")) for data in (b'{"time": 1}', b"time,text", b"Once upon")]
    ['jsonl', 'csv', 'text']
    """
    start = stream.peek()
    if start.startswith(MAGIC):
        return "parquet"
    if start.startswith(ARROW_FILE):
        return "arrow"
    if start.startswith(SQLITE):
        return "sqlite"
    if start.startswith(b"From "):
        return "mbox"
    if is_git_log(stream):
        return "gitlog"
    stripped = start.lstrip()
    if _FEED.match(stripped):
        return "feed"
    if _MAIL.match(stripped):
        return "eml"
    if are_dated_lines(stream):
        return "log"
    if stripped.startswith((b"{", b"[{", b"[\n", b"[\r", b"[ ")):
        return "jsonl"
    lines = stripped.split(b"\n", 2)
    counts = [max((line.count(mark.encode()), mark) for mark in DELIMITERS) for line in lines[:2]]
    if counts[0][0] and (len(lines) == 1 or not lines[1].strip() or counts[1][0] >= counts[0][0]):
        return "csv"
    return "text"
