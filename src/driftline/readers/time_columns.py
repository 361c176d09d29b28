"""Times spread over several columns: a date and a time of day, or year, month and day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.errors import InvalidInput
from driftline.readers.cell_values import to_strings
from driftline.readers.clocks import holds_clocks, read_clocks
from driftline.readers.column_names import plain_name
from driftline.readers.month_names import month_number
from driftline.readers.records import Columns, Records, Values
from driftline.readers.timestamps import TimeReader, Times

YEAR_NAMES = "year yr yyyy jahr année annee año ano anno jaar"
MONTH_NAMES = "month mon mm monat mois mes mese maand"
DAY_NAMES = "day dd dayofmonth mday tag jour día dia giorno dag"
HOUR_NAMES = "hour hr hh stunde heure hora ora uur"

_OF_DATES = re.compile(r"datum|date|data|fecha|tag|day|jour|dia|giorno")
_OF_CLOCKS = re.compile(r"timeofday|time|uhrzeit|zeit|heure|hora|clock|tijd|godzina|tid|ora")
"""Words in the names of columns with dates and with times of day."""
_BEGINNINGS = {"", "start", "begin", "event", "local", "utc", "gmt"}
"""Remainders of the name of a time of day, without that word, that the name of its date need not have as well."""

_MOST_PARTS = 3
_YEAR, _DAY = r"^\d{4}$", r"^\d{1,2}$"


class TimeColumns(NamedTuple):
    """The column of the date, or of the year with those of the month and the day, and that of the time of day."""

    time: str
    parts: tuple[str, ...] = ()
    clock: str | None = None

    def names(self) -> tuple[str, ...]:
        """Return every column."""
        return (self.time, *self.parts, *([self.clock] if self.clock is not None else []))


def calendar_columns(sample: Mapping[str, Sequence[object]]) -> TimeColumns | None:
    """Return columns named year and month, and perhaps day, if they contain such values; otherwise None.

    >>> calendar_columns({"Year": ["2003"], "MONTH": [4], "day": [5.0], "hour": [9]})
    TimeColumns(time='Year', parts=('MONTH', 'day'), clock='hour')
    >>> calendar_columns({"year": ["2003"], "month": ["income"]}) is None
    True
    """
    found = [_named_with(sample, names) for names in (YEAR_NAMES, MONTH_NAMES, DAY_NAMES)]
    year, month, day = found
    if year is None or month is None or not _all_match(sample[year], _YEAR):
        return None
    if not all(_month(text) for text in _present(sample[month])):
        return None
    if day is not None and not _all_match(sample[day], _DAY):
        day = None
    time = TimeColumns(year, (month,) if day is None else (month, day))
    return time if day is None else time._replace(clock=_clock_column(sample, time))


def with_clock(time: str, sample: Mapping[str, Sequence[object]], times: TimeReader) -> TimeColumns:
    """Return a column of times with the column of the times of day, if it has only dates and there is one such column.

    >>> with_clock("date", {"date": ["5.4.2003"], "Uhrzeit": ["10:11"], "end_time": ["11:00"]}, TimeReader())
    TimeColumns(time='date', parts=(), clock='Uhrzeit')
    """
    alone = TimeColumns(time)
    return alone._replace(clock=_clock_column(sample, alone)) if times.are_dates_alone(sample[time]) else alone


def chosen_time_columns(names: Sequence[str], sample: Mapping[str, Sequence[object]]) -> TimeColumns:
    """Return the columns that the user named: a date or year, month and day in this order, and perhaps a time of day.

    >>> chosen_time_columns(["y", "m", "d", "t"], {"y": [2003], "m": [4], "d": [5], "t": ["10:11"]})
    TimeColumns(time='y', parts=('m', 'd'), clock='t')
    """
    last = names[-1]
    is_clock = len(names) > 1 and (plain_name(last) in HOUR_NAMES.split() or holds_clocks(sample[last]))
    time, *parts = names[:-1] if is_clock else names
    if len(set(names)) < len(names) or len(parts) >= _MOST_PARTS:
        raise InvalidInput(
            f"time={list(names)!r} must name one column, or a date and a time of day, or the year, the month and the "
            f"day, with or without a time of day"
        )
    return TimeColumns(time, tuple(parts), last if is_clock else None)


def read_times(records: Records, columns: Columns, times: TimeReader) -> Times | None:
    """Return the times of records, from one or several columns; None as `TimeReader.read`."""
    values = records.values[columns.time]
    if columns.time_parts:
        values = _dates(values, *(records.values[part] for part in columns.time_parts))
    clocks = None if columns.clock is None else read_clocks(records.values[columns.clock])
    return times.read(values, clocks)


def time_as_written(records: Records, columns: Columns, row: int) -> object:
    """Return the value of the time of a record, those of several columns joined."""
    values = [records.values[name][row] for name in columns.time_names()]
    if len(values) == 1:
        return values[0]
    texts = [to_strings([_plain(value)]).values[0].as_py() for value in values]
    return " ".join(filter(None, texts))


def _plain(value: object) -> object:
    return value.as_py() if isinstance(value, pa.Scalar) else value


def _dates(years: Values, months: Values, days: Values | None = None) -> pa.Array:
    """Return dates in ISO 8601; null where a part is missing, an invalid date where one is not a year, month or day."""
    parts = [_digits(years, _YEAR), _month_digits(months)]
    if days is not None:
        parts.append(_digits(days, _DAY))
    return pc.binary_join_element_wise(*parts, "-")


def _digits(values: Values, pattern: str) -> pa.Array:
    texts = _texts(values)
    return pc.if_else(pc.match_substring_regex(texts, pattern), pc.utf8_lpad(texts, 2, "0"), "?")


def _month_digits(values: Values) -> pa.Array:
    encoded = _texts(values).dictionary_encode()
    numbers = [f"{number:02}" if (number := _month(text)) else "?" for text in encoded.dictionary.to_pylist()]
    return pa.array(numbers, pa.string()).take(encoded.indices)


def _texts(values: Values) -> pa.Array:
    """Return trimmed strings, null where a value is missing or blank."""
    texts = pc.utf8_trim_whitespace(to_strings(values).values.cast(pa.string()))
    return pc.if_else(pc.equal(pc.binary_length(texts), 0), None, texts)


def _month(text: str) -> int:
    """Return the number of a month from its number or name, 0 if it is none."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 2 and 1 <= int(text) <= 12 else 0
    try:
        return month_number(text.rstrip("."))
    except ValueError:
        return 0


def _clock_column(sample: Mapping[str, Sequence[object]], time: TimeColumns) -> str | None:
    """Return the only column with times of day by its name and values; with year, month and day also one with hours."""
    rest = [name for name in sample if name not in time.names()]
    found = [name for name in rest if _is_clock_name(name, time.time) and holds_clocks(sample[name])]
    if not found and time.parts:
        found = [name for name in rest if plain_name(name) in HOUR_NAMES.split() and _are_hours(sample[name])]
    return found[0] if len(found) == 1 else None


def _is_clock_name(name: str, date: str) -> bool:
    """Return whether a name is that of the time of day of a date, such as `sent_time` beside `sent_date`.

    >>> [_is_clock_name(name, "Date Sent") for name in ("time", "Time sent", "start_time", "running_time", "sent")]
    [True, True, True, False, False]
    """
    rest, found = _OF_CLOCKS.subn("", plain_name(name), count=1)
    return bool(found) and (rest in _BEGINNINGS or rest == _OF_DATES.sub("", plain_name(date), count=1))


def _are_hours(values: Sequence[object]) -> bool:
    return _all_match(values, _DAY) and all(int(text) < 24 for text in _present(values))


def _named_with(sample: Mapping[str, Sequence[object]], names: str) -> str | None:
    found = [name for name in sample if plain_name(name) in names.split()]
    return found[0] if len(found) == 1 else None


def _present(values: Sequence[object]) -> list[str]:
    return [text for text in _texts(list(values)).to_pylist() if text is not None]


def _all_match(values: Sequence[object], pattern: str) -> bool:
    texts = _present(values)
    return bool(texts) and all(re.match(pattern, text, re.ASCII) for text in texts)
