"""The boundaries of the records of a delimited file: all at once if the quoting is clean, otherwise one by one."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints

_QUOTE, _FEED, _CARRIAGE = 34, 10, 13


class Layout(NamedTuple):
    """The delimiter, and the number of fields per record."""

    delimiter: bytes
    n_fields: int


class Found(NamedTuple):
    """The complete records of a block: the first line of each (from 0), its length, and their end."""

    lines: Ints
    lengths: Ints
    n_lines: int
    end: int


def find_records(data: bytes, layout: Layout, *, final: bool) -> Found | None:
    r"""Find all records of a block at once, or return None if the quoting does not allow it.

    If every opening quote follows a delimiter or a line end, and every closing quote precedes one, then a line end is
    the end of a record exactly if an even number of quotes precedes it.

    >>> find_records(b'a,"b\nc"\nd,e\nf', Layout(b",", 2), final=False)
    Found(lines=array([0, 2]), lengths=array([8, 4]), n_lines=3, end=12)
    """
    if not data:
        return Found(np.empty(0, np.int64), np.empty(0, np.int64), 0, 0)
    characters = np.frombuffer(data, np.uint8)
    line_ends = _line_ends(data, characters, final=final)
    record_ends = line_ends
    quotes = np.flatnonzero(characters == _QUOTE) if b'"' in data else np.empty(0, np.int64)
    if len(quotes):
        if not _is_clean(characters, quotes, layout.delimiter[0]):
            return None
        record_ends = line_ends[np.searchsorted(quotes, line_ends) % 2 == 0]
    end = int(record_ends[-1]) + 1 if len(record_ends) else 0
    if final and end < len(data):
        if len(quotes) % 2:
            return None
        record_ends, end = np.append(record_ends, len(data) - 1), len(data)
    starts = np.concatenate([[0], record_ends[:-1] + 1]) if len(record_ends) else np.empty(0, np.int64)
    lengths = record_ends + 1 - starts
    first = characters[starts]
    is_record = (first != _FEED) & (first != _CARRIAGE)
    lines = np.searchsorted(line_ends, starts)
    n_lines = int(np.searchsorted(line_ends, end))
    return Found(lines[is_record].astype(np.int64), lengths[is_record], n_lines, end)


class Scanned(NamedTuple):
    """The fields of a record, where the next one begins, and whether there is text after a closing quote."""

    fields: list[bytes]
    end: int
    is_loose: bool


def scan_record(data: bytes, position: int, delimiter: bytes, *, final: bool) -> Scanned | None:
    r"""Return the record at `position`; None if its end has not been read.

    At the end of a file (`final`) only an unclosed quote has no end.

    >>> scan_record(b'a,"b ""c""\n"\nd,e', 0, b",", final=False)
    Scanned(fields=[b'a', b'b "c"\n'], end=13, is_loose=False)
    >>> scan_record(b'a,"b\nd,e', 0, b",", final=True) is None
    True
    """
    stop = _stop_at(delimiter)
    fields: list[bytes] = []
    is_loose = False
    while True:
        parts = []
        if data[position : position + 1] == b'"':
            position += 1
            while True:
                quote = data.find(b'"', position)
                if quote < 0 or (quote + 1 == len(data) and not final):
                    return None
                parts.append(data[position:quote])
                position = quote + 1
                if data[position : position + 1] != b'"':
                    break
                parts.append(b'"')
                position += 1
        match = stop.search(data, position)
        if match is None:
            if not final:
                return None
            fields.append(b"".join([*parts, data[position:]]))
            return Scanned(fields, len(data), is_loose or (bool(parts) and position < len(data)))
        is_loose = is_loose or (bool(parts) and position < match.start())
        fields.append(b"".join([*parts, data[position : match.start()]]))
        position = match.end()
        if match[0] != delimiter:
            if match[0] == b"\r":
                if position == len(data) and not final:
                    return None  # a line feed may follow
                position += data[position : position + 1] == b"\n"
            return Scanned(fields, position, is_loose)


def _line_ends(data: bytes, characters: np.ndarray, *, final: bool) -> Ints:
    """Return the positions of the last characters of lines, which end with a line feed, a carriage return or both."""
    ends = characters == _FEED
    if b"\r" in data:
        alone = characters == _CARRIAGE
        alone[:-1] &= ~ends[1:]
        if not final:
            alone[-1] = False  # a line feed may follow
        ends = ends | alone
    return np.flatnonzero(ends)


def _is_clean(characters: np.ndarray, quotes: Ints, delimiter: int) -> bool:
    border = np.zeros(256, bool)
    border[[delimiter, _FEED, _CARRIAGE, _QUOTE]] = True
    opening, closing = quotes[::2], quotes[1::2]
    before = characters[np.maximum(opening - 1, 0)]
    after = characters[np.minimum(closing + 1, len(characters) - 1)]
    return bool((border[before] | (opening == 0)).all() and (border[after] | (closing == len(characters) - 1)).all())


@functools.lru_cache(maxsize=8)
def _stop_at(delimiter: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(delimiter) + rb"\r\n]")
