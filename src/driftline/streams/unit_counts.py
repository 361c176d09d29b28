"""Counts by unit: the number of documents (or passages) of each day that contain each word.

Documents of one day share its events. Methods with the day as the unit of exchange (curves for display, drift speed,
ratios, cycles) start from these sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.streams.units import Units, units_on_axis

_FEWEST_SHARED_DAYS = 10


class UnitCounts(NamedTuple):
    """Items (documents or passages) with each word, summed over units.

    `counts` is CSC, units × words; `totals` is the number of items of each unit and `times` its mean time on the
    `axis` of the times given (days since 1970 for dates). `kind` is that of the units: ``"day"``, ``"6h"``, ….
    """

    times: Floats
    counts: sp.csc_array
    totals: Floats
    kind: str
    axis: TimeAxis

    @property
    def shares(self) -> Floats:
        """The share of all items that contain each word."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64).ravel() / max(float(self.totals.sum()), 1.0)

    def words(self, columns: Ints) -> UnitCounts:
        """Return the same units with only some of the words."""
        return self._replace(counts=sp.csc_array(self.counts[:, columns]))


def unit_counts(X: Counts, *, times: Times, unit: object = "auto") -> UnitCounts:
    """Count the rows of X (documents, or passages) that contain each word, by unit.

    `unit` is as in `driftline.streams.units.units_of`; if ``"auto"`` finds no unit longer than a document although most
    documents share their time with others (dates without a time of day), it is the day. A word counts once per row.

    >>> X = sp.csr_array([[2, 0], [1, 1], [0, 1]])
    >>> counted = unit_counts(X, times=["2003-03-19T08:00", "2003-03-19T20:00", "2003-03-20T12:00"], unit="day")
    >>> counted.counts.toarray(), counted.totals
    (array([[2., 1.], [0., 1.]]), array([2., 1.]))
    """
    X = sp.csr_array(X)
    if X.nnz and X.data.min() < 0:
        raise InvalidInput("Negative values in the counts; pass how often each word occurs")
    axis = TimeAxis.of(times)
    units = counting_units(axis, axis.values(times, n=X.shape[0]), unit)
    counts, totals = rows_with_word(X, units.index, units.n)
    return UnitCounts(units.middle, counts, totals, units.kind, axis)


def rows_with_word(X: sp.csr_array, index: Ints, n_units: int) -> tuple[sp.csc_array, Floats]:
    """Return the number of rows of each unit with each word (units × words), and the number of rows of each unit.

    `index` is the unit of every row.

    >>> counts, totals = rows_with_word(sp.csr_array([[2, 0], [1, 1], [0, 1]]), np.array([0, 0, 1]), 3)
    >>> counts.toarray(), totals
    (array([[2., 1.], [0., 1.], [0., 0.]]), array([2., 1., 0.]))
    """
    presence = sp.csr_array(((X.data > 0).astype(np.float64), X.indices, X.indptr), shape=X.shape)
    rows = np.arange(X.shape[0])
    gather = sp.csr_array((np.ones(len(rows)), (index, rows)), shape=(n_units, len(rows)))
    counts = sp.csc_array(gather @ presence)
    counts.eliminate_zeros()
    counts.sort_indices()
    return counts, np.bincount(index, minlength=n_units).astype(np.float64)


def counting_units(axis: TimeAxis, t: Floats, unit: object = "auto") -> Units:
    """Return the units that `unit_counts` sums over, for times on an axis."""
    units = units_on_axis(axis, t, unit)
    if not (isinstance(unit, str) and unit == "auto" and units.kind == "document" and len(t)):
        return units
    days = np.floor(t) if axis.kind == "datetime" else np.zeros(len(t))
    shared = 2 * len(np.unique(t)) <= len(t)
    return units_on_axis(axis, t, "day") if shared and len(np.unique(days)) >= _FEWEST_SHARED_DAYS else units
