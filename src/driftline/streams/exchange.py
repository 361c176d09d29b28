"""The unit of exchange that a test of change takes by default, and how many of them a claim needs."""

from __future__ import annotations

from typing import Any

from driftline.core.times import TimeAxis
from driftline.streams.units import Units, units_of

FEWEST_FOR_LASTING = 50
"""Fewest units for which a change is called lasting."""
FEWEST_WHOLE_DAYS = 3
"""Fewest distinct days for which the day is the default unit; shorter streams are cut into shorter steps."""


def exchange_units(times: Any, *, unit: Any = "auto", n: int | None = None) -> Units:
    """Return the unit of every document, for a test of change.

    Any `unit` that `units_of` knows may be named. ``"auto"`` differs where there are few days: a band may take shorter
    steps, but a test that did so would call every event of a day a lasting change. So the day stays the unit, however
    few there are; only a stream of one or two days is cut into shorter steps.

    >>> import numpy as np
    >>> hours = np.datetime64("2024-01-01T00", "h") + np.arange(24 * 20)
    >>> exchange_units(hours).kind, units_of(hours).kind
    ('day', '6h')
    """
    if isinstance(unit, str) and unit == "auto" and TimeAxis.of(times).kind == "datetime":
        by_day = units_of(times, unit="day", n=n)
        if by_day.n >= FEWEST_WHOLE_DAYS:
            return by_day
    return units_of(times, unit=unit, n=n)
