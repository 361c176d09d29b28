import numpy as np
import pyarrow as pa
import pytest

from driftline.analysis.findings.dates import DateOptions, Gap, checked_kinds, find_gaps, set_aside, used_times
from driftline.core.errors import InvalidInput

NOW = "2024-06-01"


def made(extra=()):
    days = np.datetime64("2003-02-19T00:00:00", "us") + np.arange(0, 120 * 24, 3).astype("timedelta64[h]")
    times = np.sort(np.concatenate([days, np.array(extra, dtype="datetime64[us]")]))
    n = len(times)
    table = pa.table({"id": [f"d{i}" for i in range(n)], "text": ["some text"] * n, "label": [None] * n})
    return table, times


def aside(extra=(), **options):
    table, times = made(extra)
    used, found = set_aside(table, times, DateOptions(now=NOW, **options))
    assert found.n_documents == len(times)
    assert found.n_used == used.sum() == len(times) - sum(each.n_documents for each in found.aside)
    return {each.reason: each for each in found.aside}


def test_strays_and_the_future_are_listed():
    found = aside(["1970-01-01", "2099-01-01", "2099-01-02"])
    assert set(found) == {"early", "future"}
    assert found["early"].ids == ["d0"]
    assert found["early"].examples[0].time == "1970-01-01T00:00:00Z"
    assert (found["future"].first, found["future"].last) == ("2099-01-01T00:00:00Z", "2099-01-02T00:00:00Z")


def test_every_kind_can_be_kept():
    extra = ["1970-01-01", "2099-01-01", *["2003-03-01T10:01:00"] * 300]
    assert set(aside(extra)) == {"early", "future", "imported"}
    assert set(aside(extra, keep=["strays"])) == {"future", "imported"}
    assert set(aside(extra, keep=["future", "imports"])) == {"early"}
    assert aside(extra, keep="all") == {}


def test_bounds_include_their_days():
    found = aside(since="2003-03-01", until="2003-03-31")
    assert found["since"].last == "2003-02-28T21:00:00Z"
    assert found["until"].first == "2003-04-01T00:00:00Z"
    assert aside(until="2003-03-31T12:00:00")["until"].first == "2003-03-31T15:00:00Z"


def test_bad_options_are_refused():
    with pytest.raises(InvalidInput, match="swap them"):
        aside(since="2003-05-01", until="2003-03-01")
    with pytest.raises(InvalidInput, match="none of the 960 documents"):
        aside(since="2020-01-01")
    with pytest.raises(InvalidInput, match="the first date, 'soon', is not a date"):
        aside(since="soon")
    with pytest.raises(InvalidInput, match="keep_dates may name"):
        checked_kinds(["dates"])


def test_holes_lie_between_documents():
    _, times = made()
    gap = (times < np.datetime64("2003-03-20")) | (times >= np.datetime64("2003-04-20"))
    assert find_gaps(times[gap]) == [Gap("2003-03-19T21:00:00Z", "2003-04-20T00:00:00Z")]
    assert find_gaps(times[:0]) == []


def test_duplicates_share_the_fate_of_their_date():
    times = np.array(["1970-01-01", "2003-01-01", "2003-01-02", "2003-01-02", "2003-01-03"], dtype="datetime64[us]")
    documents = times[[0, 1, 2, 4]]
    used = np.array([False, True, True, True])
    assert used_times(times, documents, used).tolist() == times[1:].tolist()


def test_a_duplicate_may_be_the_last_of_all():
    times = np.array(["2003-01-01", "2003-01-02", "2003-01-03"], dtype="datetime64[us]")
    assert used_times(times, times[:1], np.array([True])).tolist() == times.tolist()
    stray = np.array(["2003-01-01", "2050-01-01", "2050-01-02"], dtype="datetime64[us]")
    assert used_times(stray, stray[:2], np.array([True, False])).tolist() == stray[:1].tolist()
