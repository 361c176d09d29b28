"""The default unit of exchange in a test of change, and the number of units that a claim needs."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.streams.units import Units, units_on_axis

FEWEST_FOR_LASTING = 50
"""Minimum number of units for which a change is reported as lasting."""
FEWEST_WHOLE_DAYS = 3
"""Minimum number of distinct days for which the day is the default unit; shorter streams use shorter steps."""
SMALL = 0.25
"""Share of the mean number of documents below which a unit is merged with its neighbour."""
MOST_UNITS = 512
"""Largest useful number of units: more would not show quicker changes, and even ones show slow changes better.

If there are more, a unit with less than this fraction of all documents is merged with its neighbour, too.
"""


def exchange_units(times: Times, *, unit: object = "auto", n: int | None = None) -> Units:
    """Return the unit of every document, for a test of change.

    Any `unit` of `units_of` may be given. ``"auto"`` differs if there are few days: a band may use shorter steps, but a
    test that did so would report every event of a day as a lasting change. Therefore the day remains the unit, even if
    there are few; only a stream of one or two days is divided into shorter steps.

    Units of time with very few documents are merged with the next: their content is mostly chance, so they are not
    exchangeable with busy ones, and a few isolated documents would look like many days. If there are more than
    `MOST_UNITS`, units with less than that fraction of all documents are merged, too.

    >>> import numpy as np
    >>> hours = np.datetime64("2024-01-01T00", "h") + np.arange(24 * 20)
    >>> from driftline.streams.units import units_of
    >>> exchange_units(hours).kind, units_of(hours).kind
    ('day', '6h')
    >>> stray = np.append(hours, np.datetime64("1999-01-01T00", "h"))
    >>> exchange_units(stray).n, units_of(stray, unit="day").n
    (20, 21)
    """
    axis = TimeAxis.of(times)
    t = axis.values(times, n=n)
    units = units_on_axis(axis, t, unit)
    if isinstance(unit, str) and unit == "auto" and axis.kind == "datetime":
        by_day = units_on_axis(axis, t, "day")
        units = by_day if by_day.n >= FEWEST_WHOLE_DAYS else units
    return units if units.kind in ("document", "group") else _joined(units)


def given_or_exchange_units(times: Times, *, unit: object = "auto", n: int | None = None) -> Units:
    """Return `unit` itself if it contains units already, and otherwise those of `exchange_units`."""
    if not isinstance(unit, Units):
        return exchange_units(times, unit=unit, n=n)
    if n is not None and len(unit.index) != n:
        raise InvalidInput(f"there are {n} documents but unit= has {len(unit.index)}; pass one per document")
    return unit


def _joined(units: Units) -> Units:
    """Merge units in time order until each has enough documents."""
    size = np.bincount(units.index, minlength=units.n)
    least = max(SMALL * float(size.mean()), float(size.sum()) / MOST_UNITS) if units.n > 1 else 0.0
    joined = _join_small(size, least)
    if not units.n or joined[-1] + 1 == units.n:
        return units
    total = np.bincount(joined, weights=size)
    middle = np.bincount(joined, weights=units.middle * size) / np.maximum(total, 1.0)
    return Units(joined[units.index], middle, units.kind)


def _join_small(size: Ints, least: float) -> Ints:
    """Return the number of the merged unit of every unit; the remainder is merged with the last."""
    result = np.zeros(len(size), dtype=np.int64)
    current, gathered = 0, 0
    for i, n in enumerate(size.tolist()):
        result[i] = current
        gathered += n
        if gathered >= least:
            current, gathered = current + 1, 0
    return np.minimum(result, max(current - 1, 0))
