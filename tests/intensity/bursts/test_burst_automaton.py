"""The automaton on one series: nested bursts, ties, disorder, units, wrong input."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import burst as oracle

from driftline.core.errors import InvalidInput
from driftline.intensity import BurstAutomaton

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def rows(automaton, *names):
    return [tuple(row.values()) for row in automaton.bursts_.select(names or ["start", "end", "level"]).to_pylist()]


def bursty_times(seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.exponential(np.repeat([10.0, 1.0, 0.1, 1.0, 10.0], 80)))


def test_the_states_that_are_left_out_are_never_useful():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        times = np.cumsum(rng.exponential(rng.choice([0.05, 1.0, 8.0], 30)))
        automaton = BurstAutomaton(scaling=1.7, gamma=0.3).fit(times)
        gaps = np.diff(times)
        costs = oracle.gap_costs(gaps, 1.7, len(automaton.rates_) + 6)
        assert automaton.cost_ == pytest.approx(oracle.cheapest_by_dense_viterbi(costs, 0.3 * np.log(len(gaps))))
        assert automaton.rates_[-1] * gaps.min() >= 1 - 1e-9


def test_batches_equal_enumeration():
    relevant, totals = [1, 0, 9, 8, 15, 0], [20, 10, 20, 25, 16, 30]
    automaton = BurstAutomaton(scaling=1.5, gamma=0.5).fit(relevant, totals=totals)
    costs = oracle.batch_costs(relevant, totals, 1.5, len(automaton.rates_))
    best, _ = oracle.cheapest_by_enumeration(costs, 0.5 * np.log(6))
    assert automaton.cost_ == pytest.approx(best)
    assert oracle.path_cost(costs, 0.5 * np.log(6), automaton.states_) == pytest.approx(best)


def test_a_burst_within_a_burst_is_found_where_it_is():
    times = bursty_times()
    automaton = BurstAutomaton().fit(times)
    outer = max(rows(automaton), key=lambda row: (row[2] == 2) * (row[1] - row[0]))
    inner = max(automaton.bursts_.to_pylist(), key=lambda row: row["level"])
    assert abs(outer[0] - times[80]) < 15
    assert abs(outer[1] - times[320]) < 15
    assert times[155] < inner["start"]
    assert inner["end"] < times[245]
    table = automaton.bursts_.to_pylist()
    for row in table:
        if row["parent"] is not None:
            up = table[row["parent"]]
            assert up["start"] <= row["start"]
            assert row["end"] <= up["end"]
            assert up["level"] == row["level"] - 1
    assert all(row["weight"] > 0 for row in table)


def test_the_order_and_the_unit_of_time_do_not_matter():
    times = bursty_times(3)
    plain = BurstAutomaton().fit(times)
    shuffled = BurstAutomaton().fit(np.random.default_rng(0).permutation(times))
    assert shuffled.bursts_.equals(plain.bursts_)
    for unit in (1e-12, 1e15, 1e90):
        scaled = BurstAutomaton().fit(times * unit)
        np.testing.assert_array_equal(scaled.states_, plain.states_)
        np.testing.assert_allclose(scaled.rates_ * unit, plain.rates_, rtol=1e-9)


def test_dates_come_back_as_dates():
    days = np.array([0, 30, 60, 61, 62, 63, 64, 65, 66, 67, 68, 98, 128])
    automaton = BurstAutomaton().fit(np.datetime64("2003-01-01") + days)
    assert automaton.bursts_["start"][0].as_py().isoformat() == "2003-03-02T00:00:00"
    assert automaton.bursts_["n_events"][0].as_py() == 9


def test_ties_are_spread_over_one_tick_of_the_clock():
    """Days with ten documents each among days with one: the ten share their day, and that is a burst."""
    times = np.sort(np.concatenate([np.arange(40), np.repeat([20, 21], 9)]).astype(float))
    automaton = BurstAutomaton().fit(times)
    assert rows(automaton)[0][:2] == (20.0, 22.0)
    spread = np.sort(np.concatenate([np.arange(20), 20 + np.arange(20) / 10, np.arange(22, 40)]).astype(float))
    np.testing.assert_array_equal(automaton.states_, BurstAutomaton().fit(spread).states_)


@pytest.mark.parametrize("times", [[], [3.0], [3.0, 3.0, 3.0], [1.0, 2.0], np.arange(50.0)])
def test_nothing_bursts_where_nothing_changes(times):
    automaton = BurstAutomaton().fit(times)
    assert automaton.bursts_.num_rows == 0
    assert automaton.states_.tolist() == [0] * max(0, len(times) - 1)


@pytest.mark.parametrize(
    ("relevant", "totals"),
    [([], []), ([0, 0], [5, 5]), ([5, 5], [5, 5]), ([0, 0], [0, 0]), ([2], [9]), ([2, 2], [9, 9])],
)
def test_nothing_bursts_in_even_batches(relevant, totals):
    automaton = BurstAutomaton().fit(relevant, totals=totals)
    assert automaton.bursts_.num_rows == 0
    assert np.isfinite(automaton.cost_)


def test_batches_begin_at_the_given_times():
    start = np.datetime64("2003-03-01") + np.arange(6)
    automaton = BurstAutomaton().fit([1, 0, 9, 8, 1, 0], totals=[20] * 6, times=start)
    row = automaton.bursts_.to_pylist()[0]
    assert (row["start"].day, row["end"].day, row["n_events"]) == (3, 5, 17)
    mixed = np.array([3, 0, 5, 1, 4, 2])
    again = BurstAutomaton().fit(np.array([1, 0, 9, 8, 1, 0])[mixed], totals=[20] * 6, times=start[mixed])
    assert again.bursts_.equals(automaton.bursts_)


def test_a_higher_price_and_a_lower_ceiling_mean_fewer_bursts():
    times = bursty_times()
    assert BurstAutomaton(gamma=30).fit(times).bursts_.num_rows < BurstAutomaton().fit(times).bursts_.num_rows
    assert BurstAutomaton(max_level=2).fit(times).states_.max() == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [3, 1], "totals": [2, 2]}, "batch 0 has 3 relevant documents of 2"),
        ({"X": [1, -1], "totals": [2, 2]}, "batch 1"),
        ({"X": [1, 1], "totals": [2]}, "shape"),
        ({"X": [1.0, np.nan, 2.0]}, "time of document 1"),
        ({"X": [1.0, 2.0], "times": [1.0, 2.0]}, "times= belongs to batches"),
    ],
)
def test_wrong_input_is_refused_with_its_place(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        BurstAutomaton().fit(**arguments)


def test_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match="scaling"):
        BurstAutomaton(scaling=1.0).fit([1.0, 2.0])
