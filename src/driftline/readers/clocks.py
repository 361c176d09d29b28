"""Times of day, as in a column beside the one with the dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints
from driftline.readers.cell_values import to_strings
from driftline.readers.records import Values

_CLOCK = re.compile(
    r"\s*(\d{1,2})(?:[:.h](\d\d)(?:[:.](\d\d)(?:[.,:](\d{1,9}))?)?)?\s*(?:([AaPp])\.?[Mm]\.?)?\s*"
    r"(?:Uhr|(Z|UTC|GMT|([+-])(\d\d):?(\d\d)))?\s*",
    re.ASCII,
)
_SECOND = 1_000_000
_MINUTE = 60 * _SECOND
_CLOCK_SHARE = 0.9
"""Minimum share of times of day among the values of a column of clock times."""


class Clocks(NamedTuple):
    """For every record the microseconds since midnight, whether they could be read, and whether they are local time.

    With an offset the microseconds are those of UTC, which may be negative or more than those of a day.
    """

    microseconds: Ints
    readable: Bools
    local: Bools


def read_clocks(values: Values) -> Clocks:
    """Return the times of day of an Arrow array or a list; equal ones are read once.

    A number is an hour. A missing time is midnight, because then only the date is known.

    >>> clocks = read_clocks(["10:11", "9.30 pm", None, "soon"])
    >>> (clocks.microseconds / 3.6e9).round(2).tolist(), clocks.readable.tolist()
    ([10.18, 21.5, 0.0, 0.0], [True, True, True, False])
    """
    encoded = _strings(values).dictionary_encode()
    distinct = [_read(text) for text in encoded.dictionary.to_pylist()]
    table = np.array([*distinct, (0, True, True)], np.int64).reshape(-1, 3)
    rows = table[pc.fill_null(encoded.indices, len(distinct)).to_numpy(zero_copy_only=False)]
    return Clocks(rows[:, 0], rows[:, 1].astype(bool), rows[:, 2].astype(bool))


def holds_clocks(values: Sequence[object]) -> bool:
    """Return whether nearly all values are times of day with minutes, such as 10:11 or 9:30 PM.

    >>> holds_clocks(["10:11", "9:30 PM", None]), holds_clocks(["10", "11"]), holds_clocks(["2003-04-05 10:11"])
    (True, False, False)
    """
    texts = [text for text in _strings(list(values)).to_pylist() if text is not None and text.strip()]
    clocks = [text for text in texts if (":" in text or "h" in text) and _read(text)[1]]
    return len(clocks) > _CLOCK_SHARE * len(texts)


def _strings(values: Values) -> pa.Array:
    """Return the values as strings; Arrow's times of day are written with colons."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.Array) and pa.types.is_time(values.type):
        return values.cast(pa.string())
    strings, problems = to_strings(values)
    if not problems:
        return strings.cast(pa.string())
    return pa.array(["?" if row in problems else text for row, text in enumerate(strings.to_pylist())], pa.string())


def _read(text: str) -> tuple[int, bool, bool]:
    if not text.strip():
        return 0, True, True
    match = _CLOCK.fullmatch(text)
    if match is None:
        return 0, False, False
    hour, minute, second, fraction, half, zone, sign, zone_hours, zone_minutes = match.groups()
    h, m, s = int(hour), int(minute or 0), int(second or 0)
    if half:
        if not 1 <= h <= 12:
            return 0, False, False
        h = h % 12 + (12 if half in "Pp" else 0)
    if h > 23 or m > 59 or s > 59:
        return 0, False, False
    since_midnight = (h * 60 + m) * _MINUTE + s * _SECOND + int((fraction or "0")[:6].ljust(6, "0"))
    if zone is None:
        return since_midnight, True, True
    offset = (int(zone_hours or 0) * 60 + int(zone_minutes or 0)) * _MINUTE
    return since_midnight - (offset if sign == "+" else -offset), True, False
