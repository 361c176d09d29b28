"""Sums by group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints

BLOCK = 2_000_000
"""Number of entries of a matrix that are processed together."""


class ColumnBlock(NamedTuple):
    """Some columns of a CSC matrix: their numbers, the places of their entries, and the column of each, from zero."""

    columns: slice
    entries: slice
    column: Ints

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Return the sum of the values of each column, one value per entry."""
        return group_sums(self.column, values, self.columns.stop - self.columns.start)


def column_blocks(matrix: sp.csc_array, size: int | None = None) -> Iterator[ColumnBlock]:
    """Yield all columns, in blocks of at most `size` entries (or one column), so that intermediate results stay small.

    The usual size is `BLOCK`.

    >>> matrix = sp.csc_array([[1.0, 0.0, 2.0], [3.0, 0.0, 4.0]])
    >>> [(block.columns, block.sums(matrix.data[block.entries])) for block in column_blocks(matrix, 2)]
    [(slice(0, 2, None), array([4., 0.])), (slice(2, 3, None), array([6.]))]
    """
    size = BLOCK if size is None else size
    indptr, n_columns, first = matrix.indptr, matrix.shape[1], 0
    while first < n_columns:
        last = int(np.searchsorted(indptr, int(indptr[first]) + size, side="right")) - 1
        last = min(max(last, first + 1), n_columns)
        column = np.repeat(np.arange(last - first), np.diff(indptr[first : last + 1]))
        yield ColumnBlock(slice(first, last), slice(int(indptr[first]), int(indptr[last])), column)
        first = last


def group_sums(group: Ints, values: npt.ArrayLike, n_groups: int) -> Floats:
    """Return the sum of the values of each group, groups being numbered from zero.

    >>> group_sums([0, 2, 2], [1.0, 2.0, 3.0], 4)
    array([1., 0., 5., 0.])
    """
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64, copy=False)


def group_sums_of_rows(groups: Ints, rows: Floats, n_groups: int) -> Floats:
    """Return `group_sums` of every row of values by each of several groupings: groupings × rows × groups.

    >>> group_sums_of_rows([[0, 2, 2], [1, 1, 0]], np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 3)
    array([[[ 1.,  0.,  5.],
            [ 4.,  0., 11.]],
    <BLANKLINE>
           [[ 3.,  3.,  0.],
            [ 6.,  9.,  0.]]])
    """
    found = np.empty((len(groups), len(rows), n_groups))
    for group, sums in zip(groups, found):
        for values, place in zip(rows, sums):
            place[:] = group_sums(group, values, n_groups)
    return found


def gathering(group: Ints, n_groups: int) -> sp.csr_array:
    """Return the matrix that sums rows by group: its product with documents × words is groups × words.

    >>> gathering([0, 2, 2], 3) @ np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    array([[ 1.,  5.],
           [ 0.,  0.],
           [ 5., 13.]])
    """
    n = len(group)
    return sp.csr_array((np.ones(n), (group, np.arange(n))), shape=(n_groups, n))
