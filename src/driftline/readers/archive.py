"""zip archives as folders: each member is an entry, read from the archive itself; no member is extracted by name."""

from __future__ import annotations

import calendar
import contextlib
import datetime
import io
import lzma
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple

from driftline.readers.compression import EXPANSION_FLOOR, Damaged, bomb
from driftline.readers.records import UnreadableFile
from driftline.readers.regular_files import open_regular

SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of a zip archive, and of one that is empty."""
_FAILURES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError)
"""Exceptions of the standard library on damaged members or unsupported compression."""
_NOT_READ = ("__MACOSX",)


@dataclass(frozen=True)
class Member:
    """One file of an archive."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo
    location: Path
    """Path of the archive."""

    @property
    def path(self) -> PurePosixPath:
        """The member's name, as a path from the top of the archive."""
        return PurePosixPath(self.info.filename)

    @property
    def changed(self) -> float | None:
        """The time of the last change, in seconds since 1970, or None; archives have no time zone."""
        try:
            return float(calendar.timegm(datetime.datetime(*self.info.date_time).timetuple()))
        except ValueError:  # some programs write zeros, which are no date
            return None

    def open(self) -> BinaryIO:
        """Open the member; reading raises `Damaged` if it is damaged."""
        return io.BufferedReader(_Reader(lambda: self.archive.open(self.info)))


class Unread(NamedTuple):
    """A member that is not read, and the reason."""

    name: str
    reason: str


class Contents(NamedTuple):
    """Content of an archive: the members that can be read, and the others."""

    members: list[Member]
    unread: list[Unread]


def open_archive(path: Path, *, max_expansion: float = 200.0) -> Contents:
    """Return the members of a zip archive, sorted by name; folders and hidden files are omitted.

    A member is not read if it is encrypted, if it is a link, if its name points outside the archive, or if its declared
    size is too large. Once the sum of the declared sizes is too large, the remaining members are not read. The standard
    library never expands a member beyond its declared size.
    """
    try:
        archive = zipfile.ZipFile(open_regular(path))
    except (*_FAILURES, OSError) as error:
        raise UnreadableFile(
            f"{path.name} cannot be read as a zip archive: {_reason(error)}; is it complete?"
        ) from error
    members: list[Member] = []
    unread: list[Unread] = []
    seen: set[str] = set()
    total, most = 0, max(EXPANSION_FLOOR, max_expansion * path.stat().st_size)
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        if info.is_dir() or _is_hidden(info.filename):
            continue
        total += info.file_size
        reason = _refusal(info, seen, max_expansion)
        if reason is None and total > most:
            reason = bomb(total, path.stat().st_size, max_expansion)
        seen.add(info.filename)
        if reason is None:
            members.append(Member(archive, info, path))
        else:
            total -= info.file_size
            unread.append(Unread(info.filename, reason))
    return Contents(members, unread)


def _refusal(info: zipfile.ZipInfo, seen: set[str], max_expansion: float) -> str | None:
    """Return the reason why a member must not be read; None if it may be read."""
    name = info.filename
    if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or name[1:2] == ":":
        return "unsafe name: it points outside the archive"
    if name in seen:
        return "unsafe name: the archive has two members of this name"
    if info.flag_bits & 0x1:
        return "encrypted: decrypt the archive first"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "outside the folder: a link, which is not followed"
    if info.file_size > max(EXPANSION_FLOOR, max_expansion * info.compress_size):
        return bomb(info.file_size, info.compress_size, max_expansion)
    return None


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith(".") and not part.startswith("..") for part in parts) or parts[:1] == _NOT_READ


class _Reader(io.RawIOBase):
    """The bytes of a member, with damage reported as such."""

    def __init__(self, open_file: Callable[[], IO[bytes]]) -> None:
        self._open_file = open_file
        self._file: IO[bytes] | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        with _as_damage():
            self._file = self._file or self._open_file()
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


@contextlib.contextmanager
def _as_damage() -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise Damaged("truncated: the compressed data end early") from error
    except _FAILURES as error:
        raise Damaged(f"damaged compression: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    return str(getattr(error, "strerror", None) or error).splitlines()[0][:200] if str(error) else type(error).__name__
