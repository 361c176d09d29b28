"""Times for the models: one float per document, and the conversion back to the user's type.

Numbers are unchanged. Dates (datetime64, Arrow timestamps, pandas and polars columns, `datetime`, ISO 8601 strings)
become days since 1970-01-01 UTC, so a bandwidth of 25 means 25 days; ``"36h"`` or a ``timedelta`` may be given instead.
A date without a zone is UTC. ``None`` means document order: 0, 1, 2, …
"""

from __future__ import annotations

import datetime
import numbers
import re
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Times
from driftline.core.days_of_dates import LAST_DAY, MICROSECONDS_PER_DAY, days_of
from driftline.core.errors import InvalidInput, TimesAssumedWarning

Duration: TypeAlias = float | str | np.timedelta64 | datetime.timedelta
"""A span of time: a number on the axis of the times, a string such as ``"36h"``, or a timedelta."""
Moment: TypeAlias = float | str | datetime.date | np.datetime64
"""A point in time: a number on the axis of the times, or a date."""
Instant: TypeAlias = float | np.datetime64
"""A point in time in a result: a number on the axis of the times, or a date."""

LARGEST_TIME = 1e100
"""Largest absolute time accepted; the square of a larger one would overflow."""
_LIBRARIES = frozenset(("driftline", "sklearn", "joblib", "contextlib"))
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?")
_UNIT_DAYS = {
    "us": 1e-6 / 86400,
    "ms": 1e-3 / 86400,
    "s": 1 / 86400,
    "min": 60 / 86400,
    "h": 3600 / 86400,
    "d": 1.0,
    "w": 7.0,
    "mo": 365.2425 / 12,
    "y": 365.2425,
}


@dataclass(frozen=True)
class TimeAxis:
    """The mapping of a data set's times to floats and back.

    >>> axis = TimeAxis.of(np.array(["2003-03-20", "2003-04-02"], dtype="datetime64[D]"))
    >>> axis.kind, axis.span("1d12h")
    ('datetime', 1.5)
    >>> axis.values(np.array(["1970-01-02"], dtype="datetime64[D]"))
    array([1.])
    >>> axis.restore([1.5])
    array(['1970-01-02T12:00:00.000000'], dtype='datetime64[us]')
    """

    kind: Literal["number", "datetime"] = "number"

    @classmethod
    def of(cls, times: Times) -> TimeAxis:
        """Return the axis for the times."""
        if times is None:
            return cls("number")
        return cls("datetime" if time_array(times).dtype.kind == "M" else "number")

    def values(self, times: Times, *, n: int | None = None) -> Floats:
        """Return one float64 per document; check their number, and that every one of them is finite."""
        if times is None:
            if n is None:
                raise InvalidInput("times=None needs the number of documents; pass the times")
            if self.kind == "datetime":
                raise InvalidInput("no times were given, but the model was fitted with dates; pass dates")
            return np.arange(n, dtype=np.float64)
        array = np.atleast_1d(time_array(times))
        if array.ndim != 1:
            raise InvalidInput(f"times must be one value per document, got an array of shape {array.shape}")
        if n is not None and len(array) != n:
            raise InvalidInput(f"there are {n} documents but {len(array)} times; pass one time per document")
        is_date = array.dtype.kind == "M"
        if len(array) and is_date != (self.kind == "datetime"):
            given, expected = ("dates", "numbers") if is_date else ("numbers", "dates")
            raise InvalidInput(f"times are {given} here but were {expected} when the model was fitted; pass {expected}")
        result = days_of(array) if is_date else array.astype(np.float64)
        # Differences and squares of times must stay finite too.
        bad = ~(np.abs(result) <= LARGEST_TIME)
        if bad.any():
            where = int(np.flatnonzero(bad)[0])
            raise InvalidInput(f"the time of document {where} is {array[where]}; remove the document or set its time")
        return result

    def restore(self, values: npt.ArrayLike) -> np.ndarray:
        """Convert floats of this axis back to the user's type (datetime64[us] or floats).

        Values that are not dates (NaN, or beyond the range of 64-bit microseconds) become NaT.
        """
        values = np.asarray(values, dtype=np.float64)
        if self.kind == "number":
            return values
        sayable = np.abs(values) < LAST_DAY
        microseconds = np.round(np.where(sayable, values, 0.0) * MICROSECONDS_PER_DAY).astype(np.int64)
        return np.where(sayable, microseconds.astype("datetime64[us]"), np.datetime64("NaT", "us"))

    def span(self, duration: object) -> float:
        """Return the length of a duration (a number, ``"4h"``, a timedelta) on this axis; it may be infinite."""
        if isinstance(duration, datetime.timedelta):
            duration = np.timedelta64(duration)
        if isinstance(duration, np.timedelta64 | str):
            if self.kind == "number":
                raise InvalidInput(f"times are plain numbers, so a span must be a number too, not {duration!r}")
            length = days(duration)
        elif isinstance(duration, numbers.Real):
            length = float(duration)
        else:
            raise InvalidInput(f"a span is a number, a timedelta or a string such as '36h', not {duration!r}")
        if not length >= 0:
            raise InvalidInput(f"a span must be zero or positive, not {duration!r}")
        return length


def days(duration: str | np.timedelta64) -> float:
    """Return a duration such as ``"4h"``, ``"3 h 2 min"`` or ``"1mo"`` (a mean month) in days.

    >>> days("36h"), days("3 h 2 min") * 24 * 60
    (1.5, 182.0)
    """
    if isinstance(duration, np.timedelta64):
        unit, number = np.datetime_data(duration.dtype)
        if unit in ("Y", "M"):
            return float(duration.view(np.int64)) * number * _UNIT_DAYS["y" if unit == "Y" else "mo"]
        return float(duration / np.timedelta64(1, "us")) / MICROSECONDS_PER_DAY
    total, end = 0.0, 0
    for part in re.finditer(r"\s*(\d+(?:\.\d+)?)\s*(us|ms|min|mo|s|h|d|w|y)", duration):
        if part.start() != end:
            break
        total += float(part[1]) * _UNIT_DAYS[part[2]]
        end = part.end()
    if end == 0 or duration[end:].strip():
        raise InvalidInput(
            f"{duration!r} is not a duration; write a number and a unit (us, ms, s, min, h, d, w, mo, y), such as '36h'"
        )
    return total


def note_missing_times(times: object, function: str, what: str = "documents") -> None:
    """Warn that `what` is assumed to be in time order if `function` was given no times.

    The warning points at the line that called driftline, directly or through scikit-learn.
    """
    if times is None:
        warnings.warn(
            f"{function} was given no times: the {what} are assumed to be in time order and evenly spaced; pass "
            f"times=, or times=range(n) if that is true",
            TimesAssumedWarning,
            stacklevel=_level_of_user(),
        )


def _level_of_user() -> int:
    """Return the `stacklevel`, for the function that calls this, of the first line outside libraries.

    Python 3.12 has `skip_file_prefixes` for this.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level


def describe_span(length_in_days: float) -> str:
    """Return a duration in readable words.

    >>> describe_span(182 / 1440), describe_span(400)
    ('3 h 2 min', '1 y 34 d')
    """
    parts: list[str] = []
    rest = abs(float(length_in_days))
    for unit in ("y", "d", "h", "min", "s"):
        whole = int(rest / _UNIT_DAYS[unit] + 1e-6)
        if whole:
            parts.append(f"{whole} {unit}")
            rest -= whole * _UNIT_DAYS[unit]
        if len(parts) == 2:
            break
    return " ".join(parts) or "0 s"


def days_between(first: np.datetime64, last: np.datetime64) -> float:
    """Return the number of days from one date to another.

    >>> days_between(np.datetime64("2003-03-20"), np.datetime64("2003-03-21T12:00"))
    1.5
    """
    return float((last - first) / np.timedelta64(1, "us")) / MICROSECONDS_PER_DAY


def as_timedelta(length_in_days: float) -> np.timedelta64:
    """Return a number of days as a timedelta, to the microsecond.

    >>> as_timedelta(0.5)
    np.timedelta64(43200000000,'us')
    """
    return np.timedelta64(round(length_in_days * MICROSECONDS_PER_DAY), "us")


def iso(time: Moment) -> str:
    """Return one date as ISO 8601 in UTC, to the second, with a Z: the format of times in findings.

    >>> iso(np.datetime64("2003-03-20T05:34:00"))
    '2003-03-20T05:34:00Z'
    """
    return f"{np.asarray(time, dtype='datetime64[s]')}Z"


def isos(times: Times) -> list[str]:
    """Apply `iso` to many dates.

    >>> isos(["2003-03-20T05:34:00.5"])
    ['2003-03-20T05:34:00Z']
    """
    seconds = np.asarray(times, dtype="datetime64[s]")
    found: list[str] = np.datetime_as_string(seconds, unit="s", timezone="UTC").tolist()
    return found


def time_array(times: Any) -> np.ndarray:
    """Return times of any accepted kind as numbers or as datetime64 in UTC."""
    dated = getattr(times, "dt", times)
    if getattr(dated, "tz", None) is not None:
        times = dated.tz_convert(None)  # pandas would return one object per time, in its own zone
    array = np.asarray(times)
    if array.dtype.kind in "OUT":
        array = _from_objects(array)
    if array.dtype.kind not in "iufM":
        raise InvalidInput(f"times must be numbers, dates or ISO 8601 strings, not {array.dtype}")
    return array


def _from_objects(array: np.ndarray) -> np.ndarray:
    """Convert Python objects to numbers or dates; None is an unknown time."""
    values = array.reshape(-1).tolist()
    known = [value for value in values if value is not None]
    try:
        if known and all(isinstance(value, numbers.Real) for value in known):
            return np.array([np.nan if value is None else float(value) for value in values]).reshape(array.shape)
        return np.array([_naive_utc(value) for value in values], dtype="datetime64[us]").reshape(array.shape)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"times must be numbers, dates or ISO 8601 strings, all of one kind ({error}); read the source with "
            f"driftline.read, which supports more date formats"
        ) from error


def _naive_utc(value: object) -> object:
    if isinstance(value, str):
        value = value.strip()
        # NumPy parses bare years and months, the standard library zones and everything else.
        value = np.datetime64(value) if _YEAR_OR_MONTH.fullmatch(value) else datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if not (value is None or isinstance(value, datetime.date | np.datetime64)):
        raise TypeError(f"{value!r} is a {type(value).__name__}")
    return value
