"""Lines of a file that grows, each handed over once, from where one left off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

PIECE = 2**20


class Line(NamedTuple):
    """A complete line without its end, its number (from 1), and where the next line begins; None if it was too long."""

    number: int
    content: bytes | None
    end: int


class LineFollower:
    """Read complete lines from a file as they appear.

    A last line without an end is left until it has one. A file that has become shorter, or another file of the same
    name, is read from its beginning.
    """

    def __init__(
        self, path: Path, *, offset: int = 0, number: int = 0, identity: int | None = None, max_bytes: int = 2**24
    ) -> None:
        self.path = path
        self.offset = offset
        self.number = number
        self.max_bytes = max_bytes
        self.restarted = False
        self._identity = identity
        self._skipping = False

    @property
    def identity(self) -> int | None:
        """The file's number in the file system: another one means another file."""
        return self._identity

    def new_lines(self) -> Iterator[Line]:
        """Yield the lines that are there now and were not handed over before."""
        with open(self.path, "rb") as file:
            status = os.fstat(file.fileno())
            if self._identity is not None and (status.st_ino != self._identity or status.st_size < self.offset):
                self.offset, self.number, self.restarted, self._skipping = 0, 0, True, False
            self._identity = status.st_ino
            file.seek(self.offset)
            yield from self._lines(file)

    def _lines(self, file: BinaryIO) -> Iterator[Line]:
        pending = b""
        while piece := file.read(PIECE):
            pending += piece
            *complete, pending = pending.split(b"\n")
            for content in complete:
                self.offset += len(content) + 1
                self.number += 1
                too_long = self._skipping or len(content) > self.max_bytes
                self._skipping = False
                yield Line(self.number, None if too_long else content, self.offset)
            if len(pending) > self.max_bytes:
                # Nobody can use it, so it need not be held; its end is still to come
                self.offset += len(pending)
                pending, self._skipping = b"", True
