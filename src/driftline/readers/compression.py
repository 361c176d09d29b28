"""gzip and zstd, found by their first bytes and unpacked piece by piece; a damaged file gives what it still holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Protocol

import pyarrow as pa

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
OTHER_COMPRESSIONS = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7z"}
"""Compression formats that are recognised only to report that the file must be decompressed first."""
PIECE = 2**20
_ZSTD_PIECE = 2**16  # on damage, the piece being unpacked is lost


class Damaged(Exception):
    """The bytes cannot be read to their end; the message is a reason fit for a rejection."""


class Readable(Protocol):
    """Something that gives its next bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        ...


class Counted:
    """A file that counts the bytes taken from it, starting with some that were taken already."""

    def __init__(self, file: Readable, start: bytes = b"") -> None:
        self.count = 0
        self.closed = False
        self._file = file
        self._start = start

    def read(self, size: int = PIECE) -> bytes:
        """Return up to `size` bytes."""
        if self._start:
            data, self._start = self._start[:size], self._start[size:]
        else:
            try:
                data = self._file.read(size)
            except OSError as error:
                raise Damaged(f"unreadable file: {error.strerror or error}") from error
        self.count += len(data)
        return data

    def readable(self) -> bool:
        """Say that it can be read, for Arrow."""
        return True

    def writable(self) -> bool:
        """Say that it cannot be written, for Arrow."""
        return False

    def seekable(self) -> bool:
        """Say that it has no way back, for Arrow."""
        return False

    def flush(self) -> None:
        """Do nothing, for Arrow."""

    def close(self) -> None:
        """Do nothing: the caller that opened the file closes it."""
        self.closed = True


def pieces(raw: Counted, start: bytes) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked if its `start` says so; raise `Damaged` where they break off.

    >>> import gzip, io
    >>> packed = gzip.compress(b"two pieces")
    >>> b"".join(pieces(Counted(io.BytesIO(packed)), packed[:4]))
    b'two pieces'
    """
    if start.startswith(GZIP):
        return _gunzip(raw)
    if start.startswith(ZSTD):
        return _unzstd(raw)
    return iter(lambda: raw.read(PIECE), b"")


def unsupported_compression(start: bytes) -> str | None:
    """Return the name of a packing that must be undone first, if `start` shows one."""
    return next((name for magic, name in OTHER_COMPRESSIONS.items() if start.startswith(magic)), None)


def _gunzip(raw: Counted) -> Iterator[bytes]:
    """Unpack one or several gzip members; nothing larger than a piece is ever held."""
    member: Any = None
    try:
        while data := raw.read(PIECE):
            while data:
                if member is None:
                    data = data.lstrip(b"\0")  # tapes and archives are padded so
                    if not data:
                        break
                    member = zlib.decompressobj(wbits=31)
                yield member.decompress(data, PIECE)
                data = member.unused_data if member.eof else member.unconsumed_tail
                member = None if member.eof else member
        while member is not None and (rest := member.decompress(b"", PIECE)):
            yield rest
    except zlib.error as error:
        raise Damaged(f"damaged compression: {error}") from error
    if member is not None and not member.eof:
        raise Damaged("truncated: the compressed data end early")


def _unzstd(raw: Counted) -> Iterator[bytes]:
    try:
        with pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd") as unpacked:
            yield from iter(lambda: unpacked.read(_ZSTD_PIECE), b"")
    except OSError as error:
        if "Truncated" in str(error):
            raise Damaged("truncated: the compressed data end early") from error
        raise Damaged(f"damaged compression: {error}") from error
