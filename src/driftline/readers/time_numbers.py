"""Numbers as times: years, dates written as digits, and seconds to nanoseconds since 1970, distinguished by magnitude.

A unit belongs to a whole column, not to one number: a column of epoch seconds may contain a 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import AmbiguousInput, InvalidInput

TIME_UNITS = ("s", "ms", "us", "ns", "d", "year", "yyyymmdd", "yyyymmddhhmmss", "excel", "excel1904")
"""Values of ``time_unit=``: units since 1970 (``d`` is days), calendar dates written as numbers, or days of Excel."""

EARLIEST = -62_135_596_800_000_000
"""0001-01-01 in microseconds since 1970: the earliest datetime in Python."""
LATEST = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999 in microseconds since 1970."""

DAY = 86_400_000_000
"""Microseconds per day."""
_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1, "d": DAY}
_EXCEL_EPOCHS = {"excel": -25_569, "excel1904": -24_107}
"""Day 0 of a spreadsheet in days since 1970: 30 December 1899 (correct since March 1900) or 1 January 1904."""
_EXCEL_RANGE = (25_569.0, 54_789.0)
_NOT_GUESSED = ("d", "excel1904")
_EPOCH_RANGES = {"s": (1e8, 2e10), "ms": (1e11, 1.9e13), "us": (1e14, 2e16), "ns": (1e17, 9.3e18)}
_DECISIVE_SHARE = 0.9


def guess_unit(values: npt.ArrayLike) -> str:
    """Return the unit of a column's numbers, or raise `AmbiguousInput`.

    ======================  ==========================================================
    unit                    numbers
    ======================  ==========================================================
    year                    1000 to 2999
    yyyymmdd                eight digits that are a date from 1000 to 2999
    yyyymmddhhmmss          fourteen digits that are a time from 1900 to 2199
    s                       ±1e8 to ±2e10 (1973 to 2603, 1336 to 1966)
    ms, us, ns              ±1e11 to ±1.9e13, ±1e14 to ±2e16, ±1e17 and more
    excel                   25,569 to 54,788.99… (1970 to 2049), spreadsheet days
    ======================  ==========================================================

    Numbers between these ranges (and small ones, such as 0) are not informative; nine tenths of the others must agree.
    Spreadsheet days must be nine tenths of all numbers: a column that counts to 50,000 does not contain dates.

    >>> guess_unit([1049537472, 1049537473]), guess_unit([1790, 2024]), guess_unit([20030405]), guess_unit([37716.5])
    ('s', 'year', 'yyyymmdd', 'excel')
    >>> guess_unit([1.5, 86400])
    Traceback (most recent call last):
    driftline.core.errors.AmbiguousInput: the times are numbers such as 1.5, ...
    """
    numbers = np.asarray(values, dtype=np.float64)
    classes = {
        unit: int(np.count_nonzero(is_typical(numbers, unit))) for unit in TIME_UNITS if unit not in _NOT_GUESSED
    }
    if classes["excel"] < _DECISIVE_SHARE * np.count_nonzero(np.isfinite(numbers)):
        classes["excel"] = 0
    known = sum(classes.values())
    unit = max(classes, key=lambda name: classes[name])
    if known and classes[unit] >= _DECISIVE_SHARE * known:
        return unit
    finite = numbers[np.isfinite(numbers)]
    example = _show(finite[0]) if len(finite) else "none"
    if not known:
        raise AmbiguousInput(
            f"the times are numbers such as {example}, whose unit is not clear from their magnitude; give it with "
            f"time_unit= (one of {', '.join(TIME_UNITS)})"
        )
    found = [f"{name} ({_show(numbers[is_typical(numbers, name)][0])})" for name in classes if classes[name]]
    raise AmbiguousInput(
        f"the times are numbers of several kinds: {', '.join(found)}; choose one with "
        f"time_unit= (one of {', '.join(TIME_UNITS)})"
    )


def is_typical(numbers: Floats, unit: str) -> Bools:
    """Return a mask of the numbers with the typical magnitude of the unit; the ranges of units do not overlap."""
    with np.errstate(invalid="ignore"):
        if unit in _EPOCH_RANGES:
            low, high = _EPOCH_RANGES[unit]
            typical = (np.abs(numbers) >= low) & (np.abs(numbers) <= high)
            return typical & ~is_typical(numbers, "yyyymmddhhmmss") if unit == "ms" else typical
        if unit == "excel":
            days: Bools = (numbers >= _EXCEL_RANGE[0]) & (numbers < _EXCEL_RANGE[1])
            return days
        whole = numbers == np.floor(numbers)
        if unit == "year":
            found: Bools = whole & (numbers >= 1000) & (numbers <= 2999)
            return found
        if unit == "yyyymmdd":
            digits = np.where(whole & (numbers >= 10_000_101) & (numbers <= 29_991_231), numbers, 0).astype(np.int64)
            return _calendar(digits)[1]
        if unit == "yyyymmddhhmmss":
            inside = whole & (numbers >= 19_000_101_000_000) & (numbers <= 21_991_231_235_959)
            return _calendar_seconds(np.where(inside, numbers, 0).astype(np.int64))[1]
    raise InvalidInput(f"the time unit {unit!r} has no typical magnitude")


def to_microseconds(values: npt.ArrayLike, unit: str, *, guessed: bool) -> tuple[Ints, Bools]:
    """Return microseconds since 1970 and which numbers could be read.

    With a guessed unit, a number with the magnitude of another unit is not read: a rejected record is better than one
    dated 1970.

    >>> to_microseconds(np.array([2003, 20030405]), "year", guessed=True)
    (array([1041379200000000,                0]), array([ True, False]))
    """
    if unit not in TIME_UNITS:
        raise InvalidInput(f"time_unit must be one of {', '.join(TIME_UNITS)}, not {unit!r}")
    values = np.asarray(values)
    as_floats = values.astype(np.float64)
    readable = np.isfinite(as_floats)
    if guessed:
        if unit in _EPOCH_RANGES:
            readable &= np.abs(as_floats) <= _EPOCH_RANGES[unit][1]
            for other in (*_EPOCH_RANGES, "yyyymmddhhmmss"):
                if other != unit:
                    readable &= ~is_typical(as_floats, other)
        else:
            readable &= is_typical(as_floats, unit)
    if unit in ("year", "yyyymmdd", "yyyymmddhhmmss"):
        readable &= (as_floats == np.floor(as_floats)) & (np.abs(as_floats) < 1e15)
        whole = np.where(readable, values, 0).astype(np.int64)
        convert = {"year": _calendar_years, "yyyymmdd": _calendar, "yyyymmddhhmmss": _calendar_seconds}[unit]
        result, valid = convert(whole)
        readable &= valid
    elif unit in _EXCEL_EPOCHS:
        readable &= np.abs(as_floats) <= 3e6
        # A spreadsheet stores times as fractions of a day, exact to some microseconds: round to milliseconds.
        days = np.where(readable, as_floats, 0) + _EXCEL_EPOCHS[unit]
        result = np.round(days * (DAY / 1000)).astype(np.int64) * 1000
    else:
        factor = _MICROSECONDS.get(unit, 1)
        divisor = 1000 if unit == "ns" else 1
        readable &= np.abs(as_floats) <= min(3e17 / factor * divisor, 9.2e18)  # the range of int64
        if values.dtype.kind in "iu":
            result = np.where(readable, values, 0).astype(np.int64) * factor // divisor
        else:
            result = np.round(np.where(readable, as_floats, 0) * factor / divisor).astype(np.int64)
    readable &= (result >= EARLIEST) & (result <= LATEST)
    return np.where(readable, result, 0), readable


def _calendar_years(years: Ints) -> tuple[Ints, Bools]:
    valid = (years >= 1) & (years <= 9999)
    moments = (np.where(valid, years, 1970) - 1970).astype("datetime64[Y]")
    return moments.astype("datetime64[us]").astype(np.int64), valid


def _calendar(digits: Ints) -> tuple[Ints, Bools]:
    """Read yyyymmdd: microseconds since 1970, and which are real dates."""
    years, months, days = digits // 10_000, digits // 100 % 100, digits % 100
    valid = (years >= 1) & (years <= 9999) & (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    first = ((np.where(valid, years, 1970) - 1970) * 12 + np.where(valid, months, 1) - 1).astype("datetime64[M]")
    dates = first.astype("datetime64[D]") + np.where(valid, days - 1, 0).astype("timedelta64[D]")
    valid &= dates.astype("datetime64[M]") == first  # otherwise the day is beyond the end of its month
    return dates.astype("datetime64[us]").astype(np.int64), valid


def _calendar_seconds(digits: Ints) -> tuple[Ints, Bools]:
    """Read yyyymmddhhmmss: microseconds since 1970, and which are valid times."""
    midnight, valid = _calendar(digits // 1_000_000)
    hours, minutes, seconds = digits // 10_000 % 100, digits // 100 % 100, digits % 100
    valid = valid & (hours < 24) & (minutes < 60) & (seconds < 60)
    return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000_000, valid


def _show(number: float) -> str:
    return f"{number:.0f}" if number == np.floor(number) else f"{number:g}"
