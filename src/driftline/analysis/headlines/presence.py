"""Presence: the number of documents of each unit with each word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.streams.unit_counts import rows_with_word

N_CELLS = 60
"""Number of cells with about equal numbers of documents; a window begins and ends at cell boundaries."""


class Presence(NamedTuple):
    """Documents with each word by unit: `with_word` (units × words, CSC), and `documents`, all those of each unit."""

    with_word: sp.csc_array
    documents: Floats

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.documents)


def presence_of(counts: Counts, index: Ints, n_units: int) -> Presence:
    """Count documents with each word by unit; `index` is the unit of every document."""
    return Presence(*rows_with_word(counts, index, n_units))


def halves_within_units(counts: Counts, index: Ints, n_units: int) -> tuple[Presence, Presence]:
    """Return the presence in every second document of each unit, and in the others.

    >>> halves = halves_within_units(sp.csr_array([[1], [0], [1]]), np.array([0, 0, 0]), 1)
    >>> [half.with_word.toarray().tolist() for half in halves]
    [[[2.0]], [[0.0]]]
    """
    order = np.argsort(index, kind="stable")
    sizes = np.bincount(index, minlength=n_units)
    place = np.empty(len(index), dtype=np.int64)
    place[order] = np.arange(len(index)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first, second = (np.flatnonzero(place % 2 == parity) for parity in (0, 1))
    return presence_of(counts[first], index[first], n_units), presence_of(counts[second], index[second], n_units)


def cells_of(documents: Floats, n_cells: int = N_CELLS) -> Ints:
    """Return the cell of every unit: consecutive units that together contain about one `n_cells`-th of the documents.

    >>> cells_of(np.array([1.0, 1, 1, 1, 4]), 3)
    array([0, 0, 0, 1, 2])
    """
    if len(documents) <= n_cells:
        return np.arange(len(documents))
    middle = (np.cumsum(documents) - documents / 2) / max(documents.sum(), 1e-300)
    wanted = np.minimum((middle * n_cells).astype(np.int64), n_cells - 1)
    return np.unique(wanted, return_inverse=True)[1]
