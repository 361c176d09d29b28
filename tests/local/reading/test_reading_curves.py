import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.oracles import reading_curves as oracle

from driftline.core.errors import InvalidInput
from driftline.local.reading.reading_curves import reading_curves
from driftline.smoothing.reading_windows import reading_bandwidths
from driftline.streams.unit_counts import unit_counts


def stream(seed=0, n_days=120, per_day=20, rate=lambda day: 0.05 + 0.25 * np.exp(-(((day - 60) / 12) ** 2))):
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(float(n_days)), per_day)
    X = np.column_stack([rng.random(len(day)) < rate(day), rng.random(len(day)) < 0.1])
    return sp.csr_array(X.astype(float)), day


def test_choice_curve_and_band_are_those_of_the_equations():
    X, day = stream()
    counted = unit_counts(X, times=day)
    candidates = reading_bandwidths(counted.times)
    at = np.array([0.0, 31.5, 60.0, 119.0])
    found = reading_curves(counted, when=at)
    for word in range(2):
        column = counted.counts.toarray()[:, word]
        scores = [oracle.score(counted.times, column, counted.totals, h) for h in candidates]
        h = candidates[int(np.argmax(scores))]
        assert found.bandwidth[word] == h
        expected = np.array([oracle.curve_at(counted.times, column, counted.totals, t, h) for t in at])
        got = np.column_stack([found.curve.value[word], found.curve.lower[word], found.curve.upper[word]])
        np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-12)


def test_a_block_of_words_is_done_like_all_at_once(monkeypatch):
    X, day = stream(1)
    whole = reading_curves(X, times=day)
    monkeypatch.setattr(sys.modules["driftline.local.reading.reading_curves"], "_CELLS", 1)
    np.testing.assert_array_equal(reading_curves(X, times=day).curve.upper, whole.curve.upper)


def test_nothing_is_drawn_where_there_are_fewer_than_three_units():
    X, day = stream()
    gap = (day < 50) | (day >= 58)
    found = reading_curves(X[gap], times=day[gap], bandwidth=4.0, when=[20.0, 49.0, 50.5, 52.0, 55.0, 57.0])
    np.testing.assert_array_equal(np.isnan(found.curve.value[0]), [False, False, False, True, True, False])
    np.testing.assert_array_equal(np.isnan(found.curve.value), np.isnan(found.curve.lower))
    np.testing.assert_array_equal(np.isnan(found.curve.value), np.isnan(found.curve.effective_size))


def test_the_line_breaks_in_a_hole_however_wide_the_window():
    X, day = stream()
    hole = (day < 40) | (day >= 80)
    found = reading_curves(X[hole], times=day[hole], bandwidth=60.0, when=[20.0, 39.0, 40.0, 60.0, 79.0, 80.0])
    np.testing.assert_array_equal(np.isnan(found.curve.value[0]), [False, False, True, True, True, False])


def test_days_that_share_events_widen_the_band():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(300.0), 30)
    rate = np.where(rng.random(300) < 0.3, 0.3, 0.0)[day.astype(int)]
    shared = sp.csr_array((rng.random(len(day)) < rate)[:, None].astype(float))
    dealt = shared[rng.permutation(len(day))]
    wide, narrow = (reading_curves(X, times=day, bandwidth=30.0) for X in (shared, dealt))
    assert wide.dispersion[0] > 3 * narrow.dispersion[0]
    assert np.mean(wide.curve.upper - wide.curve.lower) > 1.6 * np.mean(narrow.curve.upper - narrow.curve.lower)
    truth = 0.09
    assert np.mean((wide.curve.lower <= truth) & (truth <= wide.curve.upper)) > 0.9


def test_columns_dates_and_durations():
    X, day = stream()
    dates = np.datetime64("2024-01-01") + day.astype("timedelta64[D]")
    found = reading_curves(X, times=dates, columns=[1], bandwidth="2w")
    assert found.curve.value.shape == (1, 160)
    assert found.bandwidth.tolist() == [14.0]
    assert found.unit == "day"
    assert found.n_units == 120
    assert found.curve.times[0] == dates[0]
    assert found.curve.times[-1] == dates[-1]
    assert (reading_curves(X, times=dates, at_least="9d").bandwidth >= 9).all()


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_hardly_any_documents(n):
    found = reading_curves(sp.csr_array(np.ones((n, 2))), times=np.arange(float(n)))
    assert found.curve.value.shape == (2, min(n, 1) if n < 2 else 160)
    assert ((found.curve.lower <= found.curve.value) & (found.curve.value <= found.curve.upper)).all()


def test_all_documents_at_one_time():
    found = reading_curves(sp.csr_array(np.eye(4)), times=np.zeros(4))
    np.testing.assert_allclose(found.curve.value, 0.25)


def test_a_word_that_never_occurs_has_a_band_from_zero():
    X, day = stream()
    X = sp.csr_array(sp.hstack([X, sp.csr_array((X.shape[0], 1))]))
    found = reading_curves(X, times=day, columns=[2])
    assert (found.curve.value == 0).all()
    assert (found.curve.upper > 0).all()
    assert (found.curve.upper < 0.1).all()


def test_bad_bandwidths_are_refused():
    X, day = stream()
    with pytest.raises(InvalidInput, match="positive"):
        reading_curves(X, times=day, bandwidth=0.0)
    with pytest.raises(InvalidInput, match="plain numbers"):
        reading_curves(X, times=day, bandwidth="2w")


def test_an_event_of_a_few_days_leaves_the_rest_of_the_curve_sure():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(100.0), 50)
    held = rng.random(len(day)) < np.where((day >= 60) & (day < 62), 0.5, 0.002)
    X = sp.csr_array(held[:, None].astype(float))
    found = reading_curves(X, times=day, when=[20.0, 61.0], narrow=[True])
    assert found.bandwidth[0] == reading_bandwidths(np.arange(100.0)).min()
    assert found.curve.value[0, 1] > 0.3
    assert found.curve.upper[0, 0] < 0.1
    with pytest.raises(InvalidInput, match="narrow must be 1 truth values"):
        reading_curves(X, times=day, narrow=[True, False])


def test_an_event_is_the_highest_point_of_its_curve_although_thin_weeks_have_higher_shares():
    """An event of three days in a daily stream; before it one busy day per week, after it a month of hardly any."""
    weekly, daily, thin = np.arange(0.0, 70, 7), np.arange(70.0, 130), np.arange(132.0, 160, 2)
    days = np.concatenate([weekly, daily, thin]) + 0.5
    totals = np.concatenate([np.full(10, 150), np.full(60, 300), np.full(14, 1)])
    uses = np.zeros(len(days), dtype=int)
    uses[[2, 3]] = 2
    uses[[40, 41, 42]] = 8
    uses[[75, 79]] = 1
    times = np.repeat(days, totals)
    having = np.concatenate([np.arange(n) < k for n, k in zip(totals, uses)])
    found = reading_curves(sp.csr_array(having[:, None].astype(float)), times=times, narrow=[True])
    peak = found.curve.times[np.nanargmax(found.curve.value[0])]
    assert days[40] - 1 <= peak <= days[42] + 1
    assert np.isnan(found.curve.value[0][found.curve.times > 140]).all()
    plain = reading_curves(sp.csr_array(having[:, None].astype(float)), times=times)
    assert np.isnan(plain.curve.value[0][plain.curve.times > 150]).all()
    assert not np.isnan(plain.curve.value[0][plain.curve.times < 120]).any()


def test_counts_of_every_kind_give_the_same():
    X, day = stream()
    expected = reading_curves(X, times=day).curve.value
    dense = X.toarray()
    for given in (
        dense.astype(np.float16),
        dense.astype(">f8"),
        dense.astype(object),
        pd.DataFrame(dense).astype("Int64"),
    ):
        np.testing.assert_array_equal(reading_curves(given, times=day).curve.value, expected)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "NaN"), (1j, "[Cc]omplex"), (-1, "Negative")])
def test_values_that_are_not_counts_are_refused(value, message):
    with pytest.raises(ValueError, match=message):
        reading_curves(np.full((4, 2), value), times=range(4))
