"""Sums by group."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.smoothing.grouping import column_blocks, group_sums


def test_sums_and_empty_groups():
    assert group_sums(np.array([2, 0, 2]), np.array([1.0, 5.0, 2.5]), 4).tolist() == [5.0, 0.0, 3.5, 0.0]
    assert group_sums(np.empty(0, dtype=int), np.empty(0), 2).dtype == np.float64


@pytest.mark.parametrize("size", [1, 5, 17, 10_000])
def test_blocks_of_columns_are_all_columns(size):
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.4, (30, 12)) * (rng.random(12) < 0.7)
    matrix = sp.csc_array(dense.astype(float))
    found, at = np.full(12, np.nan), 0
    for block in column_blocks(matrix, size):
        assert block.columns.start == at
        at = block.columns.stop
        n_entries = block.entries.stop - block.entries.start
        assert n_entries == len(block.column)
        assert n_entries <= size or at - block.columns.start == 1
        found[block.columns] = block.sums(matrix.data[block.entries])
    assert at == 12
    np.testing.assert_array_equal(found, dense.sum(axis=0))


def test_nothing_has_no_blocks():
    assert list(column_blocks(sp.csc_array((5, 0)))) == []
    assert [block.columns for block in column_blocks(sp.csc_array((5, 3)))] == [slice(0, 3)]
