from __future__ import annotations

import numpy as np
import pytest

from driftline.report.date_formats import between, clock, day, moment, moments, period, span


def test_moments_are_in_utc_for_any_ending():
    assert moment("2003-03-20T05:34:00Z") == moment("2003-03-20T05:34:00+00:00") == np.datetime64("2003-03-20T05:34")
    assert moments([]).dtype == "datetime64[s]"


@pytest.mark.parametrize(
    ("iso", "expected"),
    [
        ("2003-12-31T23:59:59Z", "31 December 2003"),
        ("1969-02-01T00:00:00Z", "1 February 1969"),
        ("0001-01-01T00:00:00Z", "1 January 1"),
    ],
)
def test_days_before_and_after_the_epoch(iso, expected):
    assert day(iso) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2003-03-20T05:00:00Z", "2003-03-20T09:00:00Z", "20 March 2003"),
        ("2003-03-01T00:00:00Z", "2003-03-31T00:00:00Z", "1–31 March 2003"),
        ("2003-03-20T00:00:00Z", "2003-04-02T00:00:00Z", "20 March – 2 April 2003"),
        ("2003-12-20T00:00:00Z", "2004-01-02T00:00:00Z", "20 December 2003 – 2 January 2004"),
    ],
)
def test_spans_say_once_what_their_ends_share(first, last, expected):
    assert span(first, last) == expected


def test_a_span_in_a_sentence():
    assert between("2003-03-01T00:00:00Z", "2003-03-31T00:00:00Z") == "between 1 and 31 March 2003"
    assert between("2003-12-20T00:00:00Z", "2004-01-02T00:00:00Z") == "between 20 December 2003 and 2 January 2004"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2003-01-01T00:00:00Z", "2004-01-01T00:00:00Z", "2003"),
        ("2003-12-01T00:00:00Z", "2004-01-01T00:00:00Z", "December 2003"),
        ("2003-01-01T00:00:00Z", "2003-04-01T00:00:00Z", "Jan–Mar 2003"),
        ("1995-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "1995–1999"),
        ("2003-01-01T00:00:00Z", "2003-04-02T00:00:00Z", "1 Jan – 1 Apr 2003"),
        ("2003-03-05T00:00:00Z", "2003-03-06T00:00:00Z", "5 Mar 2003"),
        ("2003-03-05T06:00:00Z", "2003-03-05T12:00:00Z", "5 Mar 2003, 06:00–12:00"),
        ("2003-03-05T06:00:00Z", "2003-03-05T06:00:00Z", "5 Mar 2003, 06:00–06:00"),
    ],
)
def test_periods_have_names(start, end, expected):
    assert period(start, end) == expected


def test_the_clock_is_to_the_minute():
    assert clock("2003-03-20T05:34:59Z") == "20 Mar 2003, 05:34"
    assert clock("2003-03-20T00:00:00Z") == "20 Mar 2003"


def test_many_times_are_read_as_one_is():
    times = ["2003-03-20T05:34:00Z", "2003-03-21T00:00:00+00:00"]
    assert moments(times).tolist() == [moment(time).item() for time in times]


def test_years_before_the_first_and_after_9999_are_reported():
    assert day("-0043-03-15T00:00:00Z") == "15 March -43"
    assert day("12003-03-15T00:00:00Z") == "15 March 12003"
