"""Lines of a growing file, each returned once, resuming where the last run stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

CHUNK = 2**20
MOST_BYTES = 2**24
"""Longest line accepted, in bytes."""
HEAD = 1024
"""Number of leading bytes whose digest identifies a file."""


class FileMark(NamedTuple):
    """Identity of a file among others of the same name: its inode number, and a digest of its beginning."""

    number: int
    n_bytes: int
    digest: str


class Line(NamedTuple):
    """A line without its line end (None if it was too long), its number from 1, and the offset of the next line.

    `ended` is False for a last line without a line end.
    """

    number: int
    content: bytes | None
    end: int
    mark: FileMark | None = None
    ended: bool = True


class LineCutter:
    r"""Split arriving bytes into lines, and buffer an incomplete line; a line that is too long is not buffered.

    >>> cutter = LineCutter(max_bytes=4)
    >>> list(cutter.cut(b"one\ntwo and"))
    [(b'one', 4)]
    >>> list(cutter.cut(b" more\nend\n"))
    [(None, 13), (b'end', 4)]
    """

    def __init__(self, max_bytes: int = MOST_BYTES) -> None:
        self.max_bytes = max_bytes
        self._pending = b""
        self._dropped = 0

    def cut(self, chunk: bytes) -> Iterator[tuple[bytes | None, int]]:
        """Yield each line that is now complete (None if it is too long), and its length in bytes."""
        *complete, self._pending = (self._pending + chunk).split(b"\n")
        for content in complete:
            too_long = self._dropped + len(content) > self.max_bytes
            length, self._dropped = self._dropped + len(content) + 1, 0
            yield None if too_long else content, length
        if self._dropped + len(self._pending) > self.max_bytes:
            # The line is too long to be used, so it is not buffered; its end has not arrived yet
            self._dropped, self._pending = self._dropped + len(self._pending), b""

    def rest(self) -> tuple[bytes | None, int] | None:
        """Return the incomplete line in the same form; None if there is none."""
        length = self._dropped + len(self._pending)
        if not length:
            return None
        return None if self._dropped else self._pending, length


class LineFollower:
    """Read complete lines from a file as they appear.

    A last line without a line end is left until it has one, or until the file has a successor; `unended` returns it. A
    renamed file is read to its end before its successor is started, even if it was renamed between two runs, as long as
    it is still in the folder. A file that was truncated or rewritten is read from its beginning. While no file has that
    name, there are no lines. A pipe or a device in its place is an error.

    `ended` is False if the last line returned had no line end yet: the line end itself is then not another line.
    `notices` collects messages about what happened to the file.
    """

    def __init__(
        self,
        path: Path,
        *,
        offset: int = 0,
        number: int = 0,
        mark: FileMark | None = None,
        ended: bool = True,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        self.path = path
        self.offset = offset
        self.number = number
        self.mark = mark
        self.ended = ended
        self.max_bytes = max_bytes
        self.notices: list[str] = []
        self._file: BinaryIO | None = None
        self._position = offset
        self._cutter = LineCutter(max_bytes)

    def new_lines(self) -> Iterator[Line]:
        """Yield the lines that are present now and were not returned before."""
        if self._file is None and not self._open():
            return
        yield from self._lines()
        while successor := self._successor():
            # The new file has content, so nothing more is appended to the old one
            yield from self._lines()
            last = self.unended()
            if last is not None:
                self.offset, self.number, self.ended = last.end, last.number, False
                yield last
            self._begin(successor)
            self.notices.append(f"{self.path} was replaced; reading the new file from its beginning")
            yield from self._lines()

    def unended(self) -> Line | None:
        """Return the last line if it has no line end yet; it does not count as returned."""
        rest = self._cutter.rest()
        if rest is None or (not self.ended and not (rest[0] or b"").strip()):
            return None
        return Line(self.number + 1, rest[0], self.offset + rest[1], self.mark, ended=False)

    def close(self) -> None:
        """Close the file that is being read."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> bool:
        """Find the file in which reading stopped; return whether there is one."""
        try:
            file = _opened(self.path)
        except FileNotFoundError:
            return False
        if self.mark is None or os.fstat(file.fileno()).st_ino == self.mark.number:
            self._file = file
            return True
        old = self._renamed()
        if old is None:
            self._begin(file)
            self.notices.append(f"{self.path} was replaced; reading the new file from its beginning")
        else:
            file.close()
            self._file = old
        return True

    def _renamed(self) -> BinaryIO | None:
        """Return the file in which reading stopped, whatever its current name in the folder."""
        for entry in os.scandir(self.path.parent):
            if self.mark is not None and entry.inode() == self.mark.number and entry.is_file(follow_symlinks=False):
                file = _opened(Path(entry.path))
                if _mark_of(file, self.mark.n_bytes) == self.mark:
                    return file
                file.close()
        return None

    def _successor(self) -> BinaryIO | None:
        """Return another file that has taken the name, once it is not empty."""
        try:
            file = _opened(self.path)
        except FileNotFoundError:
            return None
        status = os.fstat(file.fileno())
        if self.mark is not None and status.st_ino != self.mark.number and status.st_size > 0:
            return file
        file.close()
        return None

    def _begin(self, file: BinaryIO) -> None:
        self.close()
        self._file = file
        self._rewind()

    def _rewind(self) -> None:
        self.offset, self.number, self.mark, self.ended = 0, 0, None, True
        self._position, self._cutter = 0, LineCutter(self.max_bytes)

    def _check_same(self, file: BinaryIO) -> None:
        """Start again in a file that was truncated or rewritten; store the digest of its beginning."""
        if self.mark is not None:
            shorter = os.fstat(file.fileno()).st_size < self._position
            if shorter or _mark_of(file, self.mark.n_bytes) != self.mark:
                lost = self.unended()
                self._rewind()
                self.notices.append(f"{self.path} was truncated or rewritten; reading it from its beginning")
                if lost is not None:
                    self.notices.append(f"line {lost.number} was incomplete at that moment; it was not read")
        if self.mark is None or self.mark.n_bytes < HEAD:
            self.mark = _mark_of(file, HEAD)

    def _lines(self) -> Iterator[Line]:
        file = self._file
        if file is None:
            return
        self._check_same(file)
        file.seek(self._position)
        while chunk := file.read(CHUNK):
            self._position += len(chunk)
            for content, length in self._cutter.cut(chunk):
                self.offset += length
                was_ended, self.ended = self.ended, True
                if not was_ended and content is not None and not content.strip():
                    continue  # the line end of the last line, which arrived late
                self.number += 1
                yield Line(self.number, content, self.offset, self.mark)


def _opened(path: Path) -> BinaryIO:
    from driftline.readers.regular_files import open_regular

    return open_regular(path)


def _mark_of(file: BinaryIO, n_bytes: int) -> FileMark:
    """Return the mark of a file from its first `n_bytes` bytes, or all if there are fewer."""
    file.seek(0)
    head = file.read(n_bytes)
    return FileMark(os.fstat(file.fileno()).st_ino, len(head), hashlib.sha256(head).hexdigest()[:32])
