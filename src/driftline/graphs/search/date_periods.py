"""Periods such as a year, a month or a day, as intervals of time."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.core.errors import InvalidInput

_UNITS: tuple[tuple[str, Literal["Y", "M", "D", "h"]], ...] = (
    (r"\d{4}", "Y"),
    (r"\d{4}-\d{2}", "M"),
    (r"\d{4}-\d{2}-\d{2}", "D"),
    (r"\d{4}-\d{2}-\d{2}[T ]\d{2}", "h"),
)


def period_of(text: str) -> tuple[float, float]:
    """Return the start and the end of a period, in days since 1970.

    >>> period_of("1970-02")
    (31.0, 59.0)
    """
    given = text.strip() if isinstance(text, str) else ""
    unit = next((unit for pattern, unit in _UNITS if re.fullmatch(pattern, given, re.ASCII)), None)
    try:
        if unit is None:
            raise ValueError
        start = np.array(given.replace(" ", "T"), dtype=f"datetime64[{unit}]")
    except ValueError:
        raise InvalidInput(
            f"{text!r} is not a period; write a year, a month, a day or an hour: 2001, 2001-10, 2001-10-05, "
            f"2001-10-05T14"
        ) from None
    ends = np.array([start, start + np.timedelta64(1, unit)]).astype("datetime64[us]")
    first, last = (ends.astype(np.int64) / MICROSECONDS_PER_DAY).tolist()
    return first, last
