from __future__ import annotations

import gc

import numpy as np
import pytest

from driftline.core import days_of_dates
from driftline.core.days_of_dates import days_of, unchangeable

DATES = np.array(["1970-01-02T12:00", "2003-03-20", "NaT"], dtype="datetime64[us]")


@pytest.fixture
def conversions(monkeypatch):
    calls = []
    convert = days_of_dates._converted
    monkeypatch.setattr(days_of_dates, "_converted", lambda dates: calls.append(1) or convert(dates))
    return calls


def test_days_of_dates():
    np.testing.assert_array_equal(days_of(DATES), [1.5, 12131.0, np.nan])
    np.testing.assert_array_equal(days_of(np.array(["300000"], dtype="datetime64[Y]")), [np.inf])


def test_an_array_that_cannot_change_is_converted_once(conversions):
    dates = unchangeable(DATES)
    first = days_of(dates)
    first[0] = 99.0  # a caller may write into its own result
    np.testing.assert_array_equal(days_of(dates), days_of(DATES.copy()))
    assert len(conversions) == 2


@pytest.mark.parametrize("dates", [DATES.copy(), unchangeable(DATES)[:2]])
def test_an_array_that_may_change_is_converted_again(conversions, dates):
    days_of(dates)
    days_of(dates)
    assert len(conversions) == 2


def test_days_are_forgotten_with_their_dates():
    dates = unchangeable(DATES)
    days_of(dates)
    key = id(dates)
    assert key in days_of_dates._known
    del dates
    gc.collect()
    assert key not in days_of_dates._known


def test_an_unchangeable_array_is_read_only_and_its_own():
    dates = unchangeable(DATES)
    assert dates is not DATES
    assert DATES.flags.writeable
    assert unchangeable(dates) is dates
    part = unchangeable(dates[1:])
    assert part.flags.owndata
    assert not part.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        dates[0] = DATES[1]
