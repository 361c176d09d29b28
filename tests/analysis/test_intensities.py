import numpy as np
import pytest

from driftline.analysis.intensities import MOST_BURSTS, track_intensities

DAY = np.timedelta64(1, "D")


def stream(rng, busy=True):
    """Two codes over 300 days: one a day of the first; a tenth of that of the second, but 3 a day for 40 days."""
    first = np.sort(rng.uniform(0, 300, 300))
    second = np.concatenate([rng.uniform(0, 300, 30), rng.uniform(100, 140, 120 if busy else 0)])
    moments, codes = np.concatenate([first, second]), np.repeat([0, 1], [len(first), len(second)])
    order = np.argsort(moments)
    times = np.datetime64("2024-01-01", "us") + (moments[order] * 86_400e6).astype("timedelta64[us]")
    return times, codes[order]


def test_a_burst_is_found_where_it_was_with_its_rate_and_its_certainty():
    times, codes = stream(np.random.default_rng(0))
    when = np.datetime64("2024-01-01", "us") + np.arange(0, 300, 5) * DAY
    steady, busy = track_intensities(times, codes, 2, when)
    assert steady.bursts == []
    strongest = max(busy.bursts, key=lambda burst: (burst.level, burst.weight))
    start, end = np.datetime64(strongest.start[:-1]), np.datetime64(strongest.end[:-1])
    assert abs(start - (np.datetime64("2024-01-01") + 100 * DAY)) <= 6 * DAY
    assert abs(end - (np.datetime64("2024-01-01") + 140 * DAY)) <= 6 * DAY
    assert strongest.n_documents == pytest.approx(120, abs=20)
    assert 0.5 <= strongest.probability <= 1
    assert all(burst.weight >= np.log(len(times)) for burst in busy.bursts)
    value = np.array(busy.curve.value)
    inside = (np.arange(0, 300, 5) > 105) & (np.arange(0, 300, 5) < 135)
    assert value[inside].mean() == pytest.approx(3, rel=0.3)
    assert value[~inside].mean() < 0.6
    lower, upper = np.array(busy.curve.lower), np.array(busy.curve.upper)
    assert ((lower <= value) & (value <= upper)).all()
    assert busy.curve.level == 0.95


def test_a_steady_stream_has_no_bursts():
    times, codes = stream(np.random.default_rng(1), busy=False)
    assert [found.bursts for found in track_intensities(times, codes, 2, times[::50])] == [[], []]


def test_all_at_one_moment_and_a_code_without_documents():
    times = np.repeat(np.datetime64("2024-01-01", "us"), 5)
    found = track_intensities(times, np.zeros(5, dtype=int), 2, times[:1])
    assert len(found) == 2
    assert all(np.isfinite(each.curve.value).all() and len(each.bursts) <= MOST_BURSTS for each in found)


def test_a_gap_of_the_stream_makes_no_bursts_and_moves_none():
    """The same stream, cut apart at day 200 by a gap of 150 days: the same bursts, with dates of their documents."""
    times, codes = stream(np.random.default_rng(0))
    when = np.datetime64("2024-01-01", "us") + np.arange(0, 300, 5) * DAY
    later = times + np.where(times >= np.datetime64("2024-01-01") + 200 * DAY, 150 * DAY, 0 * DAY)
    steady, busy = track_intensities(later, codes, 2, when)
    assert steady.bursts == []
    before = track_intensities(times, codes, 2, when)[1].bursts
    assert [(burst.start, burst.end, burst.kind) for burst in busy.bursts] == [
        (burst.start, burst.end, burst.kind) for burst in before
    ]
    assert before[0].kind == "lasting"
    early = times - np.where(times < np.datetime64("2024-01-01") + 50 * DAY, 150 * DAY, 0 * DAY)
    assert [burst.start for burst in track_intensities(early, codes, 2, when)[1].bursts] == [
        burst.start for burst in before
    ]


def test_a_late_burst_of_a_sparse_stream_is_judged_by_its_own_days():
    rng = np.random.default_rng(2)
    first = rng.uniform(0, 2000, 150)
    second = np.concatenate([rng.uniform(0, 2000, 20), rng.uniform(1800, 1830, 60)])
    moments, codes = np.concatenate([first, second]), np.repeat([0, 1], [len(first), len(second)])
    order = np.argsort(moments)
    times = np.datetime64("2015-01-01", "us") + (moments[order] * 86_400e6).astype("timedelta64[us]")
    busy = track_intensities(times, codes[order], 2, times[::20])[1]
    strongest = max(busy.bursts, key=lambda burst: burst.level)
    assert strongest.start >= "2019-11"
    assert strongest.kind == "lasting"
