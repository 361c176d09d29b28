import datetime
import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus
from driftline.streams.frames import MOST_FRAMES, frame_bounds


def _dates(*dates):
    return np.array(dates, dtype="datetime64[us]")


def _edges(times, every):
    return [str(edge.astype("datetime64[s]")) for edge in frame_bounds(times, every)[0]]


@pytest.mark.parametrize(
    ("every", "edges"),
    [
        ("1mo", ["2003-12-01T00:00:00", "2004-01-01T00:00:00", "2004-02-01T00:00:00", "2004-03-01T00:00:00"]),
        ("3mo", ["2003-10-01T00:00:00", "2004-01-01T00:00:00", "2004-04-01T00:00:00"]),
        ("1y", ["2003-01-01T00:00:00", "2004-01-01T00:00:00", "2005-01-01T00:00:00"]),
        ("10y", ["2000-01-01T00:00:00", "2010-01-01T00:00:00"]),
        ("100y", ["2000-01-01T00:00:00", "2100-01-01T00:00:00"]),
        ("4w", ["2003-12-15T00:00:00", "2004-01-12T00:00:00", "2004-02-09T00:00:00", "2004-03-08T00:00:00"]),
    ],
)
def test_calendar_steps(every, edges):
    assert _edges(_dates("2003-12-31T23:59:59", "2004-02-29T12:00:00"), every) == edges


def test_days_begin_at_midnight_hours_on_the_hour_and_weeks_on_monday():
    times = _dates("2003-03-20T05:34:00", "2003-03-21T02:00:00")
    assert _edges(times, "1d") == ["2003-03-20T00:00:00", "2003-03-21T00:00:00", "2003-03-22T00:00:00"]
    assert _edges(times, "6h")[:2] == ["2003-03-20T00:00:00", "2003-03-20T06:00:00"]
    assert _edges(times, "30min")[0] == "2003-03-20T05:30:00"
    assert _edges(times, "1w") == ["2003-03-17T00:00:00", "2003-03-24T00:00:00"]
    assert _edges(times, datetime.timedelta(days=1)) == _edges(times, np.timedelta64(24, "h")) == _edges(times, "1d")
    assert _edges(times, "1d12h") == _edges(times, "36h")


def test_times_before_1970_and_before_the_common_era_floor_the_same_way():
    assert _edges(_dates("1790-01-08", "1790-02-01"), "1mo") == [
        "1790-01-01T00:00:00",
        "1790-02-01T00:00:00",
        "1790-03-01T00:00:00",
    ]
    assert _edges(_dates("1969-12-31T23:00"), "1d") == ["1969-12-31T00:00:00", "1970-01-01T00:00:00"]
    assert _edges(_dates("1969-12-28"), "1w") == ["1969-12-22T00:00:00", "1969-12-29T00:00:00"]
    assert _edges(_dates("-0044-03-15"), "1y") == ["-044-01-01T00:00:00", "-043-01-01T00:00:00"]


STEPS = st.sampled_from(["1mo", "5mo", "1y", "7y", "1w", "2w", "1d", "7d", "11h", "13min"])
MOMENTS = st.integers(0, 5 * 10**12)


@given(st.lists(MOMENTS, min_size=1, max_size=30), STEPS, st.integers(-3, 3))
def test_every_document_is_in_exactly_the_frame_that_spans_it(moments, every, shift):
    if every == "13min":
        moments = [moment // 1000 for moment in moments]
    times = np.sort(np.array(moments) + shift * 10**15).astype("datetime64[us]")
    edges, bounds = frame_bounds(times, every)
    assert bounds[0] == 0
    assert bounds[-1] == len(times)
    assert (edges[1:] > edges[:-1]).all()
    for k, (first, last) in enumerate(itertools.pairwise(bounds)):
        assert (times[first:last] >= edges[k]).all()
        assert (times[first:last] < edges[k + 1]).all()
    # The first and the last frame have documents; cutting one document alone gives one of the same frames.
    assert bounds[1] > 0
    assert bounds[-2] < len(times)
    alone, _ = frame_bounds(times[:1], every)
    assert alone.tolist() == edges[:2].tolist()


@given(
    st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=30),
    st.sampled_from([0.1, 0.3, 1.0, 1 / 3, 7.5, 1e5]),
)
def test_numbers_are_in_exactly_the_frame_that_spans_them(values, step):
    times = np.sort(np.array(values))
    n_steps = (times[-1] - times[0]) / step
    assume(abs(n_steps - MOST_FRAMES) > 2)  # where the first frame begins decides there
    if n_steps > MOST_FRAMES:
        with pytest.raises(InvalidInput, match="longer"):
            frame_bounds(times, step)
        return
    edges, bounds = frame_bounds(times, step)
    assert bounds[0] == 0
    assert bounds[-1] == len(times)
    assert (edges[1:] > edges[:-1]).all()


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=40), st.integers(1, 12), st.booleans())
def test_n_frames_are_of_equal_length_and_hold_every_document(values, n, dates):
    times = np.sort(np.array(values, dtype=np.float64))
    if dates:
        times = (times * 86_400_000_000).astype(np.int64).astype("datetime64[us]")
    if n > 1 and times[0] == times[-1]:
        with pytest.raises(InvalidInput, match="same time"):
            frame_bounds(times, n)
        return
    edges, bounds = frame_bounds(times, n)
    assert len(edges) == n + 1
    assert bounds[0] == 0
    assert bounds[-1] == len(times)
    assert edges[0] == times[0]
    assert edges[-1] == times[-1]
    lengths = np.diff(edges).astype(np.float64)
    assert lengths.max() - lengths.min() <= (1 if dates else 1e-9)


def test_frames_in_the_middle_may_be_empty():
    corpus = Corpus.from_texts(
        ["war", "peace", "war anew"], ["2003-01-15", "2003-04-01", "2003-04-02"], ["a", None, "b"]
    )
    frames = corpus.frames("1mo")
    assert frames.sizes.tolist() == [1, 0, 0, 2]
    assert len(frames) == 4
    empty = frames[1]
    assert len(empty) == 0
    assert empty.counts.shape == (0, 3)
    assert len(empty.times) == len(empty.labels) == len(empty.ids) == len(empty.corpus) == 0
    last = frames[-1]
    assert last.ids.to_pylist() == ["1", "2"]
    assert last.labels.tolist() == [-1, 1]
    assert last.counts.toarray().tolist() == corpus.counts[1:].toarray().tolist()
    assert last.times.tolist() == corpus.times[1:].tolist()
    assert last.corpus.texts.to_pylist() == ["peace", "war anew"]
    assert [len(frame) for frame in frames] == [1, 0, 0, 2]
    assert [frame.index for frame in frames[2:]] == [slice(1, 1), slice(1, 3)]
    assert repr(last) == "Frame(2003-04-01T00:00:00.000000 to 2003-05-01T00:00:00.000000: 2 documents)"
    assert repr(frames).startswith("Frames(4 from 2003-01-01")
    for beyond in (4, -5):
        with pytest.raises(IndexError, match="there are 4, counted from 0"):
            frames[beyond]


def test_no_documents_make_no_frames():
    corpus = Corpus.from_texts(["war"], ["2003-01-01"])[:0]
    assert len(corpus.frames("1mo")) == 0
    assert list(corpus.frames(3)) == []
    assert repr(corpus.frames(3)) == "Frames(none)"


@pytest.mark.parametrize(
    ("every", "message"),
    [
        ("1 month", "calendar step"),
        ("1.5mo", "calendar step"),
        ("0mo", "calendar step"),
        ("1mo3d", "calendar step"),
        ("soon", "not a duration"),
        ("0d", "microsecond"),
        (0, "at least 1 frame"),
        (2.5, "needs a unit"),
        (True, "not by True"),
        (None, "not by None"),
        ("1us", "longer step"),
        (2 * MOST_FRAMES, "longer step"),
    ],
)
def test_steps_that_cut_nothing_are_errors(every, message):
    with pytest.raises(InvalidInput, match=message):
        frame_bounds(_dates("2003-01-01", "2003-12-31"), every)


@pytest.mark.parametrize("every", ["1d", -1.0, np.inf, np.nan, datetime.timedelta(1)])
def test_steps_of_numbers_are_positive_numbers(every):
    with pytest.raises(InvalidInput, match="number"):
        frame_bounds(np.array([0.0, 1.0]), every)
