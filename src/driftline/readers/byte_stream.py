"""The bytes of a text file for the readers: decompressed, in UTF-8, block by block, within limits."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterator
from typing import BinaryIO

from driftline.readers.compression import COMPRESSIONS, Counted, Damaged, chunks, guarded, unsupported_compression
from driftline.readers.encodings import check_encoding, is_clearly_utf_8, unmarked_encoding
from driftline.readers.entries import Entry, entry_name, open_entry
from driftline.readers.records import UnreadableFile

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ALREADY_UTF_8 = {"utf-8", "ascii"}
_PEEK = 2**16
_SAMPLE = 2**6
_BAD_BYTES = "driftline.bad_bytes"


class ByteStream:
    """Reads a file sequentially, whatever its compression and encoding; `damage` is the reason if it ended early.

    A byte that is invalid in the encoding is replaced by one that is also invalid in UTF-8, so that the reader of
    records finds it and can report its position.

    >>> import gzip, io
    >>> stream = ByteStream(io.BytesIO(gzip.compress("naïve".encode("utf-16"))), "example.gz")
    >>> stream.read(100).decode()
    'naïve'
    >>> stream.damage is None
    True
    """

    def __init__(self, file: BinaryIO, name: str, *, encoding: str | None = None, max_expansion: float = 200.0) -> None:
        self.name = name
        self.damage: str | None = None
        """Reason for a rejection if the file could not be read to its end, otherwise None."""
        self._encoding = None if encoding is None else check_encoding(encoding)
        start = self._start_of(file)
        if packing := unsupported_compression(start):
            raise UnreadableFile(
                f"{name} is compressed with {packing}; decompress it first, or compress it with gzip, bzip2, xz or zstd"
            )
        raw = Counted(file, start)
        unpacked = chunks(raw, start)
        if start.startswith(COMPRESSIONS):
            unpacked = guarded(unpacked, raw, max_expansion)
        self._chunks = self._decoded(unpacked)
        self._waiting = b""

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of UTF-8, empty at the end."""
        parts, found = [self._waiting], len(self._waiting)
        while found < size and (chunk := self._next()) is not None:
            parts.append(chunk)
            found += len(chunk)
        data = b"".join(parts)
        self._waiting = data[size:]
        return data[:size]

    def peek(self, size: int = _PEEK) -> bytes:
        """Return up to `size` bytes without consuming them."""
        data = self.read(size)
        self._waiting = data + self._waiting
        return data

    def _start_of(self, file: BinaryIO) -> bytes:
        try:
            return file.read(_PEEK)
        except Damaged as damage:
            self.damage = str(damage)
            return b""

    def _next(self) -> bytes | None:
        if self.damage is not None:
            return None
        try:
            return next(self._chunks, None)
        except Damaged as damage:
            self.damage = str(damage)
            return None

    def _decoded(self, unpacked: Iterator[bytes]) -> Iterator[bytes]:
        """Turn the encoding into UTF-8 and drop a byte order mark."""
        start = b""
        for chunk in unpacked:
            start += chunk
            if len(start) >= _SAMPLE:
                break
        marked = next((mark for mark in _BYTE_ORDER_MARKS if start.startswith(mark)), b"")
        if self._encoding is not None and is_clearly_utf_8(start, self._encoding):
            raise UnreadableFile(f"{self.name} is not in {self._encoding}: it looks like encoding='utf-8'")
        encoding = self._encoding or _BYTE_ORDER_MARKS.get(marked, "utf-8")
        if not marked:
            encoding = unmarked_encoding(start, self._encoding) or encoding
        if encoding in _ALREADY_UTF_8:
            yield start.removeprefix(codecs.BOM_UTF8)
            yield from unpacked
            return
        decoder = codecs.getincrementaldecoder(encoding)(_BAD_BYTES)
        yield decoder.decode(start).removeprefix("\ufeff").encode("utf-8", "surrogateescape")
        for chunk in unpacked:
            yield decoder.decode(chunk).encode("utf-8", "surrogateescape")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogateescape")


@contextlib.contextmanager
def open_bytes(
    entry: Entry, *, name: str = "", encoding: str | None = None, max_expansion: float = 200.0
) -> Iterator[ByteStream]:
    """Open a file or a member of an archive, and close it at the end of the block; `name` is shown in messages."""
    with open_entry(entry) as file:
        yield ByteStream(file, name or entry_name(entry), encoding=encoding, max_expansion=max_expansion)


def _mark_bad_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error(_BAD_BYTES, _mark_bad_bytes)
