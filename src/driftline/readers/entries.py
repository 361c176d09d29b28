"""Entries of a source: files of the file system, and members of archives."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from driftline.readers.archive import Member
from driftline.readers.compression import COMPRESSIONS, Counted, Damaged, chunks, guarded
from driftline.readers.paths import NamedLink
from driftline.readers.records import UnreadableFile
from driftline.readers.regular_files import open_regular
from driftline.readers.walk import leads_outside, shown_name

Entry = Path | Member
_START = 16


def open_entry(entry: Entry) -> BinaryIO:
    """Open a regular file or a member of an archive."""
    return entry.open() if isinstance(entry, Member) else open_regular(entry)


def entry_name(entry: Entry, root: Path | None = None) -> str:
    """Return the name of an entry, or its path from `root`, which may be a folder or the archive itself."""
    if isinstance(entry, Member):
        name = entry.path.name if root is None else entry.path.as_posix()
        if root is not None and root != entry.location:
            name = f"{shown_name(entry.location, root)}/{name}"
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return shown_name(entry, root)


def is_elsewhere(entry: Entry, root: Path) -> bool:
    """Return whether an entry was found as a link to a target outside the folder."""
    return not isinstance(entry, Member | NamedLink) and leads_outside(entry, root)


def is_there(entry: Entry) -> bool:
    """Return whether an entry exists: a link may lead to nothing, or to itself."""
    try:
        return isinstance(entry, Member) or entry.exists()
    except (OSError, RuntimeError):
        return False


def last_change(entry: Entry) -> float | None:
    """Return the time of the last change of an entry, in seconds since 1970; None if an archive has no valid one."""
    return entry.changed if isinstance(entry, Member) else entry.stat().st_mtime


@contextlib.contextmanager
def local_file(entry: Entry, *, max_expansion: float = 200.0) -> Iterator[Path]:
    """Yield the path of an uncompressed file with the content of an entry, for formats that are not read sequentially.

    A compressed file or a member of an archive is extracted to a temporary file, unless it expands too far.
    """
    with open_entry(entry) as file:
        start = _read_start(file)
        if isinstance(entry, Path) and not start.startswith(COMPRESSIONS):
            yield entry
            return
        with tempfile.NamedTemporaryFile(prefix="driftline-") as copy:
            raw = Counted(file, start)
            unpacked = chunks(raw, start)
            if start.startswith(COMPRESSIONS):
                unpacked = guarded(unpacked, raw, max_expansion)
            try:
                for chunk in unpacked:
                    copy.write(chunk)
            except Damaged as damage:
                raise UnreadableFile(f"{entry_name(entry)} cannot be unpacked: {damage}") from damage
            copy.flush()
            yield Path(copy.name)


def _read_start(file: BinaryIO) -> bytes:
    try:
        return file.read(_START)
    except Damaged as damage:
        raise UnreadableFile(f"it cannot be unpacked: {damage}") from damage
