"""gzip, bzip2, xz and zstd, known by their first bytes and unpacked in pieces; what comes before damage is kept."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pyarrow as pa

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\x00"
COMPRESSIONS = (GZIP, ZSTD, BZIP2, XZ)
"""First bytes of the compressed files that are decompressed on the fly."""
OTHER_COMPRESSIONS = {b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7z", b"\x04\x22\x4d\x18": "lz4"}
"""Compression formats that are recognised only to report that the file must be decompressed first."""
PIECE = 2**20
_XZ_MEMORY = 2**28
"""Most memory that an xz file may request: more than the largest preset of the xz program needs."""
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
    if start.startswith(BZIP2):
        return _members(raw, bz2.BZ2Decompressor, padding=b"")
    if start.startswith(XZ):
        return _members(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), padding=b"\0")
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


def _members(raw: Counted, begin: Callable[[], Any], *, padding: bytes) -> Iterator[bytes]:
    """Unpack one or several bzip2 or xz files in a row; nothing larger than a piece is ever held."""
    member: Any = None
    data = b""
    try:
        while True:
            if member is None or member.needs_input:
                data = data or raw.read(PIECE)
                if member is None:
                    data = data.lstrip(padding) if padding else data
                    member = begin() if data else None
                if not data:
                    break
            yield member.decompress(data, PIECE)
            data = b""
            if member.eof:
                data, member = member.unused_data, None
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        raise Damaged(f"damaged compression: {error}") from error
    if member is not None:
        raise Damaged("truncated: the compressed data end early")


def _unzstd(raw: Counted) -> Iterator[bytes]:
    try:
        with pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd") as unpacked:
            yield from iter(lambda: unpacked.read(_ZSTD_PIECE), b"")
    except OSError as error:
        if "Truncated" in str(error):
            raise Damaged("truncated: the compressed data end early") from error
        raise Damaged(f"damaged compression: {error}") from error
