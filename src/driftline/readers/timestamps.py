"""Times of any supported form, as microseconds since 1970 in UTC."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.clocks import Clocks
from driftline.readers.records import Values
from driftline.readers.time_numbers import DAY, EARLIEST, LATEST, TIME_UNITS, guess_unit, to_microseconds
from driftline.readers.time_strings import (
    ABSOLUTE,
    NAIVE,
    NUMBER,
    UNDECIDED,
    day_month_order,
    read_strings,
    seems_year_first,
)

_DECISIVE_RATIO = 20


class Times(NamedTuple):
    """For every record its time, whether it could be read, and whether it was present."""

    microseconds: Ints
    readable: Bools
    missing: Bools


class _Unzoned(NamedTuple):
    """For every value its time, whether it could be read, and whether it is local time."""

    microseconds: Ints
    readable: Bools
    local: Bools


class TimeReader:
    """Reads the times of one source; the first values determine the unit and the order of day and month for all.

    It supports Arrow timestamps and dates; ISO 8601 with and without a zone, year and month, bare years; RFC 2822; days
    and months as numbers or English names; numbers since 1970 in seconds to nanoseconds (`time_numbers.guess_unit`). A
    time without a zone is in `timezone`, by default UTC. In the repeated hour of a clock change, the earlier time is
    used.

    >>> reader = TimeReader()
    >>> reader.read(pa.array(["17/04/2003", "05/04/2003", "", "soon"])).microseconds[:2].astype("datetime64[us]")
    array(['2003-04-17T00:00:00.000000', '2003-04-05T00:00:00.000000'], dtype='datetime64[us]')
    >>> TimeReader(timezone="Europe/Berlin").read(["2003-07-01 12:00"]).microseconds.astype("datetime64[us]")
    array(['2003-07-01T10:00:00.000000'], dtype='datetime64[us]')
    """

    def __init__(
        self, *, time_unit: str | None = None, dayfirst: bool | None = None, timezone: str | None = None
    ) -> None:
        if time_unit is not None and time_unit not in TIME_UNITS:
            raise InvalidInput(f"time_unit must be one of {', '.join(TIME_UNITS)}, not {time_unit!r}")
        if dayfirst not in (None, True, False):
            raise InvalidInput(f"dayfirst must be True, False or None, not {dayfirst!r}")
        self._unit = time_unit
        self._unit_guessed = time_unit is None
        self._dayfirst = dayfirst
        self._undecided_example = ""
        self._timezone = timezone
        _localise(np.zeros(1, np.int64), timezone)

    def scout(self) -> TimeReader:
        """Return a reader with the same settings, to test values without learning from them."""
        unit = None if self._unit_guessed else self._unit
        return TimeReader(time_unit=unit, dayfirst=self._dayfirst, timezone=self._timezone)

    def are_dates_alone(self, values: Values) -> bool:
        """Return whether values are dates without a time of day."""
        unit = None if self._unit_guessed else self._unit
        reader = TimeReader(time_unit=unit, dayfirst=self._dayfirst is not False)
        try:
            read = reader.read(values)
        except AmbiguousInput:
            return False
        return read is not None and bool(read.readable.any()) and not (read.microseconds % DAY).any()

    def new_column(self) -> None:
        """Forget the guessed unit: the next numbers are from another column or file."""
        if self._unit_guessed:
            self._unit = None

    def read(self, values: Values, clocks: Clocks | None = None) -> Times | None:
        """Read an Arrow array or a list of Python values; None if day and month cannot be distinguished yet.

        After None, keep the values, pass the next ones to the reader, and read them again once that succeeds; if there
        are no more, raise the error from `ambiguity`. `clocks` are the times of day from another column; a date with
        an unreadable one is unreadable.
        """
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        if isinstance(values, pa.Array) and pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        found = self._read_array(values) if isinstance(values, pa.Array) else self._read_objects(list(values))
        if found is None:
            return None
        (moments, readable, local), missing = found
        if clocks is not None:
            moments, readable, local = moments + clocks.microseconds, readable & clocks.readable, local & clocks.local
        readable = readable & (moments >= EARLIEST) & (moments <= LATEST)
        local = local & readable
        if self._timezone is not None and local.any():
            moments = np.where(local, _localise(np.where(local, moments, 0), self._timezone), moments)
            readable = readable & (moments >= EARLIEST) & (moments <= LATEST)
        return Times(np.where(readable, moments, 0), readable, missing)

    def _read_array(self, values: pa.Array) -> tuple[_Unzoned, Bools] | None:
        """Return the times that were read, and a mask of the missing values."""
        try:
            values.validate(full=True)
        except pa.ArrowInvalid:
            # A damaged file may declare bytes as strings; those that are not strings are unreadable, and the rest is
            # read.
            return self._read_objects([_text_of(value) for value in values.cast(pa.large_binary()).to_pylist()])
        missing = values.is_null().to_numpy(zero_copy_only=False)
        present = values.drop_null() if missing.any() else values
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(present)), 0).to_numpy(zero_copy_only=False)
            if blank.any():
                missing = missing.copy()
                missing[~missing] = blank
                present = present.filter(pa.array(~blank))
            read = self._read_strings(present)
            if read is None:
                return None
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            numbers = present.cast(pa.float64()) if pa.types.is_decimal(kind) else present
            read = self._read_numbers(numbers.to_numpy(zero_copy_only=False), decisive=True)
        elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            read = self._read_moments(present)
        else:
            read = _nothing(len(present))
        return _spread(read, missing), missing

    def ambiguity(self) -> AmbiguousInput:
        """Return the error for dates whose day and month cannot be distinguished."""
        return AmbiguousInput(
            f"dates such as {self._undecided_example!r} may have the day or the month first, and no date "
            f"shows which; "
            f"pass dayfirst=True for day/month/year or dayfirst=False for month/day/year"
        )

    def _read_moments(self, moments: pa.Array) -> _Unzoned:
        if pa.types.is_date(moments.type):
            moments = moments.cast(pa.timestamp("ms"))
        unit, zone = moments.type.unit, moments.type.tz
        since_1970 = moments.cast(pa.int64()).to_numpy(zero_copy_only=False)
        read, readable = to_microseconds(since_1970, unit, guessed=False)
        return _Unzoned(read, readable, np.full(len(read), zone is None))

    def _read_numbers(self, numbers: np.ndarray, *, decisive: bool) -> _Unzoned:
        """Read numbers; an ambiguous unit is an error only if they are the whole column (`decisive`)."""
        if not len(numbers):
            return _nothing(0)
        unit = self._unit
        if unit is None:
            try:
                unit = self._unit = guess_unit(numbers)
            except AmbiguousInput:
                if decisive:
                    raise
                return _nothing(len(numbers))
        read, readable = to_microseconds(numbers, unit, guessed=self._unit_guessed)
        return _Unzoned(read, readable, np.full(len(numbers), unit.startswith(("y", "excel"))))

    def _read_strings(self, strings: pa.Array) -> _Unzoned | None:
        read = read_strings(strings, self._dayfirst)
        undecided = read.kinds == UNDECIDED
        if 2 * np.count_nonzero(undecided) > len(strings):  # a single number among other dates is merely unreadable
            self._decide_order(strings.filter(pa.array(undecided)))
            if self._dayfirst is None:
                return None
            read = read_strings(strings, self._dayfirst)
        moments, kinds = read
        local = kinds == NAIVE
        readable = local | (kinds == ABSOLUTE)
        number = kinds == NUMBER
        if number.any():
            decisive = 2 * int(np.count_nonzero(number)) > len(strings)
            texts = strings.filter(pa.array(number)).to_pylist()
            moments[number], readable[number], local[number] = self._read_numbers(_as_numbers(texts), decisive=decisive)
        return _Unzoned(moments, readable, local)

    def _decide_order(self, undecided: pa.Array) -> None:
        if seems_year_first(undecided):
            raise AmbiguousInput(
                f"dates such as {undecided[0].as_py()!r} seem to begin with a year of two digits; write the years with "
                f"four digits, or pass dayfirst=True or dayfirst=False if they do not"
            )
        day_first, month_first = day_month_order(undecided)
        if len(day_first) > _DECISIVE_RATIO * len(month_first):
            self._dayfirst = True
        elif len(month_first) > _DECISIVE_RATIO * len(day_first):
            self._dayfirst = False
        elif day_first and month_first:
            raise AmbiguousInput(
                f"some dates have the day first, such as {day_first[0]!r}, others the month, such as "
                f"{month_first[0]!r}; pass dayfirst=True or dayfirst=False; the other kind is then rejected"
            )
        else:
            self._undecided_example = undecided[0].as_py()

    def _read_objects(self, values: list[object]) -> tuple[_Unzoned, Bools] | None:
        """Read a list that may mix numbers, strings and dates."""
        missing = np.array([_is_missing(value) for value in values], bool)
        found = _nothing(len(values))
        kinds = [_kind_of(value) for value in values]
        for kind in ("number", "string", "moment"):
            rows = np.array([i for i, this in enumerate(kinds) if this == kind and not missing[i]], np.int64)
            chosen = [values[i] for i in rows]
            if kind == "number":
                read = self._read_numbers(_as_numbers(chosen), decisive=2 * len(chosen) > len(values))
            elif kind == "string":
                strings = [value if _is_storable(value) else "?" for value in chosen]
                read_or_none = self._read_strings(pa.array(strings, pa.string()))
                if read_or_none is None:
                    return None
                read = read_or_none
            else:
                since = [_since_1970(value) for value in chosen]
                moments = np.array([moment for moment, _ in since], np.int64)
                naive = np.array([is_naive for _, is_naive in since], bool)
                read = _Unzoned(moments, np.ones(len(rows), bool), naive)
            for whole, part in zip(found, read):
                whole[rows] = part
        return found, missing


def _localise(microseconds: Ints, timezone: str | None) -> Ints:
    """Return the times, in UTC, at which clocks in the time zone showed the given local times."""
    if timezone is None:
        return microseconds
    local = pa.array(microseconds, pa.timestamp("us"))
    try:
        moments = pc.assume_timezone(local, timezone, ambiguous="earliest", nonexistent="latest")
    except pa.ArrowInvalid as error:
        raise InvalidInput(
            f"timezone {timezone!r} is unknown; give a name such as 'Europe/Berlin' or an offset such as '+02:00'"
        ) from error
    found: Ints = moments.cast(pa.int64()).to_numpy()
    return found


def _nothing(n: int) -> _Unzoned:
    return _Unzoned(np.zeros(n, np.int64), np.zeros(n, bool), np.zeros(n, bool))


def _spread(read: _Unzoned, missing: Bools) -> _Unzoned:
    if not missing.any():
        return read
    found = _nothing(len(missing))
    for whole, part in zip(found, read):
        whole[~missing] = part
    return found


def _as_numbers(values: list[object]) -> np.ndarray:
    """Return numbers or their strings as exact integers if all are whole, otherwise as floats."""
    try:
        return np.array([int(value) if isinstance(value, str) else _whole(value) for value in values], np.int64)
    except (ValueError, OverflowError):
        return np.array([_float(value) for value in values], np.float64)


def _whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(f"{value} is not whole")
    return int(value)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _kind_of(value: object) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool | np.bool_):
        return ""
    if isinstance(value, int | float | np.integer | np.floating | decimal.Decimal):
        return "number"
    return "moment" if isinstance(value, datetime.date | np.datetime64) else ""


def _is_missing(value: object) -> bool:
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    # NaN and NaT are unequal to themselves; comparing pandas' NA raises an error.
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _text_of(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _since_1970(value: datetime.date | np.datetime64) -> tuple[int, bool]:
    """Return microseconds since 1970, and whether they are local time."""
    naive = not isinstance(value, datetime.datetime) or value.tzinfo is None
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return int(np.datetime64(value).astype("datetime64[us]").astype(np.int64)), naive
