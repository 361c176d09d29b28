r"""Words whose residuals are mostly those of one unit, and their counts without it.

With residuals :math:`r_d = c_d - n_d p` over units :math:`d`, :math:`p = \sum c / \sum n`, the largest unit :math:`m`
has the share :math:`r_m^2 / \sum_d r_d^2` (1) of the energy. Without it the word's share is
:math:`p' = \sum_{d \ne m} c_d / \sum_{d \ne m} n_d`, and the unit has the count :math:`n_m p'` (2): no residual.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints
from driftline.local.changed_words.unit_weights import squared_residuals
from driftline.smoothing.grouping import column_blocks

MOST_OF_ENERGY = 0.5
"""Share of a word's energy (1) above which the energy is mostly that of one unit."""


class _Largest(NamedTuple):
    """Of every word: the entry of its largest residual, and that residual."""

    entry: Ints
    residual: Floats


def mostly_one_unit(counts: sp.csc_array, tokens: Floats) -> Bools:
    """Return for every word whether one unit has most of the energy of its residuals; counts are units × words.

    >>> counts = sp.csc_array(np.array([[0, 2, 9, 0, 0], [2, 3, 2, 2, 3]]).T)
    >>> mostly_one_unit(counts, np.full(5, 10.0))
    array([ True, False])
    """
    energy = squared_residuals(counts, tokens)
    found: Bools = _largest(counts, tokens).residual ** 2 > MOST_OF_ENERGY * energy
    return found


def without_largest_unit(counts: sp.csc_array, tokens: Floats) -> sp.csc_array:
    """Return the counts with that of each word's largest unit replaced by its expectation from the others (2).

    >>> counts = sp.csc_array(np.array([[1, 1, 9, 1, 1]]).T)
    >>> without_largest_unit(counts, np.full(5, 10.0)).toarray().ravel()
    array([1., 1., 1., 1., 1.])
    """
    entry = _largest(counts, tokens).entry
    values = counts.data.astype(np.float64)
    used = np.flatnonzero(entry >= 0)
    largest = entry[used]
    own = tokens[counts.indices[largest]]
    rest = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()[used] - values[largest]
    values[largest] = own * rest / np.maximum(tokens.sum() - own, 1e-300)
    return sp.csc_array((values, counts.indices, counts.indptr), shape=counts.shape)


def _largest(counts: sp.csc_array, tokens: Floats) -> _Largest:
    """Return the entry (an index of `counts.data`) of each word's largest residual; -1 for a word without entries."""
    share = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() / max(tokens.sum(), 1e-300)
    entry, residual = np.full(counts.shape[1], -1, dtype=np.int64), np.zeros(counts.shape[1])
    for block in column_blocks(counts):
        first = block.columns.start
        excess = counts.data[block.entries] - share[block.columns][block.column] * tokens[counts.indices[block.entries]]
        ascending = np.lexsort((excess, block.column))
        column = block.column[ascending]
        last = np.flatnonzero(np.append(column[1:] != column[:-1], True)) if len(column) else column
        words = first + column[last]
        entry[words] = block.entries.start + ascending[last]
        residual[words] = np.maximum(excess[ascending[last]], 0.0)
    return _Largest(entry, residual)
