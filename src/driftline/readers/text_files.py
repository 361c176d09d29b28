"""Text files, one document each: the time is found in the name or in a header line, or is that of the last change."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import open_bytes
from driftline.readers.columns import Choice
from driftline.readers.entries import Entry, entry_name, is_elsewhere, last_change
from driftline.readers.records import Columns, Limits, Records, bad_encoding
from driftline.readers.single_files import file_bytes, placed_records
from driftline.readers.walk import shown_name

FILE_COLUMNS = ("id", "time", "text", "folder", "name")
"""Columns of text files for ``text=`` and ``label=``; ``folder`` is the first folder of a file's path."""
FILE_CHOICE = Choice("time", "text", label=False, id="id", author=False, thread=False)
"""Columns read by default."""
FILE_TIMES = ("auto", "name", "header", "mtime")
"""Possible sources of a text file's time."""

_SAMPLE = 100
_HEADER_LINES = 20
_HEADER_BYTES = 2**12
_DATE_HEADER = re.compile(rb"^date:[ \t]*([^\r\n]{1,100})", re.IGNORECASE | re.MULTILINE)
_YEAR = r"(?<!\d)([12]\d{3})"
_DATE = re.compile(_YEAR + r"[-_.]?(\d\d)[-_.]?(\d\d)(?:[-_ T.]?(\d\d)[-_:.h]?(\d\d)(?:[-_:.m]?(\d\d))?)?(?!\d)")
_MONTH = re.compile(_YEAR + r"[-_.](\d\d)(?!\d)")
_ONLY_YEAR = re.compile(_YEAR + r"(?!\d)")


def read_text_files(
    files: Sequence[Entry],
    columns: Columns,
    limits: Limits,
    *,
    root: Path,
    file_time: str = "auto",
    encoding: str | None = None,
    max_expansion: float = 200.0,
) -> Iterator[Records]:
    """Return text files as records; a place is, for example, ``file 2003/budget.txt``.

    With ``file_time="auto"`` the first files decide for all: if most have a date in their name (or in their folders'
    names) it is taken from there, otherwise from a line ``Date: …`` among the first twenty, if most have one, and
    otherwise from the time of the last change. A file without the chosen kind of time is rejected.
    """
    if file_time not in FILE_TIMES:
        raise InvalidInput(f"file_time must be one of {', '.join(FILE_TIMES)}, not {file_time!r}")
    if file_time == "auto":
        file_time = time_rule(files, root)
    texts = (
        (f"file {entry_name(path, root)}", _read_file(path, root, file_time, limits, encoding, max_expansion))
        for path in files
    )
    return placed_records(shown_name(root), texts, columns, limits, text="text")


def time_rule(files: Sequence[Entry], root: Path) -> str:
    """Return the place of the times of the first files: in the name, in a header, or only in the file system."""
    sample = files[:_SAMPLE]
    if 2 * sum(time_in_name(entry_name(path, root)) is not None for path in sample) > len(sample):
        return "name"
    if 2 * sum(_time_in_header(_start_of(path, root)) is not None for path in sample) > len(sample):
        return "header"
    return "mtime"


def time_in_name(name: str) -> str | None:
    """Return the date in a file's name, or otherwise in its path, as ISO 8601.

    >>> [time_in_name(name) for name in ("sotu-1790.txt", "2003/04/05-war.txt", "log_20030405T1530.txt", "49960")]
    ['1790', '2003-04-05', '2003-04-05T15:30:00', None]
    """
    for text in (Path(name).name, name.replace("/", "-")):
        for pattern in (_DATE, _MONTH, _ONLY_YEAR):
            for match in pattern.finditer(text):
                if (date := _checked(*(int(part or 0) for part in match.groups()))) is not None:
                    return date
    return None


def _checked(year: int, month: int = 0, day: int = 0, hour: int = 0, minute: int = 0, second: int = 0) -> str | None:
    try:
        moment = datetime.datetime(year, month or 1, day or 1, hour, minute, second)
    except ValueError:
        return None
    if not day:
        return f"{year:04}-{month:02}" if month else f"{year:04}"
    return moment.isoformat() if hour or minute or second else moment.date().isoformat()


def _time_in_header(start: bytes) -> str | None:
    head = b"\n".join(start.split(b"\n", _HEADER_LINES)[:_HEADER_LINES])
    match = _DATE_HEADER.search(head)
    return match[1].decode(errors="replace").strip() if match else None


def _start_of(path: Entry, root: Path) -> bytes:
    if is_elsewhere(path, root):
        return b""
    try:
        with open_bytes(path) as stream:
            return stream.peek(_HEADER_BYTES)
    except (OSError, InvalidInput):
        return b""


def _read_file(
    path: Entry, root: Path, file_time: str, limits: Limits, encoding: str | None, max_expansion: float
) -> dict[str, str | None] | str:
    data = file_bytes(path, root, limits, "text", encoding=encoding, max_expansion=max_expansion)
    if isinstance(data, str):
        return data
    if b"\0" in data:
        return "NUL byte: the file contains a zero byte, which is not text"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return bad_encoding(error)
    relative = entry_name(path, root)
    if file_time == "name":
        time = time_in_name(relative)
    elif file_time == "header":
        time = _time_in_header(data[:_HEADER_BYTES])
    else:
        try:
            changed = last_change(path)
        except OSError as error:
            return f"unreadable file: {error.strerror or error}"
        if changed is None:
            return "no time: the archive has no valid date of the file"
        try:
            time = datetime.datetime.fromtimestamp(changed, datetime.UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            return f"unreadable time: the file was changed {changed:g} s after 1970, outside the years 1 to 9999"
    folder = relative.partition("/")[0] if "/" in relative else None
    return {"id": relative, "time": time, "text": text, "folder": folder, "name": entry_name(path)}
