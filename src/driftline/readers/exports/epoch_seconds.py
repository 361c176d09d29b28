"""Conversion of seconds since 1970, in the form that exports use, to ISO 8601."""

from __future__ import annotations

import datetime
import decimal

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MOST = decimal.Decimal(10**12)
"""Number of seconds beyond the year 9999; the digits of much larger numbers would take long to write."""


def iso_of_seconds(seconds: object) -> str | None:
    """Return seconds, given as a number or its digits, in ISO 8601; other values are returned unchanged.

    >>> iso_of_seconds("1048131240.000200"), iso_of_seconds("soon"), iso_of_seconds(None)
    ('2003-03-20T03:34:00.000200+00:00', 'soon', None)
    """
    if seconds is None:
        return None
    try:
        number = decimal.Decimal(str(seconds))
        if not number.is_finite() or abs(number) > _MOST:
            return str(seconds)
        return (_EPOCH + datetime.timedelta(microseconds=int(number * 1_000_000))).isoformat()
    except (ArithmeticError, ValueError):
        return str(seconds)
