import numpy as np
import pytest
import scipy.sparse as sp

from driftline.local.reading.word_cycles import _gains, find_cycles, phases
from driftline.streams.unit_counts import unit_counts


def stream(rates, n_days, per_day=8, start="2010-01-01", seed=0):
    """Documents per day with words whose rates are functions of the date."""
    rng = np.random.default_rng(seed)
    days = np.datetime64(start) + np.repeat(np.arange(n_days), per_day)
    X = np.column_stack([rng.random(len(days)) < rate(days) for rate in rates]).astype(float)
    return unit_counts(sp.csr_array(X), times=days)


def month(days):
    return days.astype("datetime64[M]").astype(int) % 12


def weekday(days):
    return (days.astype("datetime64[D]").astype(int) + 3) % 7


def still(days):
    return np.full(len(days), 0.04)


def test_phases_are_those_of_the_calendar():
    days = np.arange("2019-12-25", "2020-03-05", dtype="datetime64[D]")
    values = days.astype(int).astype(float) + 0.7
    np.testing.assert_array_equal(phases(values, "year"), month(days))
    np.testing.assert_array_equal(phases(values, "week"), weekday(days))
    assert phases(np.array([18316.0]), "week") == 0  # 24 February 2020 was a Monday


def test_a_yearly_word_is_found_with_its_month_and_its_ratio():
    counted = stream([lambda d: 0.02 + 0.12 * (month(d) == 11), still, still], 4 * 365 + 1)
    found = find_cycles(counted, "year")
    assert found.columns.tolist() == [0]
    assert found.peak.tolist() == [11]
    assert found.ratio[0] == pytest.approx(7.0, rel=0.25)
    assert (found.agreeing[0], found.n_blocks[0]) == (4, 4)
    assert found.factors(counted.times)[0, 0] == found.profile[0, 0]
    assert find_cycles(counted, "week").columns.tolist() == []


def test_a_weekly_word_is_found_with_its_day():
    counted = stream([still, lambda d: 0.02 + 0.1 * (weekday(d) == 5)], 200)
    found = find_cycles(counted, "week")
    assert found.columns.tolist() == [1]
    assert found.peak.tolist() == [5]
    assert find_cycles(counted, "year").columns.tolist() == []


def test_trends_and_single_events_are_not_cycles():
    n_days = 4 * 365

    def rising(days):
        return np.linspace(0.01, 0.2, n_days)[(days - days[0]).astype(int)]

    def once(days):
        return 0.01 + 0.3 * ((days >= np.datetime64("2011-12-01")) & (days < np.datetime64("2012-01-01")))

    assert find_cycles(stream([rising, once, still], n_days), "year").columns.tolist() == []


@pytest.mark.parametrize("period", ["year", "week"])
def test_bursts_of_weeks_at_random_times_are_hardly_ever_called_cycles(period):
    rng = np.random.default_rng(1)
    n_days, n_words = 4 * 365, 300
    rates = np.full((n_days, n_words), 0.02)
    for word in range(n_words):
        for start in rng.integers(0, n_days - 40, 4):
            rates[start : start + 40, word] += 0.15
    days = np.datetime64("2010-01-01") + np.repeat(np.arange(n_days), 8)
    X = rng.random((len(days), n_words)) < np.repeat(rates, 8, axis=0)
    assert len(find_cycles(unit_counts(sp.csr_array(X.astype(float)), times=days), period).columns) <= 2


def test_short_streams_numbers_and_rare_words_have_none():
    def december(days):
        return 0.02 + 0.2 * (month(days) == 11)

    assert len(find_cycles(stream([december], 2 * 365), "year").columns) == 0
    assert len(find_cycles(stream([lambda d: 0.3 * (weekday(d) == 1)], 49), "week").columns) == 0
    numbers = unit_counts(sp.csr_array(np.ones((900, 1))), times=np.arange(900.0))
    assert len(find_cycles(numbers, "week").columns) == 0
    assert len(find_cycles(stream([lambda d: np.zeros(len(d))], 200), "week").columns) == 0


def test_gains_are_those_of_the_equation():
    rng = np.random.default_rng(0)
    counts, expected = rng.poisson(4.0, (3, 4, 2)).astype(float), rng.random((3, 4, 2)) + 3.0
    found = _gains(counts, expected, np.array([1.0, 2.0]))
    for b in range(3):
        for w in range(2):
            others = [i for i in range(3) if i != b]
            r = [
                (sum(counts[i, p, w] for i in others) + 2) / (sum(expected[i, p, w] for i in others) + 2)
                for p in range(4)
            ]
            flat = sum(expected[b, p, w] * r[p] for p in range(4)) / sum(expected[b, p, w] for p in range(4))
            gain = sum(counts[b, p, w] * np.log(r[p] / flat) for p in range(4)) / (w + 1)
            assert found[b, w] == pytest.approx(gain)
