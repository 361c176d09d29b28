"""The automaton's loops against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import burst as oracle

from driftline.compute.cpu.burst import (
    batch_costs,
    batch_levels,
    burst_weights,
    cheapest_path,
    nested_bursts,
    word_bursts,
)


def run(costs_of_events, costs_of_exposure, events, exposure, climb_cost):
    path = np.zeros(len(events), dtype=np.int16)
    cost = cheapest_path(
        np.asarray(events, float),
        np.asarray(exposure, float),
        np.asarray(costs_of_events, float),
        np.asarray(costs_of_exposure, float),
        climb_cost,
        path,
    )
    return cost, path


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.01, 20), min_size=1, max_size=7), st.floats(1.2, 4), st.floats(0, 3), st.integers(1, 4))
def test_cheapest_path_equals_enumeration(gaps, scaling, climb_cost, n_states):
    rates = scaling ** np.arange(n_states) / np.mean(gaps)
    cost, path = run(-np.log(rates), rates, np.ones(len(gaps)), gaps, climb_cost)
    costs = oracle.gap_costs(gaps, scaling, n_states)
    best, _ = oracle.cheapest_by_enumeration(costs, climb_cost)
    assert cost == pytest.approx(best, rel=1e-10, abs=1e-10)
    assert oracle.path_cost(costs, climb_cost, path) == pytest.approx(best, rel=1e-10, abs=1e-10)


def test_cheapest_path_equals_dense_viterbi_on_a_long_series():
    rng = np.random.default_rng(0)
    gaps = rng.exponential(np.repeat([4.0, 0.2, 1.0, 0.02], 200))
    rates = 2.0 ** np.arange(14) / gaps.mean()
    cost, path = run(-np.log(rates), rates, np.ones(len(gaps)), gaps, np.log(len(gaps)))
    costs = oracle.gap_costs(gaps, 2.0, 14)
    assert cost == pytest.approx(oracle.cheapest_by_dense_viterbi(costs, np.log(len(gaps))), rel=1e-12)
    assert oracle.path_cost(costs, np.log(len(gaps)), path) == pytest.approx(cost, rel=1e-12)
    assert path[300] > path[100], "the dense stretch is a burst"


def test_equal_costs_take_the_lower_state():
    _, path = run([0, 0], [0, 0], [1, 1, 1], [1, 1, 1], 0.0)
    assert path.tolist() == [0, 0, 0]


def test_no_step_costs_nothing():
    cost, path = run([0.5, 0.1], [1, 2], [], [], 1.0)
    assert cost == 0
    assert len(path) == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 4), max_size=12))
def test_nested_bursts_are_the_longest_stretches(path):
    first, last, level, parent = nested_bursts(np.array(path, dtype=np.int16))
    rows = list(zip(first.tolist(), last.tolist(), level.tolist()))
    assert set(rows) == oracle.bursts_of_path(path)
    assert len(set(rows)) == len(rows)
    for (begin, end, height), up in zip(rows, parent.tolist()):
        if height == 1:
            assert up == -1
        else:
            assert rows[up][0] <= begin
            assert end <= rows[up][1]
            assert rows[up][2] == height - 1


def test_weight_is_the_gain_over_the_level_below():
    events, exposure = np.array([3.0, 8, 9, 1]), np.array([17.0, 12, 11, 19])
    event_cost, exposure_cost = batch_costs(0.2, 1.5, 3)
    first, last, level = np.array([0, 1]), np.array([3, 2]), np.array([1, 2])
    weight, inside = burst_weights(first, last, level, events, exposure, event_cost, exposure_cost)
    assert inside.tolist() == [21, 17]
    costs = oracle.batch_costs_at([3, 8, 9, 1], [20] * 4, [0.2, 0.3, 0.45])
    assert weight[0] == pytest.approx(sum(row[0] - row[1] for row in costs))
    assert weight[1] == pytest.approx(sum(row[1] - row[2] for row in costs[1:3]))


def test_levels_stop_at_the_largest_share_and_below_one():
    assert batch_levels(0.1, 2.0, 0.1, 100) == 1
    assert batch_levels(0.1, 2.0, 0.35, 100) == 3  # 0.1, 0.2, 0.4
    assert batch_levels(0.1, 2.0, 1.0, 100) == 4  # 0.8 is the last below one
    assert batch_levels(0.1, 2.0, 1.0, 1) == 2


def dense_word(relevant, totals, scaling, gamma):
    """One word over all its bins, none skipped."""
    relevant, totals = np.asarray(relevant, float), np.asarray(totals, float)
    base = relevant.sum() / totals.sum()
    k = batch_levels(base, scaling, (relevant / totals).max(), 1000)
    event_cost, exposure_cost = batch_costs(base, scaling, k)
    path = np.zeros(len(totals), dtype=np.int16)
    cheapest_path(relevant, totals - relevant, event_cost, exposure_cost, gamma * np.log(len(totals)), path)
    first, last, level, _ = nested_bursts(path)
    weight, inside = burst_weights(first, last, level, relevant, totals - relevant, event_cost, exposure_cost)
    return first, last, level, weight, inside


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.floats(1.3, 3), st.floats(0.1, 2))
def test_skipping_bins_without_the_word_is_exact(seed, n_bins, scaling, gamma):
    rng = np.random.default_rng(seed)
    totals = rng.integers(1, 30, n_bins)
    share = np.where(rng.random((5, n_bins)) < 0.5, 0.02, 0.6) * (rng.random((5, n_bins)) < 0.6)
    relevant = rng.binomial(totals, share)
    start = np.concatenate([[0], np.cumsum((relevant > 0).sum(axis=1))])
    _, bins = np.nonzero(relevant)
    table, numbers = word_bursts(
        start, bins, relevant[relevant > 0].astype(float), totals.astype(float), float(n_bins), scaling, gamma, 1000
    )
    for w in range(5):
        rows = table[0] == w
        if relevant[w].sum() in (0, totals.sum()):
            assert not rows.any()
            continue
        first, last, level, weight, inside = dense_word(relevant[w], totals, scaling, gamma)
        np.testing.assert_array_equal(table[1:4, rows], [first, last, level])
        np.testing.assert_allclose(numbers[:, rows], [weight, inside], rtol=1e-9, atol=1e-9)


def test_more_bursts_than_the_first_buffer_holds():
    relevant = np.tile([0.0, 9.0], 30)
    start = np.arange(0, 41 * 30, 30)
    bins = np.tile(np.flatnonzero(relevant), 40)
    table, _numbers = word_bursts(start, bins, np.full(len(bins), 9.0), np.full(60, 10.0), 60.0, 1.4, 0.001, 1000)
    one = table[:, table[0] == 39]
    assert table.shape[1] == 40 * one.shape[1] > 1024
    inner = table[3] > 1
    assert (table[0, table[4, inner]] == table[0, inner]).all(), "a parent belongs to the same word"
    assert (table[3, table[4, inner]] == table[3, inner] - 1).all()
