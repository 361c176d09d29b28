"""Strings as times: ISO 8601 through Arrow, and other date formats one by one.

The meaning of a string depends only on the string itself, with two exceptions that the caller decides for a whole
column: a plain number (see `time_numbers`), and whether 05/04/2003 is in April or in May.
"""

from __future__ import annotations

import datetime
import email.utils
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Ints
from driftline.readers.month_names import month_number

UNREADABLE, NAIVE, ABSOLUTE, NUMBER, UNDECIDED = range(5)
"""Kinds of results: no time, a local time, a time in UTC, a plain number, a date whose day and month may be swapped."""

_ISO_NAIVE = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$"
_ISO_ZONED = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)? ?(Z|UTC|GMT|[+-]\d\d(:?\d\d)?)$"
_NUMBER = r"^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$"
_CLOCK = r"(?:[T ,@]+(\d{1,2})[:.h](\d\d)(?:[:.](\d\d)(?:[.,](\d+))?)?\s*(?:([AaPp])\.?[Mm]\.?)?)?"
_DAY_MONTH_YEAR = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|(?<=[/.])\d\d)" + _CLOCK, re.ASCII)
_YEAR_MONTH_DAY = re.compile(r"(\d{4})([/.-])(\d{1,2})\2(\d{1,2})" + _CLOCK, re.ASCII)
_EAST_ASIAN = re.compile(r"([0-9]{4})\s*[年년]\s*([0-9]{1,2})\s*[月월]\s*([0-9]{1,2})\s*[日일]")
_YEAR_MONTH = re.compile(r"(\d{4})[-/.](\d{1,2})", re.ASCII)
_WORD = r"[^\W\d_]"
_NAMED_MONTH = re.compile(
    rf"(?:{_WORD}{{2,13}}\.?,?\s+)??"
    rf"(?:(?P<d1>[0-9]{{1,2}})(?:st|nd|rd|th|er|\.|º)?(?:\s+(?:de\s+)?|(?P<dash>[-/]))(?P<m1>{_WORD}{{3,10}})\.?|"
    rf"(?P<m2>{_WORD}{{3,10}})\.?\s+(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?),?"
    rf"(?:\s+(?:del?\s+)?(?P<y>[0-9]{{4}})|(?(dash)(?P=dash)(?P<short>[0-9]{{4}}|[0-9]{{2}})|(?!)))" + _CLOCK
)
_MONTH_AND_YEAR = re.compile(rf"({_WORD}{{3,10}})\.?,?(?:\s+(?:del?\s+)?|-)([0-9]{{4}})")
_RFC_2822 = re.compile(
    r"(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s+([+-])(\d\d)(\d\d)"
    r"(?:\s+\([^()]*\))?",
    re.ASCII,
)
_EPOCH = datetime.datetime(1970, 1, 1)
_ONE = datetime.timedelta(microseconds=1)
_MANY_DAYS = 13
"""Number of different last numbers from which dates may begin with the year in two digits."""
_LONGEST = 100
"""Longest string, in characters, that is tried as a time."""


class ReadStrings(NamedTuple):
    """For every string its kind and, if it is a time, microseconds since 1970."""

    microseconds: Ints
    kinds: np.ndarray


def read_strings(strings: pa.Array, dayfirst: bool | None) -> ReadStrings:
    """Read strings without nulls; equal strings are read once.

    >>> moments, kinds = read_strings(pa.array(["2003-04-05", "5 Apr 2003 02:00:00 +0200", "2003", "soon"]), None)
    >>> moments.astype("datetime64[us]")[:2], kinds
    (array(['2003-04-05T00:00:00.000000', '2003-04-05T00:00:00.000000'], dtype='datetime64[us]'), array([1, 2, 3, 0]...
    """
    for zone, kind in ((None, NAIVE), ("UTC", ABSOLUTE)):
        # Most columns are entirely ISO 8601, and a single cast reads them. A failing cast is slow, so the first string
        # decides whether to try it.
        moments = _cast(strings, zone) if _cast(strings[:1], zone) is not None else None
        if moments is not None:
            return ReadStrings(moments, np.full(len(strings), kind, np.int8))
    strings = pc.utf8_trim_whitespace(strings)
    moments = np.zeros(len(strings), np.int64)
    kinds = np.full(len(strings), UNREADABLE, np.int8)
    rest = np.ones(len(strings), bool)
    for pattern, zone, kind in ((_ISO_NAIVE, None, NAIVE), (_ISO_ZONED, "UTC", ABSOLUTE)):
        mask = pc.match_substring_regex(strings, pattern).to_numpy(zero_copy_only=False)
        if mask.any():
            moments[mask], readable = _cast_each(_regular(strings.filter(pa.array(mask))), zone)
            kinds[mask] = np.where(readable, kind, UNREADABLE)
            rest &= ~mask
    number = pc.match_substring_regex(strings, _NUMBER).to_numpy(zero_copy_only=False)
    kinds[number] = NUMBER
    rest &= ~number
    if rest.any():
        encoded = strings.filter(pa.array(rest)).dictionary_encode()
        read = np.array([read_string(text, dayfirst) for text in encoded.dictionary.to_pylist()], np.int64)
        moments[rest], kinds[rest] = read[encoded.indices.to_numpy()].T
    return ReadStrings(moments, kinds)


def read_string(text: str, dayfirst: bool | None = None) -> tuple[int, int]:
    """Read one string, of any kind but a plain number: microseconds since 1970, and their kind.

    >>> read_string("Wed Aug 27 13:08:45 +0000 2008"), read_string("05/04/2003"), read_string("05/04/2003", True)
    ((1219842525000000, 2), (0, 4), (1049500800000000, 1))
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return 0, UNREADABLE
    try:
        return _read(text, dayfirst)
    except (ValueError, OverflowError, TypeError, IndexError):
        # email.utils raises the last two on some malformed dates; callers need not distinguish them.
        return 0, UNREADABLE


def day_month_order(strings: pa.Array) -> tuple[list[str], list[str]]:
    """Return the strings that can only be read with the day first, and those only with the month first.

    >>> day_month_order(pa.array(["05/04/2003", "17/04/2003", "soon"]))
    (['17/04/2003'], [])
    """
    day_first, month_first = [], []
    for text in strings.unique().to_pylist():
        match = _DAY_MONTH_YEAR.fullmatch(text.strip()) if len(text) <= _LONGEST else None
        if match and match[2] != ".":
            first, second = int(match[1]), int(match[3])
            if 12 < first <= 31 and 1 <= second <= 12:
                day_first.append(text)
            elif 12 < second <= 31 and 1 <= first <= 12:
                month_first.append(text)
    return day_first, month_first


def seems_year_first(strings: pa.Array) -> bool:
    """Return whether dates of two-digit numbers seem to begin with the year: the last numbers vary like days.

    >>> seems_year_first(pa.array([f"17/{month:02}/{day:02}" for month in (4, 5) for day in range(1, 31)]))
    True
    >>> seems_year_first(pa.array([f"{day:02}/{month:02}/17" for month in (4, 5) for day in range(1, 31)]))
    False
    """
    matches = [
        _DAY_MONTH_YEAR.fullmatch(text.strip()) for text in strings.unique().to_pylist() if len(text) <= _LONGEST
    ]
    short = [(int(match[1]), int(match[4])) for match in matches if match and len(match[4]) == 2]
    first, last = {pair[0] for pair in short}, {pair[1] for pair in short}
    return len(last) >= _MANY_DAYS and len(first) < len(last) / 2 and min(last) >= 1 and max(last) <= 31


def _cast(strings: pa.Array, zone: str | None) -> Ints | None:
    try:
        found: Ints | None = strings.cast(pa.timestamp("us", tz=zone)).cast(pa.int64()).to_numpy()
        return found
    except pa.ArrowInvalid:
        return None


def _cast_each(strings: pa.Array, zone: str | None) -> tuple[Ints, np.ndarray]:
    """Cast as many as possible: halve the input if the cast fails, so that a few bad strings cost little."""
    moments = _cast(strings, zone)
    if moments is not None:
        return moments, np.ones(len(strings), bool)
    if len(strings) == 1:
        return np.zeros(1, np.int64), np.zeros(1, bool)
    half = len(strings) // 2
    parts = [_cast_each(strings[:half], zone), _cast_each(strings[half:], zone)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _regular(strings: pa.Array) -> pa.Array:
    """Convert formats that Arrow's cast does not accept: long fractions, spaces and zone names."""
    strings = pc.replace_substring_regex(strings, r"(\.\d{6})\d+", r"\1")
    return pc.replace_substring_regex(
        pc.replace_substring_regex(strings, r" ?(?:UTC|GMT)$", "Z"), r" (Z|[+-]\d\d(?::?\d\d)?)$", r"\1"
    )


def _read(text: str, dayfirst: bool | None) -> tuple[int, int]:
    text = _EAST_ASIAN.sub(r"\1-\2-\3", text)
    if match := _RFC_2822.fullmatch(text):
        day, month, year, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
        offset = (int(zone_hours) * 60 + int(zone_minutes)) * (-1 if sign == "-" else 1)
        # A datetime cannot represent a leap second, which is read as the second before it.
        moment = datetime.datetime(
            int(year), month_number(month), int(day), int(hour), int(minute), min(int(second or 0), 59)
        ) - datetime.timedelta(minutes=offset)
        return _since_1970(moment), ABSOLUTE
    if match := _DAY_MONTH_YEAR.fullmatch(text):
        first, second_number = int(match[1]), int(match[3])
        if match[2] == ".":
            dayfirst = True  # dates with dots are written in countries that put the day first
        if dayfirst is None:
            return 0, UNDECIDED if 1 <= first <= 31 and 1 <= second_number <= 31 else UNREADABLE
        day, month = (first, second_number) if dayfirst else (second_number, first)
        return _on_clock(_year(match[4]), month, day, match.groups()[4:]), NAIVE
    if match := _YEAR_MONTH_DAY.fullmatch(text):
        return _on_clock(int(match[1]), int(match[3]), int(match[4]), match.groups()[4:]), NAIVE
    if match := _YEAR_MONTH.fullmatch(text):
        return _on_clock(int(match[1]), int(match[2]), 1, ()), NAIVE
    if match := _NAMED_MONTH.fullmatch(text):
        month = month_number(match["m1"] or match["m2"])
        year = _year(match["y"] or match["short"])
        return _on_clock(year, month, int(match["d1"] or match["d2"]), match.groups()[-5:]), NAIVE
    if match := _MONTH_AND_YEAR.fullmatch(text):
        return _on_clock(int(match[2]), month_number(match[1]), 1, ()), NAIVE
    try:
        return _moment(datetime.datetime.fromisoformat(re.sub(r"\s*(UTC|GMT)$", "Z", text)))
    except ValueError:
        return _moment(email.utils.parsedate_to_datetime(text))


def _year(digits: str) -> int:
    """Return a year; two digits mean the latest such year that is not in the future, since documents exist already."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return 2000 + year - (100 if 2000 + year > datetime.datetime.now(datetime.UTC).year else 0)


def _on_clock(year: int, month: int, day: int, clock: tuple[str | None, ...]) -> int:
    hour, minute, second, fraction, half = clock or (None,) * 5
    hours = int(hour or 0)
    if half:
        if not 1 <= hours <= 12:
            raise ValueError(f"{hours} is not an hour of a 12-hour clock")
        hours = hours % 12 + (12 if half in "pP" else 0)
    microsecond = int(((fraction or "") + "000000")[:6])
    return _since_1970(datetime.datetime(year, month, day, hours, int(minute or 0), int(second or 0), microsecond))


def _moment(moment: datetime.datetime) -> tuple[int, int]:
    if moment.tzinfo is None:
        return _since_1970(moment), NAIVE
    return _since_1970(moment.replace(tzinfo=None) - (moment.utcoffset() or datetime.timedelta())), ABSOLUTE


def _since_1970(moment: datetime.datetime) -> int:
    return (moment - _EPOCH) // _ONE
