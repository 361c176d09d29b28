"""Units of exchange: the groups of documents that a test or a band may treat as independent.

Documents of one day share its events, so the unit is the day. A stream of fewer than `FEWEST_DAYS` distinct days is
divided into shorter steps: the longest that gives at least `FEWEST_UNITS`. If no step does, the unit is the document.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from driftline.core.arrays import Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis, days

FEWEST_DAYS = 40
"""Minimum number of distinct days for which the day is the unit."""
FEWEST_UNITS = 60
"""Minimum number of units for a step shorter than a day."""
SHORTER_STEPS = ("6h", "1h", "10min", "1min")
"""Steps tried in this order if there are too few days."""


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of every document.

    `index` numbers the units from 0 in time order, one value per document; `middle` is the mean time of each unit's
    documents on the axis of the times (days since 1970 for dates); `kind` is ``"day"``, a shorter step such as
    ``"6h"``, ``"time"`` (distinct values of plain numbers), ``"document"`` or ``"group"``.
    """

    index: Ints
    middle: Floats
    kind: str
    n: int = field(init=False, repr=False)
    """The number of units."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", len(self.middle))


def units_of(times: Times, *, unit: object = "auto", n: int | None = None) -> Units:
    """Return the unit of every document.

    Parameters
    ----------
    times : times of any accepted kind, or None for document order
    unit : "auto", "day", "hour", a duration such as "6h", "document", or one group per document
        An array (threads, authors, sources) contains the group of each document; groups are ordered by the mean time
        of their documents.
    n : int, optional
        The number of documents, to check the length of the times.

    >>> units_of(["2003-03-19", "2003-03-20T08:00", "2003-03-20T20:00"], unit="day")
    Units(index=array([0, 1, 1]), middle=array([12130.        , 12131.58333333]), kind='day')
    >>> units_of([3.0, 1.0, 3.0], unit=["a", "b", "c"]).index
    array([1, 0, 2])
    """
    axis = TimeAxis.of(times)
    return units_on_axis(axis, axis.values(times, n=n), unit)


def units_on_axis(axis: TimeAxis, t: Floats, unit: object = "auto") -> Units:
    """Return the units of documents whose times are already on an axis; see `units_of`."""
    if not isinstance(unit, str):
        groups = np.asarray(unit, dtype=object if np.asarray(unit).dtype.kind == "O" else None)
        if groups.shape != t.shape:
            raise InvalidInput(
                f"there are {len(t)} documents but unit= has shape {groups.shape}; pass one per document"
            )
        return _numbered(np.unique(groups.astype(str), return_inverse=True)[1], t, "group")
    if unit == "document":
        order = np.argsort(t, kind="stable")
        return _numbered(np.argsort(order, kind="stable"), t, "document")
    if axis.kind == "number":
        if unit not in ("auto", "day"):
            raise InvalidInput(
                f"times are plain numbers, so unit= must be 'auto', 'document' or an array, not {unit!r}"
            )
        return _numbered(np.unique(t, return_inverse=True)[1], t, "time")
    if unit == "auto":
        unit = _longest_step(t)
        if unit == "document":
            return units_on_axis(axis, t, "document")
    unit = "1h" if unit == "hour" else unit
    return _numbered(_steps(t, 1.0 if unit == "day" else _step_length(unit)), t, unit)


def merged_units(units: Units, most: int) -> Units:
    """Return the units, with neighbours in time merged so that at most `most` remain.

    >>> merged_units(units_of([0.0, 1.0, 8.0, 9.0]), 3).index
    array([0, 0, 1, 1])
    """
    if units.n <= most:
        return units
    place = units.middle - units.middle[0]
    if not place[-1] > 0:  # all documents have one time
        place = np.arange(units.n, dtype=np.float64)
    step = np.minimum(place / place[-1] * most, most - 1).astype(np.int64)
    return _numbered(step[units.index], units.middle[units.index], units.kind)


def _longest_step(t: Floats) -> str:
    if len(np.unique(np.floor(t))) >= FEWEST_DAYS:
        return "day"
    for step in SHORTER_STEPS:
        if len(np.unique(_steps(t, days(step)))) >= FEWEST_UNITS:
            return step
    return "document"


def _step_length(unit: str) -> float:
    length = days(unit)
    if not length > 0:
        raise InvalidInput(f"unit= must be longer than zero, not {unit!r}")
    return length


def _steps(t: Floats, length: float) -> Ints:
    return np.floor(t / length + 1e-9).astype(np.int64)


def _numbered(groups: Ints, t: Floats, kind: str) -> Units:
    """Number groups by the mean time of their documents."""
    index = np.unique(groups, return_inverse=True)[1]
    size = np.bincount(index)
    middle = np.bincount(index, weights=t) / np.maximum(size, 1)
    order = np.argsort(middle, kind="stable")
    return Units(np.argsort(order, kind="stable")[index], middle[order], kind)
