from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.errors import DriftlineError, InvalidInput
from driftline.core.times import (
    MICROSECONDS_PER_DAY,
    TimeAxis,
    as_timedelta,
    days,
    days_between,
    describe_span,
    iso,
    isos,
)
from tests.naming import shown

BERLIN = datetime.timezone(datetime.timedelta(hours=1))
MIDNIGHT = datetime.datetime(2003, 3, 20, tzinfo=BERLIN)
DAY = 12130.958333333334  # 2003-03-19T23:00 UTC


@pytest.mark.parametrize(
    "times",
    [
        np.array(["2003-03-19T23"], dtype="datetime64[h]"),
        np.array(["2003-03-19T23"], dtype="datetime64[ns]"),
        [MIDNIGHT],
        [datetime.datetime(2003, 3, 19, 23)],
        np.array([MIDNIGHT], dtype=object),
        ["2003-03-20T00:00+01:00"],
        ["2003-03-19T23:00:00Z"],
        [" 2003-03-19 23:00 "],
        np.array(["20030319T230000"]),
        np.array(["2003-03-19T23:00"], dtype=np.dtypes.StringDType()),
        pa.array([MIDNIGHT], pa.timestamp("us", tz="Europe/Berlin")),
        pa.chunked_array([[MIDNIGHT]], pa.timestamp("s", tz="Asia/Tokyo")),
        pa.array(["2003-03-19T23:00:00Z"]),
        pd.Series([pd.Timestamp(MIDNIGHT)]),
        pd.DatetimeIndex([MIDNIGHT]),
        pd.DatetimeIndex([MIDNIGHT]).tz_convert(None),
        pd.Series([pd.Timestamp(MIDNIGHT)], dtype="timestamp[us, tz=UTC][pyarrow]"),
        pd.Series([pd.Timestamp(MIDNIGHT).tz_convert("Asia/Tokyo")], dtype=object),
        pd.Series(["2003-03-19T23:00:00"]),
        pl.Series([datetime.datetime(2003, 3, 20)]).dt.replace_time_zone("Europe/Berlin"),
        pl.Series(["2003-03-19T23:00:00"]),
    ],
    ids=lambda times: f"{type(times).__module__}.{type(times).__name__}",
)
def test_dates_of_every_kind_become_days_in_utc(times):
    axis = TimeAxis.of(times)
    assert axis.kind == "datetime"
    assert axis.values(times, n=1) == pytest.approx([DAY], abs=1e-9)


@pytest.mark.parametrize(
    "times",
    [
        [1, 2.5],
        (1, 2.5),
        np.array([1, 2.5], dtype=np.float32),
        np.array([1, 2.5], dtype=object),
        pa.array([1, 2.5]),
        pa.chunked_array([[1.0], [2.5]]),
        pd.Series([1, 2.5]),
        pd.Series([1, 2.5], dtype="Float64"),
        pl.Series([1.0, 2.5]),
    ],
    ids=lambda times: f"{type(times).__module__}.{type(times).__name__}",
)
def test_numbers_stay_as_they_are(times):
    axis = TimeAxis.of(times)
    assert axis.kind == "number"
    assert axis.values(times).tolist() == [1.0, 2.5]
    assert axis.values(times).dtype == np.float64


@pytest.mark.parametrize(
    ("text", "date"),
    [("2003", "2003-01-01"), ("2003-03", "2003-03-01"), ("2003-03-20", "2003-03-20"), ("20030320", "2003-03-20")],
)
def test_bare_years_months_and_days_are_dates(text, date):
    assert TimeAxis.of([text]).values([text]) == np.datetime64(date, "D").astype(int)


def test_no_times_mean_document_order():
    assert TimeAxis.of(None).values(None, n=3).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(InvalidInput, match="pass the times"):
        TimeAxis().values(None)
    with pytest.raises(InvalidInput, match="pass dates"):
        TimeAxis("datetime").values(None, n=3)


@pytest.mark.parametrize(
    "times",
    [
        [0.0, math.nan],
        [0.0, math.inf],
        [0.0, -1e300],
        [0.0, None],
        np.array(["2003", "NaT"], dtype="datetime64[D]"),
        np.array([0, 10**14], dtype="datetime64[D]"),
        np.array([0, -(10**14)], dtype="datetime64[D]"),
        [MIDNIGHT, None],
        ["2003-03-20", None],
        pd.Series([pd.Timestamp("2003"), pd.NaT]),
        pd.Series([1, None], dtype="Int64"),
        pl.Series([1, None]),
        pa.array([MIDNIGHT, None]),
    ],
    ids=shown,
)
def test_a_time_that_is_none_is_named(times):
    with pytest.raises(InvalidInput, match="document 1 is"):
        TimeAxis.of(times).values(times)


@pytest.mark.parametrize(
    "times",
    [
        ["yesterday"],
        ["now"],
        [""],
        ["20/03/2003"],
        [MIDNIGHT, 5],
        [5, MIDNIGHT],
        ["2003", 5],
        [object()],
        np.array([1j]),
        np.array([True]),
        np.array([5], dtype="timedelta64[D]"),
        pd.period_range("2003-01", "2003-03", freq="M"),
        [None],
        pa.array(["2003-03-20", "hello"]),
    ],
    ids=shown,
)
def test_what_is_no_time_is_refused(times):
    with pytest.raises(InvalidInput, match=r"times|the time of"):
        TimeAxis.of(times).values(times)


def test_number_and_shape_are_checked():
    with pytest.raises(InvalidInput, match="3 documents but 2 times"):
        TimeAxis().values([1, 2], n=3)
    with pytest.raises(InvalidInput, match="shape"):
        TimeAxis().values([[1, 2]])
    assert TimeAxis().values(4.0).tolist() == [4.0]
    assert TimeAxis("datetime").values([], n=0).tolist() == []


def test_dates_and_numbers_do_not_mix():
    with pytest.raises(InvalidInput, match="numbers here but were dates"):
        TimeAxis("datetime").values([1.0])
    with pytest.raises(InvalidInput, match="dates here but were numbers"):
        TimeAxis().values(["2003-03-20"])


@given(st.integers(-(2**53), 2**53))
def test_microseconds_survive_there_and_back(microseconds):
    axis, dates = TimeAxis("datetime"), np.array([microseconds], dtype="datetime64[us]")
    back = axis.restore(axis.values(dates))
    assert back.dtype == "datetime64[us]"
    # A float64 keeps 53 bits: a microsecond for a century around 1970, a few of them for ever.
    assert abs(int(back[0].astype(np.int64)) - microseconds) <= max(0, abs(microseconds) / 2**51)


def test_restoring_what_is_no_date_gives_nat():
    assert np.isnat(TimeAxis("datetime").restore([math.nan, math.inf, -1e200])).all()
    assert TimeAxis("datetime").restore(1.0) == np.datetime64("1970-01-02")
    assert TimeAxis().restore([1, 2]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("duration", "length"),
    [
        (3, 3.0),
        (np.float32(0.5), 0.5),
        (math.inf, math.inf),
        ("36h", 1.5),
        ("2 d 12 h", 2.5),
        ("1w", 7.0),
        ("1y", 365.2425),
        ("500ms", 0.5 / 86400),
        (datetime.timedelta(hours=12), 0.5),
        (np.timedelta64(36, "h"), 1.5),
        (np.timedelta64(1, "M"), 365.2425 / 12),
        (np.timedelta64(2, "Y"), 2 * 365.2425),
    ],
)
def test_spans_of_dates(duration, length):
    assert TimeAxis("datetime").span(duration) == pytest.approx(length)


@pytest.mark.parametrize(
    "duration",
    ["", "h", "4", "4 fortnights", "4h later", "-4h", -1, math.nan, None, [3], np.timedelta64("NaT", "s"), 1j],
    ids=shown,
)
def test_impossible_spans_are_refused(duration):
    with pytest.raises(InvalidInput):
        TimeAxis("datetime").span(duration)


def test_spans_of_numbers_are_numbers():
    with pytest.raises(DriftlineError, match="plain numbers"):
        TimeAxis().span("4h")
    with pytest.raises(DriftlineError, match="plain numbers"):
        TimeAxis().span(datetime.timedelta(1))
    assert TimeAxis().span(4) == 4.0


@pytest.mark.parametrize(
    ("length", "words"),
    [(0, "0 s"), (1 / 86400, "1 s"), (-0.5, "12 h"), (1.5, "1 d 12 h"), (365.2425, "1 y"), (1 / 24, "1 h")],
)
def test_spans_in_words(length, words):
    assert describe_span(length) == words


@given(st.integers(1, 10**6))
def test_words_can_be_read_back(minutes):
    length = minutes / 1440
    # Two units are kept, so what is lost is less than one of the second.
    assert days(describe_span(length)) == pytest.approx(length, abs=max(1 / 1440, 0.05 * length))


def test_a_day_has_its_microseconds():
    assert np.timedelta64(1, "D") / np.timedelta64(1, "us") == MICROSECONDS_PER_DAY


def test_iso_drops_fractions_and_says_utc():
    assert iso(np.datetime64("1790-01-08T00:00:00.25")) == "1790-01-08T00:00:00Z"


def test_many_times_are_written_as_one_is():
    days = np.arange("2024-01-01", "2024-01-04", dtype="datetime64[D]")
    assert isos(days) == [iso(day) for day in days]
    assert isos(days) == ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"]
    assert isos(days[:0]) == []


@pytest.mark.parametrize("unit", ["us", "ms", "s"])
def test_days_between_dates_of_any_unit(unit):
    first = np.datetime64("2003-03-20T06:00", unit)
    assert days_between(first, first + np.timedelta64(36, "h")) == 1.5
    assert days_between(first + np.timedelta64(36, "h"), first) == -1.5


def test_a_number_of_days_there_and_back():
    start = np.datetime64("1790-01-08", "us")
    for length in (0.0, 1e-6, 1 / 3, 400.25, -7.0):
        assert days_between(start, start + as_timedelta(length)) == pytest.approx(length, abs=1 / MICROSECONDS_PER_DAY)
