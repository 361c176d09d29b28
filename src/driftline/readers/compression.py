"""gzip, bzip2, xz and zstd, detected by their first bytes and decompressed in chunks; data before damage is kept."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import pyarrow as pa

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\x00"
COMPRESSIONS = (GZIP, ZSTD, BZIP2, XZ)
"""First bytes of the compressed files that are decompressed on the fly."""
OTHER_COMPRESSIONS = {b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7z", b"\x04\x22\x4d\x18": "lz4"}
"""Compression formats that are recognised only to report that the file must be decompressed first."""
EXPANSION_FLOOR = 2**26
"""Decompressed size (64 MiB) that is accepted for any compressed file."""
CHUNK = 2**20
_XZ_MEMORY = 2**28
"""Maximum memory for an xz file: more than the largest preset of the xz program needs."""
_ZSTD_CHUNK = 2**16  # on damage, the current chunk is lost


class Damaged(Exception):
    """The bytes cannot be read to their end; the message is the reason for the rejection."""


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, empty at the end."""
        ...


class Counted:
    """A file that counts the bytes read from it, including those of `start`, which were read before."""

    def __init__(self, file: Readable, start: bytes = b"") -> None:
        self.count = 0
        self.closed = False
        self._file = file
        self._start = start

    def read(self, size: int = CHUNK) -> bytes:
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
        """Return True: Arrow requires the method."""
        return True

    def writable(self) -> bool:
        """Return False: Arrow requires the method."""
        return False

    def seekable(self) -> bool:
        """Return False: the file cannot be rewound."""
        return False

    def flush(self) -> None:
        """Do nothing: Arrow requires the method."""

    def close(self) -> None:
        """Do nothing: the caller that opened the file closes it."""
        self.closed = True


def chunks(raw: Counted, start: bytes) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if its `start` requires it; raise `Damaged` where they are truncated.

    >>> import gzip, io
    >>> packed = gzip.compress(b"two chunks")
    >>> b"".join(chunks(Counted(io.BytesIO(packed)), packed[:4]))
    b'two chunks'
    """
    if start.startswith(GZIP):
        return _gunzip(raw)
    if start.startswith(ZSTD):
        return _unzstd(raw)
    if start.startswith(BZIP2):
        return _members(raw, bz2.BZ2Decompressor, padding=b"")
    if start.startswith(XZ):
        return _members(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), padding=b"\0")
    return iter(lambda: raw.read(CHUNK), b"")


def guarded(unpacked: Iterator[bytes], raw: Counted, max_expansion: float) -> Iterator[bytes]:
    """Yield chunks, and raise `Damaged` once they are far larger than the file: reading them could take days."""
    size = 0
    for chunk in unpacked:
        size += len(chunk)
        if size > max(EXPANSION_FLOOR, max_expansion * raw.count):
            raise Damaged(bomb(size, raw.count, max_expansion))
        yield chunk


def bomb(size: int, packed: int, max_expansion: float) -> str:
    """Return the reason for rejecting data that expand too far."""
    return (
        f"decompression bomb: {size:,} bytes out of {packed:,}; "
        f"if the file is genuine, raise max_expansion={max_expansion:g}"
    )


def unsupported_compression(start: bytes) -> str | None:
    """Return the name of the unsupported compression that `start` shows, or None."""
    return next((name for magic, name in OTHER_COMPRESSIONS.items() if start.startswith(magic)), None)


def _gunzip(raw: Counted) -> Iterator[bytes]:
    """Decompress one or several gzip members, one chunk at a time."""
    member: zlib._Decompress | None = None
    try:
        while data := raw.read(CHUNK):
            while data:
                if member is None:
                    data = data.lstrip(b"\0")  # tapes and archives are padded with zeros
                    if not data:
                        break
                    member = zlib.decompressobj(wbits=31)
                yield member.decompress(data, CHUNK)
                data = member.unused_data if member.eof else member.unconsumed_tail
                member = None if member.eof else member
        while member is not None and (rest := member.decompress(b"", CHUNK)):
            yield rest
    except zlib.error as error:
        raise Damaged(f"damaged compression: {error}") from error
    if member is not None and not member.eof:
        raise Damaged("truncated: the compressed data end early")


class _Decompressor(Protocol):
    """Common interface of the decompressors of bzip2 and xz."""

    @property
    def needs_input(self) -> bool: ...
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def _members(raw: Counted, begin: Callable[[], _Decompressor], *, padding: bytes) -> Iterator[bytes]:
    """Decompress one or several concatenated bzip2 or xz files, one chunk at a time."""
    member: _Decompressor | None = None
    data = b""
    try:
        while True:
            if member is None or member.needs_input:
                data = data or raw.read(CHUNK)
                if member is None:
                    data = data.lstrip(padding) if padding else data
                    member = begin() if data else None
                if member is None or not data:
                    break
            yield member.decompress(data, CHUNK)
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
            yield from iter(lambda: unpacked.read(_ZSTD_CHUNK), b"")
    except OSError as error:
        if "Truncated" in str(error):
            raise Damaged("truncated: the compressed data end early") from error
        raise Damaged(f"damaged compression: {error}") from error
