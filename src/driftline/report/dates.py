"""Dates as a reader likes them, from the ISO strings of the findings."""

from __future__ import annotations

import numpy as np

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def moment(iso: str) -> np.datetime64:
    """Return an ISO 8601 time in UTC as a datetime64.

    >>> moment("2003-03-20T05:34:00Z")
    np.datetime64('2003-03-20T05:34:00')
    """
    return np.datetime64(iso.removesuffix("Z").removesuffix("+00:00"), "s")


def moments(isos: list[str]) -> np.ndarray:
    """Return many times as datetime64."""
    return np.array([moment(iso) for iso in isos], dtype="datetime64[s]")


def day(iso: str) -> str:
    """Return a date in words.

    >>> day("2003-03-20T05:34:00Z")
    '20 March 2003'
    """
    year, month, number = _parts(iso)
    return f"{number} {_MONTHS[month - 1]} {year}"


def short_day(iso: str) -> str:
    """Return a date in a few characters.

    >>> short_day("2003-03-20T05:34:00Z")
    '20 Mar 2003'
    """
    year, month, number = _parts(iso)
    return f"{number} {_MONTHS[month - 1][:3]} {year}"


def clock(iso: str) -> str:
    """Return a date with the time of day; midnight to the second means that only the date was known.

    >>> clock("2003-03-20T05:34:00Z"), clock("2003-03-20T00:00:00Z")
    ('20 Mar 2003, 05:34', '20 Mar 2003')
    """
    time = str(moment(iso))[-8:]
    return short_day(iso) if time == "00:00:00" else f"{short_day(iso)}, {time[:-3]}"


def span(first: str, last: str, *, short: bool = False) -> str:
    """Return two dates as a stretch of time; what they share is said once.

    >>> span("2003-03-20T05:00:00Z", "2003-04-02T00:00:00Z")
    '20 March – 2 April 2003'
    >>> span("2003-03-01T00:00:00Z", "2003-03-31T00:00:00Z", short=True)
    '1–31 Mar 2003'
    """
    (year, month, number), (last_year, last_month, last_number) = _parts(first), _parts(last)
    end = short_day(last) if short else day(last)
    if (year, month, number) == (last_year, last_month, last_number):
        return end
    name = _MONTHS[month - 1][: 3 if short else None]
    if (year, month) == (last_year, last_month):
        return f"{number}–{end}"
    if year == last_year:
        return f"{number} {name} – {end}"
    return f"{number} {name} {year} – {end}"


def between(first: str, last: str) -> str:
    """Return two dates as a stretch of time inside a sentence.

    >>> between("2003-03-20T05:00:00Z", "2003-04-02T00:00:00Z")
    'between 20 March and 2 April 2003'
    >>> between("2003-03-20T05:00:00Z", "2003-03-20T09:00:00Z")
    'on 20 March 2003'
    """
    whole = span(first, last)
    if "–" not in whole:
        return f"on {whole}"
    return "between " + (whole.replace(" – ", " and ") if " – " in whole else whole.replace("–", " and "))


def period(start: str, end: str) -> str:
    """Return the name of a period that ends just before `end`: a month or a year by its name, else its dates.

    >>> period("2003-03-01T00:00:00Z", "2003-04-01T00:00:00Z")
    'March 2003'
    >>> period("2003-03-01T00:00:00Z", "2003-03-08T00:00:00Z")
    '1–7 Mar 2003'
    """
    first, after = moment(start), moment(end)
    year, month, _ = _parts(start)
    if first == first.astype("datetime64[Y]") and after == first.astype("datetime64[Y]") + 1:
        return str(year)
    if first == first.astype("datetime64[M]") and after == first.astype("datetime64[M]") + 1:
        return f"{_MONTHS[month - 1]} {year}"
    if after - first < np.timedelta64(1, "D"):
        return f"{short_day(start)}, {str(first)[-8:-3]}–{str(after)[-8:-3]}"
    last = str(after - np.timedelta64(1, "s")) if after > first else start
    return span(start, last, short=True)


def _parts(iso: str) -> tuple[int, int, int]:
    date = moment(iso).astype("datetime64[D]")
    month = date.astype("datetime64[M]")
    year = int(date.astype("datetime64[Y]").astype(np.int64)) + 1970
    return year, int(month.astype(np.int64)) % 12 + 1, int((date - month).astype(np.int64)) + 1
