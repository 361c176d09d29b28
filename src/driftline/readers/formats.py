"""Detection of file formats, by suffix, or otherwise by the first bytes."""

from __future__ import annotations

from pathlib import Path

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.delimited import DELIMITERS
from driftline.readers.parquet import MAGIC

FILE_FORMATS = ("jsonl", "csv", "tsv", "parquet", "mbox", "text")
FORMATS = (*FILE_FORMATS, "maildir", "git")
"""Values of ``format=``; the last two are folders, and a folder may also contain files of the others."""

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".mbox": "mbox",
    ".mbx": "mbox",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".rst": "text",
}
_PACKED = {".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}


def check_format(name: str | None) -> None:
    """Raise an error that lists the formats if `name` is none of them."""
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}, not {name!r}")


def format_by_name(path: Path) -> str | None:
    """Return the format for a file's suffix, ignoring ``.gz``, ``.bz2``, ``.xz`` and ``.zst``.

    >>> format_by_name(Path("news.JSONL.gz")), format_by_name(Path("49960"))
    ('jsonl', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def format_by_content(stream: ByteStream) -> str:
    """Return the format that the first bytes show; without any sign of one, it is text.

    >>> import io
    >>> [format_by_content(ByteStream(io.BytesIO(data), "x")) for data in (b'{"time": 1}', b"time,text", b"Once upon")]
    ['jsonl', 'csv', 'text']
    """
    start = stream.peek()
    if start.startswith(MAGIC):
        return "parquet"
    if start.startswith(b"From "):
        return "mbox"
    stripped = start.lstrip()
    if stripped.startswith((b"{", b"[{", b"[\n", b"[\r", b"[ ")):
        return "jsonl"
    lines = stripped.split(b"\n", 2)
    counts = [max((line.count(mark.encode()), mark) for mark in DELIMITERS) for line in lines[:2]]
    if counts[0][0] and (len(lines) == 1 or not lines[1].strip() or counts[1][0] >= counts[0][0]):
        return "csv"
    return "text"
