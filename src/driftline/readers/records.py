"""Records as read: raw values by column, their places, and rejected records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.readers.encodings import suggested_encoding
from driftline.streams.stream import DEFAULT_BATCH_SIZE

BLOCK_BYTES = 2**22
"""Number of bytes of a text file parsed at a time: enough for Arrow to be fast, few enough to keep several blocks."""
FIRST_BLOCK_BYTES = 2**18
"""Size of the first block, which is smaller because it is read twice to find the columns."""

FIRST_RECORDS = 500
"""Number of records in the first batch of formats with fixed columns, which is read twice to describe them."""

Values: TypeAlias = "pa.Array | pa.ChunkedArray | list[object]"
"""The values of a column: an Arrow array, or a list of Python values where Arrow cannot represent them."""


class UnreadableFile(InvalidInput):
    """A file cannot be read at all; if it is one of several, it is reported and skipped."""


class Columns(NamedTuple):
    """Columns of a source that contain the time, the text (one or several, joined by line ends) and optional values.

    `origin` is the channel, list or folder within the source, in formats that have them. If the time is spread over
    several columns, `time` is that of the date or the year, `time_parts` those of the month and the day, and `clock`
    that of the time of day.
    """

    time: str
    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    author: str | None = None
    thread: str | None = None
    origin: str | None = None
    time_parts: tuple[str, ...] = ()
    clock: str | None = None

    def time_names(self) -> tuple[str, ...]:
        """Return the columns with the time.

        >>> Columns("date", ("body",), clock="hour").time_names()
        ('date', 'hour')
        """
        return (self.time, *self.time_parts, *([self.clock] if self.clock is not None else []))

    def needed(self) -> list[str]:
        """Return every column once.

        >>> Columns("date", ("title", "body"), None, "title").needed()
        ['date', 'title', 'body']
        """
        optional = (self.label, self.id, self.author, self.thread, self.origin)
        return list(dict.fromkeys(name for name in (*self.time_names(), *self.text, *optional) if name is not None))


class Unusable(NamedTuple):
    """A record that could not be parsed: its number, the reason, and the number of records it represents."""

    number: int
    reason: str
    n_records: int = 1
    place: str | None = None


class Records(NamedTuple):
    """Some records of one source. A column is an Arrow array, or a list if the values have several types."""

    source: str
    values: Mapping[str, Values]
    numbers: Ints
    columns: Columns | None
    unusable: Sequence[Unusable] = ()
    word: str = "line"
    places: Sequence[str] | None = None

    def place(self, row: int) -> str:
        """Return the place of a row, such as ``line 17``."""
        return self.places[row] if self.places is not None else f"{self.word} {self.numbers[row]}"

    def place_of(self, unusable: Unusable) -> str:
        """Return the place of a record that could not be parsed."""
        return unusable.place if unusable.place is not None else f"{self.word} {unusable.number}"


class Limits(NamedTuple):
    """Block sizes and limits."""

    max_record_bytes: int = 2**24
    batch_size: int = DEFAULT_BATCH_SIZE
    block_bytes: int = BLOCK_BYTES
    first_block_bytes: int = FIRST_BLOCK_BYTES


Chooser = Callable[[Mapping[str, Sequence[object]]], Columns]
"""Function from sample values by column to the columns to read."""


def too_long(limits: Limits) -> str:
    """Return the reason for rejecting a record that is larger than allowed."""
    return f"too long: more than max_record_bytes={limits.max_record_bytes:,}"


def bad_encoding(error: UnicodeDecodeError) -> str:
    """Return the reason for rejecting a record whose bytes are not text.

    >>> try:
    ...     b"caf\\xe9".decode()
    ... except UnicodeDecodeError as error:
    ...     print(bad_encoding(error))
    bad encoding: byte 0xe9 at position 4 is not UTF-8; it looks like encoding='cp1252'
    """
    byte = error.object[error.start]
    likely = suggested_encoding(error.object)
    advice = (
        "if the source uses another encoding, name it with encoding= (encoding='latin-1' reads every byte, perhaps as "
        "a wrong character)"
        if likely is None
        else f"it looks like encoding={likely!r}"
    )
    return f"bad encoding: byte 0x{byte:02x} at position {error.start + 1} is not UTF-8; {advice}"
