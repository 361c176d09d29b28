"""Readable dates, from the ISO strings of the findings."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from driftline.core.date_precision import STEPS, given_precision
from driftline.core.times import days_between

_YEARS_ABOVE, _MONTHS_ABOVE, _MINUTES_BELOW = 30 * 365.25, 3 * 365.25, 4.0
_MONTHS_FROM = 62
_LENGTHS = {"s": "second", "min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@lru_cache(maxsize=4096)
def moment(iso: str) -> np.datetime64:
    """Return an ISO 8601 time in UTC as a datetime64.

    >>> moment("2003-03-20T05:34:00Z")
    np.datetime64('2003-03-20T05:34:00')
    """
    return np.datetime64(iso.removesuffix("Z").removesuffix("+00:00"), "s")


def moments(isos: list[str]) -> np.ndarray:
    """Return many times as datetime64."""
    return np.array([iso.removesuffix("Z").removesuffix("+00:00") for iso in isos], dtype="datetime64[s]")


def day(iso: str) -> str:
    """Return a date with the month in full.

    >>> day("2003-03-20T05:34:00Z")
    '20 March 2003'
    """
    return _dated(iso)


def short_day(iso: str) -> str:
    """Return a date with the month abbreviated.

    >>> short_day("2003-03-20T05:34:00Z")
    '20 Mar 2003'
    """
    return _dated(iso, 3)


def clock(iso: str) -> str:
    """Return a date with the time of day; exact midnight means that only the date was given.

    >>> clock("2003-03-20T05:34:00Z"), clock("2003-03-20T00:00:00Z")
    ('20 Mar 2003, 05:34', '20 Mar 2003')
    """
    time = _time_of_day(iso)
    return short_day(iso) if time == "00:00:00" else f"{short_day(iso)}, {time[:-3]}"


def span(first: str, last: str, *, short: bool = False) -> str:
    """Return two dates as an interval; common parts are written once.

    >>> span("2003-03-20T05:00:00Z", "2003-04-02T00:00:00Z")
    '20 March – 2 April 2003'
    >>> span("2003-03-01T00:00:00Z", "2003-03-31T00:00:00Z", short=True)
    '1–31 Mar 2003'
    """
    (year, month, number), (last_year, last_month, last_number) = _parts(first), _parts(last)
    end = short_day(last) if short else day(last)
    if given_precision() in ("year", "month"):
        start = short_day(first) if short else day(first)
        return end if start == end else f"{start}{'–' if given_precision() == 'year' else ' – '}{end}"
    if (year, month, number) == (last_year, last_month, last_number):
        return end
    name = _MONTHS[month - 1][: 3 if short else None]
    if (year, month) == (last_year, last_month):
        return f"{number}–{end}"
    if year == last_year:
        return f"{number} {name} – {end}"
    return f"{number} {name} {year} – {end}"


def between(first: str, last: str) -> str:
    """Return two dates as an interval within a sentence.

    >>> between("2003-03-20T05:00:00Z", "2003-04-02T00:00:00Z")
    'between 20 March and 2 April 2003'
    >>> between("2003-03-20T05:00:00Z", "2003-03-20T09:00:00Z")
    'on 20 March 2003'
    """
    whole = span(first, last)
    if "–" not in whole:
        return f"{'in' if given_precision() in ('year', 'month') else 'on'} {whole}"
    return "between " + (whole.replace(" – ", " and ") if " – " in whole else whole.replace("–", " and "))


def period(start: str, end: str, documents: tuple[str, str] | None = None) -> str:
    """Return the name of a period that ends just before `end`: months or years by name, otherwise its dates.

    Years, months or days before the first of the `documents` or after the last are not part of the name.

    >>> period("2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z")
    'March 2003'
    >>> documents = ("1998-07-01T05:00:00Z", "2022-07-01T05:00:00Z")
    >>> period("1995-01-01T00:00:00Z", "2000-01-01T00:00:00Z", documents)
    '1998–1999'
    >>> period("2020-01-01T00:00:00Z", "2025-01-01T00:00:00Z", documents)
    '2020–2022'
    >>> period("2003-11-01T00:00:00Z", "2004-02-01T00:00:00Z")
    'Nov 2003 – Jan 2004'
    >>> period("2003-03-01T00:00:00Z", "2003-03-08T00:00:00Z")
    '1–7 Mar 2003'
    """
    first, after = moment(start), moment(end)
    if after - first < np.timedelta64(1, "D"):
        return f"{short_day(start)}, {str(first)[-8:-3]}–{str(after)[-8:-3]}"
    last = str(after - np.timedelta64(1, "s"))
    begin = start
    if documents is not None and first <= moment(documents[0]) < after:
        begin = documents[0]
    if documents is not None and first <= moment(documents[1]) < after:
        last = documents[1]
    (year, month, _), (last_year, last_month, _) = _parts(begin), _parts(last)
    if first == first.astype("datetime64[Y]") and after == after.astype("datetime64[Y]"):
        return str(year) if year == last_year else f"{year}–{last_year}"
    if first == first.astype("datetime64[M]") and after == after.astype("datetime64[M]"):
        if (year, month) == (last_year, last_month):
            return f"{_MONTHS[month - 1]} {year}"
        end_month = f"{_MONTHS[last_month - 1][:3]} {last_year}"
        name = _MONTHS[month - 1][:3]
        return f"{name}–{end_month}" if year == last_year else f"{name} {year} – {end_month}"
    return span(begin, last, short=True)


class Resolution(NamedTuple):
    """Precision of dates: "year", "month", "day" or "minute", with or without the year."""

    step: Literal["year", "month", "day", "minute"]
    with_year: bool


def resolution(first: str, last: str) -> Resolution:
    """Return a suitable precision for the dates of a stream: days up to three years, months up to thirty.

    >>> resolution("2003-02-19T00:00:00Z", "2003-06-02T00:00:00Z")
    Resolution(step='day', with_year=False)
    >>> resolution("1790-01-08T00:00:00Z", "2024-03-07T00:00:00Z").step
    'year'
    """
    span_days = days_between(moment(first), moment(last))
    if span_days > _YEARS_ABOVE:
        return Resolution("year", True)
    if span_days > _MONTHS_ABOVE:
        return _as_given(Resolution("month", True))
    return _as_given(Resolution("minute" if span_days < _MINUTES_BELOW else "day", first[:4] != last[:4]))


def _as_given(to: Resolution) -> Resolution:
    """Return a precision that is at most that of the source."""
    given = given_precision()
    return to if STEPS.index(to.step) <= STEPS.index(given) else to._replace(step=given)  # type: ignore[arg-type]


def date_at(iso: str, to: Resolution) -> str:
    """Return a date at the given precision.

    >>> [date_at("2003-03-20T05:34:00Z", Resolution(step, True)) for step in ("year", "month", "day")]
    ['2003', 'March 2003', '20 March 2003']
    """
    year, month, number = _parts(iso)
    to = _as_given(to)
    if to.step == "year":
        return str(year)
    name = _MONTHS[month - 1] if to.step == "month" else f"{number} {_MONTHS[month - 1]}"
    dated = f"{name} {year}" if to.with_year else name
    return f"{dated}, {_time_of_day(iso)[:-3]}" if to.step == "minute" else dated


def span_at(first: str, last: str, to: Resolution) -> str:
    """Return a short interval, always to the day, because events have dates.

    >>> span_at("2003-04-24T00:00:00Z", "2003-04-25T09:00:00Z", Resolution("day", False))
    '24–25 April'
    """
    to = _as_given(to)
    if to.step == "minute":
        start, end = date_at(first, to), date_at(last, to)
        return start if start == end else f"{start} to {end}"
    whole = span(first, last)
    return whole if to.with_year or to.step == "year" else whole.removesuffix(f" {_parts(last)[0]}")


def ends_at(first: str, last: str, to: Resolution) -> tuple[str, str]:
    """Return the two ends of an interval at the given precision; common parts are written once, at the end.

    >>> ends_at("2003-03-20T05:34:00Z", "2003-03-20T06:10:00Z", Resolution("minute", True))
    ('05:34', '06:10 on 20 March 2003')
    >>> ends_at("2003-03-20T05:34:00Z", "2003-03-24T00:00:00Z", Resolution("day", True))
    ('20', '24 March 2003')
    """
    to = _as_given(to)
    start, end = date_at(first, to), date_at(last, to)
    without_year = to._replace(with_year=False)
    if to.step == "minute" and _parts(first) == _parts(last):
        date = date_at(last, to._replace(step="day"))
        return _time_of_day(first)[:-3], f"{_time_of_day(last)[:-3]} on {date}"
    if to.step == "year" or start == end or _parts(first)[0] != _parts(last)[0]:
        return start, end
    if to.step == "day" and _parts(first)[:2] == _parts(last)[:2]:
        return str(_parts(first)[2]), end
    return date_at(first, without_year), end


def short_span_at(first: str, last: str, to: Resolution) -> str:
    """Return an interval for a table: to the minute, in months if it is longer than two of them, otherwise in days.

    >>> short_span_at("2003-03-20T05:00:00Z", "2003-03-20T09:30:00Z", Resolution("minute", False))
    '20 Mar 2003, 05:00–09:30'
    >>> short_span_at("1990-03-20T05:00:00Z", "2003-04-02T00:00:00Z", Resolution("month", True))
    'Mar 1990 – Apr 2003'
    >>> short_span_at("1990-03-20T05:00:00Z", "1990-03-24T00:00:00Z", Resolution("month", True))
    '20–24 Mar 1990'
    """
    to = _as_given(to)
    if to.step == "minute":
        start, end = clock(first), clock(last)
        same_day = short_day(first) == short_day(last)
        return start if start == end else f"{start}–{_time_of_day(last)[:-3]}" if same_day else f"{start} – {end}"
    is_exact = given_precision() in ("day", "minute")
    if is_exact and to.step in ("month", "year") and days_between(moment(first), moment(last)) > _MONTHS_FROM:
        return " – ".join(short_day(each).partition(" ")[2] for each in (first, last))
    return span(first, last, short=True)


def unit_name(kind: str) -> str:
    """Return the unit of exchange in words.

    >>> [unit_name(kind) for kind in ("day", "6h", "1h", "10min", "time")]
    ['day', '6-hour interval', 'hour', '10-minute interval', 'time']
    """
    if kind == "day" and given_precision() in ("year", "month"):
        return given_precision()
    if kind in ("day", "document", "group", "time"):
        return kind
    number = kind.rstrip("abcdefghijklmnopqrstuvwxyz")
    length = _LENGTHS.get(kind.removeprefix(number), kind.removeprefix(number))
    return length if number == "1" else f"{number}-{length} interval"


def _dated(iso: str, letters: int | None = None) -> str:
    """Return a date as exactly as the source gives it, with all or the first letters of the month."""
    year, month, number = _parts(iso)
    given = given_precision()
    if given == "year":
        return str(year)
    name = f"{_MONTHS[month - 1][:letters]} {year}"
    return name if given == "month" else f"{number} {name}"


def _parts(iso: str) -> tuple[int, int, int]:
    """Return year (which may be negative), month and day."""
    year, month, number = iso.partition("T")[0].rsplit("-", 2)
    return int(year), int(month), int(number)


def _time_of_day(iso: str) -> str:
    return iso.partition("T")[2][:8] or "00:00:00"
