from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import headlines as oracle

from driftline.analysis.headlines.cross_fit import cross_fit, cross_fit_short, measure
from driftline.analysis.headlines.presence import Presence, cells_of, halves_within_units, presence_of

CELLS = np.arange(60)


def presence(counts, sizes):
    return Presence(sp.csc_array(np.atleast_2d(counts).T.astype(np.float64)), np.asarray(sizes, dtype=np.float64))


def test_a_ratio_is_that_of_the_oracle():
    rng = np.random.default_rng(0)
    sizes = rng.integers(5, 40, 30)
    counts = rng.binomial(sizes, 0.2, (20, 30))
    starts = rng.integers(0, 20, 20)
    windows = np.column_stack([starts, starts + rng.integers(1, 10, 20), np.ones(20, dtype=np.int64)])
    found = measure(presence(counts, sizes), np.arange(30), 30, windows)
    for row, (start, end, _), log, variance in zip(counts, windows, found.log_ratio, found.variance):
        inside = [start <= unit < end for unit in range(30)]
        assert (log, variance) == pytest.approx(oracle.log_ratio(row.tolist(), sizes.tolist(), inside))


def test_the_interval_covers_the_ratio_of_the_window_reported():
    """A step of three at a third of the stream, with days that differ; windows that miss the step dilute it."""
    rng = np.random.default_rng(1)
    sizes = rng.poisson(60, 120)
    level = np.where(np.arange(120) < 40, 3.0, 1.0)
    rate = 0.05 * level * rng.gamma(4.0, 0.25, (400, 120))
    cells = cells_of(sizes.astype(float))
    found = cross_fit(presence(rng.binomial(sizes, np.minimum(rate, 1.0)), sizes), cells)
    true = np.empty(400)
    for word, (start, end) in enumerate(zip(found.start, found.end)):
        inside = (cells >= start) & (cells < end)
        true[word] = np.average(level[inside], weights=sizes[inside]) / np.average(
            level[~inside], weights=sizes[~inside]
        )
    large = (found.lower >= 1.5) & (found.sign > 0)
    assert large.mean() > 0.85
    assert (found.lower <= true)[large].mean() > 0.96
    assert (found.upper >= true)[large].mean() > 0.9


def test_words_that_do_not_change_are_rarely_large():
    rng = np.random.default_rng(2)
    sizes = rng.poisson(50, 120)
    counts = rng.binomial(sizes, np.repeat([0.003, 0.02, 0.1], 700)[:, None] * rng.gamma(2.0, 0.5, (2100, 120)))
    found = cross_fit(presence(counts, sizes), cells_of(sizes.astype(float)))
    assert (found.lower >= 1.5).mean() < 0.01


def test_a_low_window_at_an_edge_is_reported_as_the_high_rest():
    counts = np.repeat([1, 8], [40, 20])
    found = cross_fit(presence(counts, np.full(60, 20)), CELLS)
    assert (found.start[0], found.end[0], found.sign[0]) == (40, 60, 1)
    falling = cross_fit(presence(counts[::-1], np.full(60, 20)), CELLS)
    assert (falling.start[0], falling.end[0], falling.sign[0]) == (0, 20, 1)


def test_a_low_window_in_the_middle_stays_low():
    counts = np.repeat([8, 1, 8], [26, 10, 24])
    found = cross_fit(presence(counts, np.full(60, 20)), CELLS)
    assert (found.start[0], found.end[0], found.sign[0]) == (26, 36, -1)
    assert found.lower[0] > 1.5


def test_halves_that_disagree_do_not_agree():
    odd = np.zeros(60, dtype=int)
    odd[11:21:2] = 9
    odd[40:50:2] = 9
    assert not cross_fit(presence(odd, np.full(60, 20)), CELLS).agree[0]


def test_an_event_of_a_day_is_confirmed_by_its_own_documents():
    rng = np.random.default_rng(3)
    index = np.repeat(np.arange(100), 20)
    words = rng.random((2000, 2)) < 0.01
    words[index == 57, 0] = rng.random(20) < 0.7
    X = sp.csr_array(words.astype(np.float64))
    found = cross_fit_short(halves_within_units(X, index, 100), presence_of(X, index, 100), 3)
    assert (found.start[0], found.end[0]) == (57, 58)
    assert found.agree[0]
    assert found.lower[0] > 3
    assert found.lower[1] < 3


def test_nothing_to_measure_gives_no_ratio():
    found = cross_fit(presence(np.zeros(10), np.full(10, 5)), np.arange(10))
    assert found.sign[0] == 0
    assert found.lower[0] == 0
    assert found.ratio[0] == 1
