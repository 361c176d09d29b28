import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.time_numbers import EARLIEST, LATEST, TIME_UNITS, guess_unit, is_typical, to_microseconds

NOT_GUESSED = ("d", "excel1904")
MOMENT = 1049537472_123456789  # 2003-04-05T10:11:12.123456789 in nanoseconds


@pytest.mark.parametrize(
    ("number", "unit"),
    [
        (MOMENT // 10**9, "s"),
        (MOMENT / 1e9, "s"),
        (-1049537472, "s"),
        (MOMENT // 10**6, "ms"),
        (MOMENT // 10**3, "us"),
        (MOMENT, "ns"),
        (2003, "year"),
        (1790.0, "year"),
        (20030405, "yyyymmdd"),
        (20030405101112, "yyyymmddhhmmss"),
    ],
)
def test_the_unit_is_recognised_by_the_size(number, unit):
    assert guess_unit([number]) == unit
    assert guess_unit([number, 0]) == unit  # a zero is uninformative
    assert [
        other for other in TIME_UNITS if other not in NOT_GUESSED and is_typical(np.array([float(number)]), other).all()
    ] == [unit]


@settings(max_examples=1000, deadline=None)
@given(st.floats(allow_nan=True) | st.integers(-(10**19), 10**19).map(float) | st.integers(0, 10**8).map(float))
def test_no_number_is_typical_of_two_units(number):
    assert sum(bool(is_typical(np.array([number]), unit)[0]) for unit in TIME_UNITS if unit not in NOT_GUESSED) <= 1


@pytest.mark.parametrize(
    "numbers",
    [[0], [1, 2, 3], [86400], [15000], [200304], [*range(3000, 50_001, 7)], [5e10], [float("nan")], [20031345], [3.5]],
)
def test_sizes_that_tell_nothing_are_ambiguous(numbers):
    with pytest.raises(AmbiguousInput, match="is not clear from their magnitude; give it with time_unit="):
        guess_unit(numbers)


def test_days_of_a_spreadsheet_are_recognised_if_nearly_all_numbers_are():
    assert guess_unit([37716, 37717.25, 45000]) == guess_unit([37716] * 19 + [0]) == "excel"
    with pytest.raises(AmbiguousInput):
        guess_unit([37716, 0])


@pytest.mark.parametrize("unit", ["excel", "excel1904"])
@given(moment=st.datetimes(datetime.datetime(1904, 1, 1), datetime.datetime(2199, 1, 1)))
def test_days_of_a_spreadsheet_against_the_calendar(unit, moment):
    moment = moment.replace(microsecond=0)
    start = datetime.datetime(1899, 12, 30) if unit == "excel" else datetime.datetime(1904, 1, 1)
    days = (moment - start) / datetime.timedelta(days=1)
    ((microseconds,), (readable,)) = to_microseconds([days], unit, guessed=False)
    assert readable
    assert datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(microseconds)) == moment


def test_several_sizes_are_ambiguous_but_a_stray_one_is_not():
    with pytest.raises(AmbiguousInput, match=r"several kinds: s \(1049537472\), ms \(1049537472123\); .*time_unit="):
        guess_unit([1049537472, 1049537472123])
    assert guess_unit([1049537472] * 20 + [1049537472123]) == "s"


@pytest.mark.parametrize(
    ("number", "unit", "expected"),
    [
        (1049537472, "s", "2003-04-05T10:11:12"),
        (1049537472.5, "s", "2003-04-05T10:11:12.5"),
        (1049537472123, "ms", "2003-04-05T10:11:12.123"),
        (1049537472123456, "us", "2003-04-05T10:11:12.123456"),
        (MOMENT, "ns", "2003-04-05T10:11:12.123456"),
        (12147, "d", "2003-04-05"),
        (2003, "year", "2003-01-01"),
        (1790, "year", "1790-01-01"),
        (20030405, "yyyymmdd", "2003-04-05"),
        (17900108, "yyyymmdd", "1790-01-08"),
        (20030405101112, "yyyymmddhhmmss", "2003-04-05T10:11:12"),
        (-5679590400, "s", "1790-01-08"),
        (37716.5, "excel", "2003-04-05T12:00:00"),
        (36254.5, "excel1904", "2003-04-05T12:00:00"),
    ],
)
def test_numbers_become_microseconds(number, unit, expected):
    read, readable = to_microseconds(np.array([number]), unit, guessed=False)
    assert readable.all()
    assert read.astype("datetime64[us]")[0] == np.datetime64(expected, "us")


@pytest.mark.parametrize(
    ("number", "unit"),
    [
        (20030230, "yyyymmdd"),
        (20031301, "yyyymmdd"),
        (20030400, "yyyymmdd"),
        (20030405246060, "yyyymmddhhmmss"),
        (0, "year"),
        (10000, "year"),
        (2003.5, "year"),
        (1e18, "s"),
        (float("inf"), "s"),
        (float("nan"), "ms"),
        (2**63 - 1, "s"),
        (-(10**17), "s"),
    ],
)
def test_what_is_no_time_is_not_read(number, unit):
    read, readable = to_microseconds(np.array([number]), unit, guessed=False)
    assert not readable.any()
    assert read.tolist() == [0]


def test_a_guessed_unit_does_not_read_what_is_clearly_another():
    numbers = np.array([1049537472, 1049537472123, 0])
    assert to_microseconds(numbers, "s", guessed=True)[1].tolist() == [True, False, True]
    assert to_microseconds(numbers, "ms", guessed=True)[1].tolist() == [False, True, True]
    assert to_microseconds(np.array([2003, 12]), "year", guessed=True)[1].tolist() == [True, False]
    assert to_microseconds(np.array([2003, 12]), "year", guessed=False)[1].tolist() == [True, True]


@settings(deadline=None)
@given(st.lists(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)), min_size=1))
def test_dates_as_digits_equal_pythons_calendar(moments):
    digits = np.array([int(f"{m.year:04}{m.month:02}{m.day:02}{m.hour:02}{m.minute:02}{m.second:02}") for m in moments])
    read, readable = to_microseconds(digits, "yyyymmddhhmmss", guessed=False)
    assert readable.all()
    assert read.astype("datetime64[us]").tolist() == [m.replace(microsecond=0) for m in moments]


def test_unsigned_and_extreme_integers_do_not_wrap():
    found = to_microseconds(np.array([2**64 - 1, 1049537472], np.uint64), "ns", guessed=False)
    assert found[1].tolist() == [False, True]
    for edge in (EARLIEST, LATEST):
        assert to_microseconds(np.array([edge]), "us", guessed=False)[1].all()
    assert not to_microseconds(np.array([EARLIEST - 1, LATEST + 1]), "us", guessed=False)[1].any()


def test_an_unknown_unit_is_an_error():
    with pytest.raises(InvalidInput, match="time_unit must be one of s, ms"):
        to_microseconds(np.array([1]), "weeks", guessed=False)
    with pytest.raises(InvalidInput, match="has no typical magnitude"):
        is_typical(np.array([1.0]), "d")
