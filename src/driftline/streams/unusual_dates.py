r"""Implausible dates: outliers far from all others, times of bulk imports, dates in the future.

One document dated 1970 extends a span of four months to thirty years, and hides all detail. Such documents are
identified here; callers that draw or test exclude them and report that.

- *Imports.* An instant that more than 30 documents, 1 % of all and 20 times as many as the 95th percentile of instants
  share. If half of the documents or more share such instants, or there are many, this is the usual dating of the
  stream, not an import.
- *The future.* Later than now and than the core, the middle 90 % of the other documents.
- *Outliers.* With :math:`W` the length of the core and :math:`n` documents, outwards from it: everything beyond the
  first gap longer than :math:`W \max(1/8, 20/n)` with at most :math:`\max(3, n/100)` documents beyond. Then, of 60
  cells of the rest, those at the edges with fewer than a twentieth of the documents of the median cell, up to 1 % of
  all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Times
from driftline.core.times import TimeAxis

_IMPORT_LEAST = 30
_IMPORT_TIMES_TIES = 20.0
_IMPORT_SHARE = 0.01
_MOST_IMPORTS = 3
_CORE = (0.05, 0.95)
_GAP_SHARE = 1 / 8
_GAP_DOCUMENTS = 20.0
_STRAY_LEAST = 3
_STRAY_SHARE = 0.01
_CELLS = 60
_EMPTY_CELL = 0.05
_FUTURE_TOLERANCE = 1.0  # a day: clocks and zones differ
_LEAST_DOCUMENTS = 5


class UnusualDates(NamedTuple):
    """The documents with unusual dates, one value per document and kind; no document is of two kinds."""

    early: Bools
    late: Bools
    future: Bools
    imported: Bools

    @property
    def any(self) -> Bools:
        """Whether a document's date is unusual."""
        return self.early | self.late | self.future | self.imported


def unusual_dates(times: Times, *, now: object = None) -> UnusualDates:
    """Find the documents with implausible dates; `now` defaults to the present.

    >>> days = np.datetime64("2003-01-01") + np.arange(500) // 4
    >>> found = unusual_dates(np.append(days, np.array(["1970-01-01", "2099-12-31"], dtype="datetime64[D]")))
    >>> int(found.early.sum()), int(found.late.sum()), int(found.future.sum())
    (1, 0, 1)
    """
    axis = TimeAxis.of(times)
    t = axis.values(times)
    nothing = np.zeros(len(t), dtype=np.bool_)
    if len(t) < _LEAST_DOCUMENTS:
        return UnusualDates(nothing, nothing, nothing, nothing)
    imported = _imports(t)
    future = nothing.copy()
    if axis.kind == "datetime":
        future = _future(t, ~imported, _now(now))
    used = ~(imported | future)
    low, high = _bounds(np.sort(t[used]))
    return UnusualDates(used & (t < low), used & (t > high), future, imported)


def _now(now: object) -> float:
    moment = np.datetime64("now", "us") if now is None else now
    return float(TimeAxis("datetime").values([moment])[0])


def _imports(t: Floats) -> Bools:
    _, instant, size = np.unique(t, return_inverse=True, return_counts=True)
    least = max(_IMPORT_LEAST, _IMPORT_TIMES_TIES * float(np.quantile(size, 0.95)), _IMPORT_SHARE * len(t))
    large = size > least
    if large.sum() > _MOST_IMPORTS or size[large].sum() * 2 > len(t):
        return np.zeros(len(t), dtype=np.bool_)
    return large[instant]


def _future(t: Floats, used: Bools, now: float) -> Bools:
    if not used.any() or np.quantile(t[used], _CORE[1]) > now:
        return np.zeros(len(t), dtype=np.bool_)
    return used & (t > now + _FUTURE_TOLERANCE)


def _bounds(t: Floats) -> tuple[float, float]:
    """Return the first and the last of the sorted times that are not outliers."""
    if len(t) < _LEAST_DOCUMENTS:
        return -np.inf, np.inf
    first, last = 0, len(t) - 1
    low, high = np.quantile(t, _CORE)
    reach = (high - low) * max(_GAP_SHARE, _GAP_DOCUMENTS / len(t))
    beyond = max(_STRAY_LEAST, int(_STRAY_SHARE * len(t)))
    if high > low:
        gaps = np.diff(t)
        wide = np.flatnonzero(gaps > reach)
        before = wide[wide < beyond]  # a gap after index i has i + 1 documents before it
        after = wide[wide >= len(t) - 1 - beyond]
        first = int(before.max()) + 1 if len(before) and t[before.max()] < low else 0
        last = int(after.min()) if len(after) and t[after.min() + 1] > high else len(t) - 1
    return _trimmed(t[first : last + 1], int(_STRAY_SHARE * len(t)))


def _trimmed(t: Floats, most: int) -> tuple[float, float]:
    """Return the first and the last time after removing nearly empty cells at the edges, `most` documents in all."""
    if t[-1] <= t[0]:
        return float(t[0]), float(t[-1])
    edges = np.linspace(t[0], t[-1], _CELLS + 1)
    sizes = np.histogram(t, edges)[0]
    few = sizes < _EMPTY_CELL * np.median(sizes)
    first, last = 0, _CELLS - 1
    while few[first] and sizes[: first + 1].sum() <= most:
        first += 1
    while few[last] and sizes[last:].sum() <= most:
        last -= 1
    if first == 0 and last == _CELLS - 1:
        return float(t[0]), float(t[-1])
    inside = t[(t >= edges[first]) & (t <= edges[last + 1])]
    return float(inside[0]), float(inside[-1])
