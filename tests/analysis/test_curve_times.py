import numpy as np
import pytest

from driftline.analysis.curve_times import grid, readable_step


def test_grid_runs_from_first_to_last_for_any_order():
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
