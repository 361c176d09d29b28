import numpy as np
import pytest

from driftline.analysis.curve_times import grid, iso, isos, readable_step


def test_grid_runs_from_first_to_last_whatever_the_order():
    times = np.array(["2003-03-01", "2003-01-01", "2003-02-01"], dtype="datetime64[us]")
    points = grid(times, 5)
    assert points[0] == times.min()
    assert points[-1] == times.max()
    assert len(np.unique(np.diff(points))) == 1


def test_grid_of_one_instant_is_one_point():
    assert len(grid(np.array(["2003-03-01"], dtype="datetime64[us]"), 5)) == 1


@pytest.mark.parametrize(
    ("last", "step"),
    [
        ("2003-01-01T10", "1h"),
        ("2003-01-08", "1d"),
        ("2003-12-30", "1mo"),
        ("2012-01-01", "1y"),
        ("2403-01-01", "100y"),
    ],
)
def test_readable_step_grows_with_the_span(last, step):
    assert readable_step(np.array(["2003-01-01", last], dtype="datetime64[us]"), at_most=12) == step


def test_iso_drops_fractions_and_says_utc():
    assert iso(np.datetime64("1790-01-08T00:00:00.25")) == "1790-01-08T00:00:00Z"


def test_many_times_are_written_as_one_is():
    days = np.arange("2024-01-01", "2024-01-04", dtype="datetime64[D]")
    assert isos(days) == [iso(day) for day in days]
    assert isos(days) == ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"]
    assert isos(days[:0]) == []
