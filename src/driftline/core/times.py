"""Time as the models see it: one float per document, with the way back to what the user gave.

Numbers stay as they are. Dates become days since 1970-01-01 UTC, so a bandwidth of 25 means 25 days; ``"36h"`` or a
``timedelta`` may be given instead. ``None`` means document order: 0, 1, 2, …
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput

MICROSECONDS_PER_DAY = 86_400_000_000
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
    """How the times of one data set map to floats and back.

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
    def of(cls, times: Any) -> TimeAxis:
        """Find the axis that fits the times."""
        if times is None:
            return cls("number")
        array = _as_array(times)
        return cls("datetime" if array.dtype.kind == "M" else "number")

    def values(self, times: Any, *, n: int | None = None) -> Floats:
        """Return one float64 per document; check their number, and that every one of them is finite."""
        if times is None:
            if n is None:
                raise InvalidInput("times=None needs documents to count; pass the times")
            return np.arange(n, dtype=np.float64)
        array = _as_array(times)
        if array.ndim == 0:
            array = array.reshape(1)
        if array.ndim != 1:
            raise InvalidInput(f"times must be one value per document, got an array of shape {array.shape}")
        if n is not None and len(array) != n:
            raise InvalidInput(f"there are {n} documents but {len(array)} times; pass one time per document")
        is_date = array.dtype.kind == "M"
        if is_date != (self.kind == "datetime"):
            given, expected = ("dates", "numbers") if is_date else ("numbers", "dates")
            raise InvalidInput(f"times are {given} here but were {expected} when the model was fitted; pass {expected}")
        if is_date:
            result = array.astype("datetime64[us]").astype(np.int64) / MICROSECONDS_PER_DAY
            bad = np.isnat(array)
        else:
            try:
                result = array.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidInput(
                    f"times must be numbers, datetime64 or Arrow timestamps, not {array.dtype}: {error}"
                ) from error
            bad = ~np.isfinite(result)
        if bad.any():
            where = int(np.flatnonzero(bad)[0])
            raise InvalidInput(f"the time of document {where} is {array[where]}; drop the document or give it a time")
        return result

    def restore(self, values: Any) -> Any:
        """Turn floats of this axis back into what the user works with (datetime64[us] or floats)."""
        values = np.asarray(values, dtype=np.float64)
        if self.kind == "number":
            return values
        return np.round(values * MICROSECONDS_PER_DAY).astype(np.int64).astype("datetime64[us]")

    def span(self, duration: Any) -> float:
        """Return the length of a duration (a number, ``"4h"``, a timedelta) on this axis."""
        if isinstance(duration, datetime.timedelta):
            duration = np.timedelta64(duration)
        if isinstance(duration, np.timedelta64 | str):
            if self.kind == "number":
                raise InvalidInput(f"times are plain numbers, so a span must be a number too, not {duration!r}")
            return days(duration)
        return float(duration)


def days(duration: str | np.timedelta64) -> float:
    """Return a duration such as ``"4h"``, ``"3 h 2 min"`` or ``"1mo"`` (a mean month) in days.

    >>> days("36h"), days("3 h 2 min") * 24 * 60
    (1.5, 182.0)
    """
    if isinstance(duration, np.timedelta64):
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


def describe_span(length_in_days: float) -> str:
    """Return a length of time in words a reader takes in at once.

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


def _as_array(times: Any) -> np.ndarray:
    """Return times of any accepted kind as a NumPy array: Arrow and pandas zones become naive UTC."""
    if hasattr(times, "combine_chunks") or type(times).__module__.startswith("pyarrow"):
        return np.asarray(times.to_numpy(zero_copy_only=False) if not hasattr(times, "chunks") else times.to_numpy())
    if getattr(getattr(times, "dt", None), "tz", None) is not None:
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    elif getattr(times, "tz", None) is not None:
        times = times.tz_convert("UTC").tz_localize(None)
    array = np.asarray(times)
    if array.dtype.kind in "OU" and array.size:
        first = array.reshape(-1)[0]
        if isinstance(first, datetime.date | np.datetime64 | str):
            try:
                return np.array([_naive_utc(value) for value in array.reshape(-1)], dtype="datetime64[us]")
            except (TypeError, ValueError) as error:
                raise InvalidInput(
                    f"times hold {first!r}, which is no ISO 8601 date; read the source with driftline.read, "
                    f"or pass numbers, datetime64 or Arrow timestamps"
                ) from error
    return array


def _naive_utc(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value
