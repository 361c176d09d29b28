from __future__ import annotations

import numpy as np
import pytest

from driftline.analysis.shown_curves import curve_of_lists
from driftline.core.date_precision import dates_given_to
from driftline.report.date_formats import (
    Resolution,
    between,
    clock,
    date_at,
    day,
    ends_at,
    moment,
    moments,
    period,
    resolution,
    short_day,
    short_span_at,
    span,
    span_at,
    unit_name,
)
from driftline.report.sentences import volume_period


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


def test_no_date_is_more_exact_than_the_source_gives_it():
    first, last, later = "1957-01-01T00:00:00Z", "2019-01-01T00:00:00Z", "2019-04-01T00:00:00Z"
    exact = (day(last), clock(last), span(first, last, short=True), unit_name("day"), resolution(last, later).step)
    assert exact == ("1 January 2019", "1 Jan 2019", "1 Jan 1957 – 1 Jan 2019", "day", "day")
    with dates_given_to("year"):
        assert (day(last), clock(last), short_day(last), unit_name("day"), unit_name("time")) == (
            "2019", "2019", "2019", "year", "time"
        )  # fmt: skip
        assert (span(first, last), span(last, last), between(last, last)) == ("1957–2019", "2019", "in 2019")
        to = resolution(last, later)
        assert (to.step, date_at(last, to), span_at(last, last, to)) == ("year", "2019", "2019")
        assert short_span_at(first, last, to) == "1957–2019"
        assert ends_at(first, last, Resolution("day", True)) == ("1957", "2019")
    with dates_given_to("month"):
        assert (short_day(later), span(last, later), between(later, later)) == (
            "Apr 2019", "January 2019 – April 2019", "in April 2019"
        )  # fmt: skip
        assert date_at(first, resolution(first, last)) == "1957"
        assert ends_at(last, later, resolution(last, later)) == ("January", "April")
    assert day(last) == exact[0]


def test_volume_is_not_per_a_shorter_period_than_the_precision_of_the_dates():
    volume = curve_of_lists(["2003-01-01T00:00:00Z", "2013-01-01T00:00:00Z"], [0.5] * 2, [0.4] * 2, [0.6] * 2)
    assert volume_period(volume)[0] == "week"
    for given in ("month", "year"):
        with dates_given_to(given):
            assert volume_period(volume)[0] == given
