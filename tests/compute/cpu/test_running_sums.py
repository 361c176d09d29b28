"""The compiled sums on plain arrays."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.running_sums import direct_sums_at_pairs, sums_at_pairs, sums_on_grid, sums_on_ticks

INDPTR = np.array([0, 2, 2, 3])
ROWS = np.array([0, 2, 1])
COUNTS = np.array([4.0, 2.0, 1.0])
TIMES = np.array([0.0, 1.0, 2.0])


def test_triangular_on_a_grid():
    found = sums_on_grid(INDPTR, ROWS, COUNTS, TIMES, np.array([0.0, 1.0, 5.0]), 2.0, True, False, True)
    assert found.tolist() == [[4.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.5, 1.0, 0.0]]


def test_plain_and_paired_arithmetic_agree_on_whole_numbers():
    rng = np.random.default_rng(0)
    times = np.sort(rng.choice(1000, 50, replace=False)).astype(float)
    counts = rng.integers(1, 9, 50).astype(float)
    rows, indptr = np.arange(50), np.array([0, 20, 50])
    rows = np.concatenate([np.sort(rng.choice(50, 20, replace=False)), np.sort(rng.choice(50, 30, replace=False))])
    for triangular in (True, False):
        for past in (True, False):
            plain, paired = (
                sums_on_grid(indptr, rows, counts, times, times, 37.0, triangular, past, exact)
                for exact in (True, False)
            )
            np.testing.assert_allclose(plain, paired, rtol=1e-14)


def test_pairs_by_running_sums_and_directly():
    pair_indptr, pair_times = np.array([0, 1, 2, 3]), np.array([1.0, 1.0, 0.5])
    fast = sums_at_pairs(INDPTR, ROWS, COUNTS, TIMES, pair_indptr, pair_times, 2.0, True, False, False)
    slow = direct_sums_at_pairs(INDPTR, ROWS, COUNTS, TIMES, pair_indptr, pair_times, 2.0, 1, 1.0, False)
    np.testing.assert_allclose(fast, [3.0, 0.0, 0.75])
    np.testing.assert_allclose(slow, fast)


def test_whole_ticks_in_blocks_of_columns():
    """More columns than a block has, evaluated at ticks inside, at the ends and outside."""
    rng = np.random.default_rng(1)
    n_columns, ticks = 300, np.array([0, 1, 4, 9])
    rows = np.concatenate([np.sort(rng.choice(4, 2, replace=False)) for _ in range(n_columns)])
    counts, indptr = rng.integers(1, 9, 2 * n_columns).astype(float), np.arange(0, 2 * n_columns + 1, 2)
    when, bandwidth = np.array([0.0, 3.0, 9.0, 14.0]), 3.5
    edges = np.column_stack([when - 3, when, when + 4]).clip(0, 10).astype(np.int64)
    for triangular in (True, False):
        for past in (True, False):
            found = sums_on_ticks(indptr, rows, counts, ticks, 10, when, edges, bandwidth, triangular, past)
            expected = sums_on_grid(indptr, rows, counts, ticks * 1.0, when, bandwidth, triangular, past, False)
            np.testing.assert_allclose(found, expected.T, rtol=1e-13, atol=1e-13)
