"""Keys of documents and starts of periods.

A key is the hour of the document's time since 1970, shifted left by 24 bits, plus its place in that hour: in order of
arrival, within a batch in order of time. Late documents are therefore stored in their hour, and an interval of time is
an interval of keys.
"""

from __future__ import annotations

import zlib

import numpy as np

from driftline.core.arrays import Ints

HOUR = 3_600_000_000
"""Number of microseconds in an hour."""
DAY = 24 * HOUR
PLACES = 24
"""Number of bits of the place in the hour, enough for 16 million documents."""
LEVELS = ("hour", "day", "month")
ORIGIN = 2**20
"""Number of hours added so that keys of documents before 1970 are positive."""


def first_key(moment: int) -> int:
    """Return the lowest key of the hour of a time in microseconds.

    >>> first_key(0) < first_key(HOUR), first_key(HOUR) == first_key(2 * HOUR - 1), first_key(-HOUR) > 0
    (True, True, True)
    """
    return (moment // HOUR + ORIGIN) << PLACES


def hour_of(keys: Ints) -> Ints:
    """Return the start of the hour of each key, in microseconds."""
    return hour_start(np.asarray(keys, dtype=np.int64) >> PLACES)


def hour_start(hours: Ints) -> Ints:
    """Return the start, in microseconds, of hours that are encoded as in keys."""
    found: Ints = (np.asarray(hours, dtype=np.int64) - ORIGIN) * HOUR
    return found


def period_starts(moments: Ints, level: int) -> Ints:
    """Return the start of the hour (0), day (1) or month (2) of each time, in microseconds.

    >>> period_starts(np.array([DAY + 5]), 1).tolist(), period_starts(np.array([40 * DAY]), 2).tolist()
    ([86400000000], [2678400000000])
    """
    moments = np.asarray(moments, dtype=np.int64)
    if level == 0:
        return moments // HOUR * HOUR
    if level == 1:
        return moments // DAY * DAY
    months = moments.astype("datetime64[us]").astype("datetime64[M]")
    found: Ints = months.astype("datetime64[us]").astype(np.int64)
    return found


def pack_keys(keys: Ints) -> bytes:
    """Return keys as compressed differences.

    >>> unpack_keys(pack_keys(np.array([5, 6, 3]))).tolist()
    [5, 6, 3]
    """
    return zlib.compress(np.diff(np.asarray(keys, dtype=np.int64), prepend=0).tobytes(), 1)


def unpack_keys(body: bytes) -> Ints:
    """Return the keys that `pack_keys` packed."""
    return np.cumsum(np.frombuffer(zlib.decompress(body), dtype=np.int64))


def as_text(key: int) -> str:
    """Return a key as text, since a browser rounds numbers beyond 2^53."""
    return format(key, "x")


def from_text(text: str) -> int | None:
    """Return the key that a text represents; None if it does not represent one.

    >>> from_text(as_text(2**60 + 1)) == 2**60 + 1, from_text("no key")
    (True, None)
    """
    try:
        key = int(text, 16)
    except ValueError:
        return None
    return key if 0 <= key < 2**63 else None
