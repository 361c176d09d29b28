"""Seconds since 1970, as exports write them, in ISO 8601."""

from __future__ import annotations

import datetime
import decimal


def iso_of_seconds(seconds: object) -> str | None:
    """Return seconds, given as a number or its digits, in ISO 8601; what is no such number is returned as it is.

    >>> iso_of_seconds("1048131240.000200"), iso_of_seconds("soon"), iso_of_seconds(None)
    ('2003-03-20T03:34:00.000200+00:00', 'soon', None)
    """
    if seconds is None:
        return None
    try:
        microseconds = int(decimal.Decimal(str(seconds)) * 1_000_000)
        return (_EPOCH + datetime.timedelta(microseconds=microseconds)).isoformat()
    except (decimal.InvalidOperation, OverflowError, ValueError):
        return str(seconds)


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
