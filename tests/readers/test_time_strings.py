import datetime
import email.utils

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.time_strings import (
    ABSOLUTE,
    NAIVE,
    NUMBER,
    UNDECIDED,
    UNREADABLE,
    day_month_order,
    read_string,
    read_strings,
    seems_year_first,
)

moments = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes)))


def as_datetimes(read):
    return read.microseconds.astype("datetime64[us]").tolist()


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        ("2003-04-05", "2003-04-05", NAIVE),
        ("2003-04-05T10:11:12", "2003-04-05T10:11:12", NAIVE),
        ("2003-04-05 10:11", "2003-04-05T10:11", NAIVE),
        ("2003-04-05T10", "2003-04-05T10:00", NAIVE),
        ("2003-04-05 10:11:12.5", "2003-04-05T10:11:12.5", NAIVE),
        ("2003-04-05T10:11:12,25", "2003-04-05T10:11:12.25", NAIVE),
        ("2003-04-05T10:11:12Z", "2003-04-05T10:11:12", ABSOLUTE),
        ("2003-04-05T10:11:12.123456789Z", "2003-04-05T10:11:12.123456", ABSOLUTE),
        ("2003-04-05T10:11:12.5+02:00", "2003-04-05T08:11:12.5", ABSOLUTE),
        ("2003-04-05 10:11:12 +0200", "2003-04-05T08:11:12", ABSOLUTE),
        ("2003-04-05 10:11:12 -0230", "2003-04-05T12:41:12", ABSOLUTE),
        ("2003-04-05 10:11:12 UTC", "2003-04-05T10:11:12", ABSOLUTE),
        ("2003-04-05 10:11 Z", "2003-04-05T10:11", ABSOLUTE),
        ("20030405T101112Z", "2003-04-05T10:11:12", ABSOLUTE),
        ("  2003-04-05\t", "2003-04-05", NAIVE),
        ("2003-04", "2003-04-01", NAIVE),
        ("2003/04", "2003-04-01", NAIVE),
        ("2003-4-5", "2003-04-05", NAIVE),
        ("2003/04/05 10:11:12", "2003-04-05T10:11:12", NAIVE),
        ("2003-W14-6", "2003-04-05", NAIVE),
        ("1790-01-08", "1790-01-08", NAIVE),
        ("0001-01-01", "0001-01-01", NAIVE),
        ("Sat, 05 Apr 2003 10:11:12 +0200", "2003-04-05T08:11:12", ABSOLUTE),
        ("5 Apr 2003 10:11 -0500 (EST)", "2003-04-05T15:11", ABSOLUTE),
        ("Sat, 5 Apr 2003 10:11:60 -0000", "2003-04-05T10:11:59", ABSOLUTE),
        ("Sat, 05 Apr 2003 10:11:12 GMT", "2003-04-05T10:11:12", ABSOLUTE),
        ("Sat, 5 Apr 03 10:11:12 EST", "2003-04-05T15:11:12", ABSOLUTE),
        ("Sat Apr  5 10:11:12 2003", "2003-04-05T10:11:12", NAIVE),
        ("Sat Apr 05 10:11:12 +0000 2003", "2003-04-05T10:11:12", ABSOLUTE),
        ("5 April 2003", "2003-04-05", NAIVE),
        ("5th Apr 2003", "2003-04-05", NAIVE),
        ("April 5, 2003", "2003-04-05", NAIVE),
        ("Saturday, Apr. 5th, 2003 3:04 pm", "2003-04-05T15:04", NAIVE),
        ("05.04.2003", "2003-04-05", NAIVE),
        ("5.4.2003, 10:11", "2003-04-05T10:11", NAIVE),
        ("05.04.03", "2003-04-05", NAIVE),
        ("5.4.99 10:11", "1999-04-05T10:11", NAIVE),
        ("5-Apr-2003", "2003-04-05", NAIVE),
        ("05-APR-03 3:04 pm", "2003-04-05T15:04", NAIVE),
        ("5-Apr-69", "1969-04-05", NAIVE),
        ("5-Apr-68", "1968-04-05", NAIVE),
        ("April 2003", "2003-04-01", NAIVE),
        ("Apr-2003", "2003-04-01", NAIVE),
        ("Montag, 5. März 2003, 10:11", "2003-03-05T10:11", NAIVE),
        ("lundi 5 avril 2003", "2003-04-05", NAIVE),
        ("1er août 2003", "2003-08-01", NAIVE),
        ("5 de abril de 2003", "2003-04-05", NAIVE),
        ("2003", None, NUMBER),
        ("1049537472.25", None, NUMBER),
        ("-1e9", None, NUMBER),
        ("05/04/2003", None, UNDECIDED),
        ("5-4-2003 10:11", None, UNDECIDED),
        ("13/04/2003", None, UNDECIDED),
        ("10/23/03 12:30", None, UNDECIDED),
        ("45/04/2003", None, UNREADABLE),
        ("99/12/31", None, UNREADABLE),
        ("03-04-05", None, UNREADABLE),
        ("Apr-03", None, UNREADABLE),
        ("5 jui 2003", None, UNREADABLE),
        ("5-Apr", None, UNREADABLE),
        ("5 April-2003", None, UNREADABLE),
        ("2003-02-30", None, UNREADABLE),
        ("2003-13-01", None, UNREADABLE),
        ("2003-04-05T25:00:00", None, UNREADABLE),
        ("2003-04-05T10:11:12+99:00", None, UNREADABLE),
        ("Sat, 31 Feb 2003 10:11:12 +0000", None, UNREADABLE),
        ("5 Foo 2003", None, UNREADABLE),
        ("April 5, 2003 13:00 pm", None, UNREADABLE),
        ("10:11:12", None, UNREADABLE),
        ("soon", None, UNREADABLE),
        ("٢٠٠٣", None, UNREADABLE),
        ("2003-04-05" + "x" * 100_000, None, UNREADABLE),
        ("Mon, 1 Jan 10000 00:00:00 +0000", None, UNREADABLE),
    ],
)
def test_every_way_of_writing_a_time(text, expected, kind):
    # A string is read alone, and among others of all kinds, where another path of the code reads it.
    for companions in ([], ["soon", "2003-04-05T10:11:12Z", "2003-04-05"]):
        read = read_strings(pa.array([text, *companions]), None)
        assert read.kinds[0] == kind
        if expected is not None:
            assert as_datetimes(read)[0] == np.datetime64(expected, "us").item()


@settings(deadline=None)
@given(
    st.lists(st.tuples(moments, st.none() | zones), min_size=1),
    st.sampled_from(["T", " "]),
    st.sampled_from(["auto", "seconds", "minutes"]),
)
def test_iso_8601_is_read_as_python_reads_it(drawn, separator, detail):
    texts = [moment.replace(tzinfo=zone).isoformat(separator, detail) for moment, zone in drawn]
    read = read_strings(pa.array(texts), None)
    for text, found, kind in zip(texts, as_datetimes(read), read.kinds, strict=True):
        expected = datetime.datetime.fromisoformat(text)
        if expected.tzinfo is not None:
            assert kind == ABSOLUTE
            offset = expected.utcoffset()
            expected = expected.replace(tzinfo=None) - offset
        else:
            assert kind == NAIVE
        assert found == expected


@settings(deadline=None)
@given(st.lists(st.tuples(st.datetimes(datetime.datetime(1900, 1, 2)), zones), min_size=1))
def test_rfc_2822_is_read_as_python_reads_it(drawn):
    drawn = [moment.replace(microsecond=0, tzinfo=zone) for moment, zone in drawn if moment.year < 9999]
    texts = [email.utils.format_datetime(moment) for moment in drawn]
    read = read_strings(pa.array(texts, pa.string()), None)
    assert (read.kinds == ABSOLUTE).all()
    assert as_datetimes(read) == [moment.replace(tzinfo=None) - moment.utcoffset() for moment in drawn]


@settings(deadline=None)
@given(st.lists(st.text(max_size=30) | st.from_regex(r"\d{1,4}[-/. ]\w{1,5}[-/. ,]\d{1,4}( \d\d?:\d\d)?")))
def test_rubbish_is_never_an_error(texts):
    read = read_strings(pa.array(texts, pa.string()), None)
    assert len(read.kinds) == len(texts)
    for dayfirst in (None, True, False):
        for text in texts:
            read_string(text, dayfirst)


def test_day_and_month_go_where_the_option_says():
    texts = pa.array(["05/04/2003", "13/04/2003", "04/13/2003", "5/4/2003 11:30 PM"])
    read = read_strings(texts, True)
    assert read.kinds.tolist() == [NAIVE, NAIVE, UNREADABLE, NAIVE]
    assert as_datetimes(read)[3] == datetime.datetime(2003, 4, 5, 23, 30)
    read = read_strings(texts, False)
    assert read.kinds.tolist() == [NAIVE, UNREADABLE, NAIVE, NAIVE]
    assert as_datetimes(read)[0] == datetime.datetime(2003, 5, 4)
    assert as_datetimes(read_strings(pa.array(["05.04.2003", "soon"]), False))[0] == datetime.datetime(2003, 4, 5)


def test_which_dates_tell_the_order_of_day_and_month():
    texts = pa.array(["05/04/2003", "13/04/2003", "04-13-2003", "13.04.2003", "13/13/2003", "45/01/2003", "x"])
    assert day_month_order(texts) == (["13/04/2003"], ["04-13-2003"])


def test_years_of_two_digits_are_not_in_the_future():
    now = datetime.datetime.now(datetime.UTC).year
    short = [f"{year % 100:02}" for year in (1947, 1969, now, now + 1)]
    read = read_strings(pa.array([*(f"05/04/{year}" for year in short), "04/23/17 12:30"]), False)
    assert [moment.year for moment in as_datetimes(read)] == [1947, 1969, now, now - 99, 2017]
    assert as_datetimes(read)[4] == datetime.datetime(2017, 4, 23, 12, 30)
    read = read_strings(pa.array([f"5-Apr-{short[0]}"]), None)
    assert as_datetimes(read)[0] == datetime.datetime(1947, 4, 5)


def test_a_named_month_between_slashes():
    read = read_strings(pa.array(["01/Mar/23 9:30 AM", "02/Mar/2023", "01/Mar-23"]), None)
    assert read.kinds.tolist() == [NAIVE, NAIVE, UNREADABLE]
    assert as_datetimes(read)[:2] == [datetime.datetime(2023, 3, 1, 9, 30), datetime.datetime(2023, 3, 2)]


def test_dates_that_begin_with_a_short_year_are_recognised_by_how_their_numbers_vary():
    days = [datetime.date(2017, 1, 1) + datetime.timedelta(3 * day) for day in range(300)]
    for order, year_is_first in (("%y/%m/%d", True), ("%d/%m/%y", False), ("%m/%d/%y", False), ("%Y/%m/%d", False)):
        assert seems_year_first(pa.array([day.strftime(order) for day in days])) == year_is_first
    years = [f"05/04/{year:02}" for year in range(24)]  # a date per year
    assert not seems_year_first(pa.array(years))


def test_a_few_bad_dates_among_many_good_ones():
    texts = [f"2003-01-{day:02} 00:00:00" for day in range(1, 29)] * 100
    texts[777] = "2003-02-30 00:00:00"
    read = read_strings(pa.array(texts), None)
    assert np.flatnonzero(read.kinds != NAIVE).tolist() == [777]
    assert as_datetimes(read)[778] == datetime.datetime.fromisoformat(texts[778])
