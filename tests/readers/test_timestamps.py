import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.timestamps import TimeReader

UTC = datetime.UTC


def read(values, **options):
    """Return datetimes, None where missing, False where unreadable."""
    times = TimeReader(**options).read(values)
    moments = times.microseconds.astype("datetime64[us]").tolist()
    return [
        None if missing else (moment if readable else False)
        for moment, readable, missing in zip(moments, times.readable, times.missing, strict=True)
    ]


NOON = datetime.datetime(2003, 7, 1, 12)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([NOON], pa.timestamp("s")),
        pa.array([NOON], pa.timestamp("ns")),
        pa.array([NOON], pa.timestamp("us", "UTC")),
        pa.array([NOON], pa.timestamp("ms", "Europe/Berlin")),
        pa.array(["2003-07-01T12:00"]),
        pa.array(["2003-07-01T12:00"], pa.large_string()),
        pa.array(["2003-07-01T12:00"]).dictionary_encode(),
        pa.chunked_array([["2003-07-01T12:00"]]),
        pa.array([1057060800]),
        pa.array([1057060800.0]),
        pa.array(["1057060800"]),
        pa.array([decimal.Decimal("1057060800.000")]),
        ["2003-07-01T12:00"],
        [1057060800],
        [NOON],
        [NOON.replace(tzinfo=UTC)],
        [np.datetime64(NOON)],
        [pd.Timestamp(NOON)],
    ],
)
def test_every_kind_of_value_is_read(values):
    assert read(values) == [NOON]


def test_dates_of_arrow_and_python():
    expected = [datetime.datetime(1790, 1, 8), None]
    day = datetime.date(1790, 1, 8)
    assert read(pa.array([day, None], pa.date32())) == expected
    assert read(pa.array([day, None], pa.date64())) == expected
    assert read([day, None]) == expected


def test_what_is_missing_and_what_is_unreadable():
    assert read(pa.array(["2003", None, "", "  ", "soon"])) == [datetime.datetime(2003, 1, 1), None, None, None, False]
    assert read([None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT", "us"), "", " "]) == [None] * 7
    assert read([True, {}, ["2003"], "\ud800", "2003-01-01"]) == [False] * 4 + [datetime.datetime(2003, 1, 1)]
    assert read(pa.array([True, None])) == [False, None]
    assert read(pa.nulls(2)) == [None, None]
    assert read(pa.array([], pa.string())) == read([]) == read(pa.array([], pa.int64())) == []


def test_bytes_that_call_themselves_a_string_are_unreadable():
    assert read(pa.array([b"2003", b"\xff", None, b""]).view(pa.string())) == [
        datetime.datetime(2003, 1, 1),
        False,
        None,
        None,
    ]


def test_a_list_may_mix_kinds():
    assert read([NOON, "2003-07-01 12:00", 1057060800, None]) == [NOON] * 3 + [None]


def test_out_of_range_is_unreadable_not_an_error():
    assert read(pa.array([2**60], pa.timestamp("s"))) == [False]
    assert read(pa.array(["0000-01-01"])) == [False]
    assert read(["2003-07-01 12:00", "99999999999999999999999", 10**30]) == [NOON, False, False]


def test_a_stray_number_or_slash_among_dates_is_unreadable_not_ambiguous():
    assert read(pa.array(["2003-07-01 12:00"] * 3 + ["17", "05/04/2003"]))[3:] == [False, False]


def test_numbers_of_unknown_unit_are_ambiguous_unless_it_is_given():
    with pytest.raises(AmbiguousInput, match="time_unit="):
        read(pa.array([17, 18]))
    with pytest.raises(AmbiguousInput, match="time_unit="):
        read(pa.array(["17", "18"]))
    assert read(pa.array([1]), time_unit="d") == [datetime.datetime(1970, 1, 2)]
    assert read(pa.array(["86400"]), time_unit="s") == [datetime.datetime(1970, 1, 2)]


def test_the_unit_of_a_column_holds_until_the_next():
    reader = TimeReader()
    assert reader.read(pa.array([1057060800])).readable.all()
    assert reader.read(pa.array([0, 1057060800000])).readable.tolist() == [True, False]
    reader.new_column()
    assert reader.read(pa.array([1057060800000])).readable.all()
    fixed = TimeReader(time_unit="s")
    fixed.new_column()
    assert fixed.read(pa.array([17])).readable.all()


def test_years_months_and_dates_as_text():
    assert read(pa.array(["1790", "2003-04", "2003-04-05"]))[:2] == [
        datetime.datetime(1790, 1, 1),
        datetime.datetime(2003, 4, 1),
    ]
    assert read(pa.array(["20030405", "20030406"]))[0] == datetime.datetime(2003, 4, 5)


def test_one_date_tells_the_order_of_all():
    assert read(pa.array(["05/04/2003", "17/04/2003"]))[0] == datetime.datetime(2003, 4, 5)
    assert read(pa.array(["05/04/2003", "04/17/2003"]))[0] == datetime.datetime(2003, 5, 4)


def test_no_date_tells_the_order():
    reader = TimeReader()
    assert reader.read(pa.array(["05/04/2003"])) is None
    assert "'05/04/2003' may have the day or the month first" in str(reader.ambiguity())
    assert "dayfirst=True" in str(reader.ambiguity())
    assert reader.read(["17/04/2003"]) is not None
    assert reader.read(pa.array(["05/04/2003"])).readable.all()
    assert read(["05/04/2003"], dayfirst=True) == [datetime.datetime(2003, 4, 5)]
    assert read(["05/04/2003"], dayfirst=False) == [datetime.datetime(2003, 5, 4)]


def test_dates_of_both_orders_are_ambiguous_unless_one_is_stray():
    with pytest.raises(AmbiguousInput, match="some dates have the day first, such as '17/04/2003', others the month"):
        read(pa.array(["17/04/2003", "04/17/2003"]))
    many = [f"{day}/04/2003 {hour:02}:00" for day in range(13, 31) for hour in range(24)]
    assert read(pa.array([*many, "04/17/2003"]))[-1] is False


def test_a_time_without_zone_is_where_it_is_said_to_be():
    berlin = {"timezone": "Europe/Berlin"}
    ten = datetime.datetime(2003, 7, 1, 10)
    for values in (pa.array(["2003-07-01 12:00"]), pa.array([NOON]), [NOON], ["2003-07-01 12:00"]):
        assert read(values, **berlin) == [ten]
    assert read(pa.array(["2003-07-01T12:00Z"]), **berlin) == [NOON]
    assert read(pa.array([1057060800]), **berlin) == [NOON]
    assert read([NOON.replace(tzinfo=UTC)], **berlin) == [NOON]
    assert read(pa.array([20030701]), **berlin) == [datetime.datetime(2003, 6, 30, 22)]
    assert read(["2003-07-01 12:00"], timezone="+02:00") == [ten]


def test_hours_that_clocks_skip_or_repeat():
    texts = ["2003-03-30 02:30", "2003-10-26 02:30"]
    assert read(texts, timezone="Europe/Berlin") == [
        datetime.datetime(2003, 3, 30, 1),
        datetime.datetime(2003, 10, 26, 0, 30),
    ]


def test_wrong_options_are_errors_at_once():
    with pytest.raises(InvalidInput, match="timezone 'Mars/Olympus' is unknown"):
        TimeReader(timezone="Mars/Olympus")
    with pytest.raises(InvalidInput, match="time_unit must be one of"):
        TimeReader(time_unit="weeks")
    with pytest.raises(InvalidInput, match="dayfirst must be True, False or None"):
        TimeReader(dayfirst="yes")


def test_a_scout_has_the_settings_and_teaches_nothing():
    reader = TimeReader(timezone="Europe/Berlin")
    scout = reader.scout()
    assert scout.read(["17/04/2003"]) is not None
    assert scout.read([1057060800]) is not None
    assert reader.read(["05/04/2003"]) is None
    assert TimeReader(time_unit="d").scout().read([1]).readable.all()
