"""Windows in time for displayed curves: their bandwidths, and the times with enough data for a curve."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Bools, Floats
from driftline.streams.long_gaps import GAP_SHARE, long_gaps

N_BANDWIDTHS = 12
"""Number of bandwidths tried."""
NARROWEST_UNITS = 2.0
"""Smallest bandwidth, in typical distances between units."""
NARROWEST_SHARE = 1 / 60
"""Smallest bandwidth, as a share of the span: about as much detail as a small chart can show."""
WIDEST_SHARE = 1 / 5
"""Largest bandwidth, as a share of the span."""
LEAST_UNITS = 3
"""Minimum number of units in the window for a curve to be drawn."""
EVENT_UNITS = 3.0
"""Bandwidth for events of a few units, in typical distances between units."""
THIN_DOCUMENTS = 20.0
"""Documents in a window below which a curve may not be drawn."""
THIN_SHARE = 1 / 20
"""Share of the documents around a typical document below which a window is thin, if it has fewer than
`THIN_DOCUMENTS`."""
_MOST_UNDRAWN = 0.05


def reading_bandwidths(times: Floats, *, at_least: float = 0.0) -> Floats:
    """Return the candidates, ascending: from two units or a sixtieth of the span to a fifth of it.

    Windows that would leave more than a twentieth of the covered time undrawn are not tried (for example, weekends
    without documents); `at_least` raises the smallest one further.

    >>> reading_bandwidths(np.arange(601.0)).round(1)[[0, 1, -1]]
    array([ 10. ,  12.5, 120. ])
    """
    distinct = np.unique(times)
    if len(distinct) < 2:
        return np.array([np.inf])
    span = float(distinct[-1] - distinct[0])
    gaps = np.diff(distinct)
    narrowest = max(NARROWEST_UNITS * float(np.median(gaps)), span * NARROWEST_SHARE, _drawable(distinct), at_least)
    widest = span * WIDEST_SHARE
    if narrowest >= widest:
        return np.array([narrowest])
    return np.geomspace(narrowest, widest, N_BANDWIDTHS)


def event_bandwidth(times: Floats, *, at_least: float = 0.0) -> float:
    """Return the bandwidth for the curve of an event of a few units: three units or a sixtieth of the span.

    The candidates for other curves are wider if a part of the stream has few units; an event of two days would be
    averaged over weeks. With this one the curve is interrupted in such parts.

    >>> weekly_then_daily = np.concatenate([np.arange(0.0, 140.0, 7.0), np.arange(140.0, 200.0)])
    >>> round(event_bandwidth(weekly_then_daily), 1), round(float(reading_bandwidths(weekly_then_daily)[0]), 1)
    (3.3, 14.0)
    """
    distinct = np.unique(times)
    if len(distinct) < 2:
        return np.inf
    span = float(distinct[-1] - distinct[0])
    return max(EVENT_UNITS * float(np.median(np.diff(distinct))), span * NARROWEST_SHARE, at_least)


def thin(around: Floats, at_units: Floats, documents: Floats) -> Bools:
    """Return a mask of the windows with too few documents for a share: few in number, and few for this stream.

    `around` are the weighted documents in the window at each time, `at_units` the same at each unit, and `documents`
    those of the units. A share of three in ten, where other windows have hundreds, would be the highest point of a
    curve by chance.

    >>> thin(np.array([9.0, 30.0, 800.0]), np.array([9.0, 800.0]), np.array([5.0, 700.0]))
    array([ True, False, False])
    """
    order = np.argsort(at_units)
    passed = np.cumsum(documents[order])
    if not len(order) or not passed[-1]:
        return np.zeros(len(around), dtype=np.bool_)
    usual = at_units[order][np.searchsorted(passed, passed[-1] / 2)]
    result: Bools = around < min(THIN_DOCUMENTS, THIN_SHARE * usual)
    return result


def _drawable(distinct: Floats) -> float:
    """Return the smallest window with `LEAST_UNITS` units at both ends and nearly everywhere, except in gaps."""
    if len(distinct) <= LEAST_UNITS:
        return float(np.nextafter(distinct[-1] - distinct[0], np.inf))
    gaps = np.diff(distinct)
    inner = gaps <= max((distinct[-1] - distinct[0]) * GAP_SHARE, float(np.median(gaps)))
    middles = (distinct[:-1] + gaps / 2)[inner]
    after = np.searchsorted(distinct, middles)
    near = np.clip(after[:, None] + np.arange(-LEAST_UNITS, LEAST_UNITS), 0, len(distinct) - 1)
    repeated = np.concatenate([np.zeros((len(near), 1), dtype=bool), near[:, 1:] == near[:, :-1]], axis=1)
    distance = np.where(repeated, np.inf, np.abs(distinct[near] - middles[:, None]))
    reach = np.sort(distance, axis=1)[:, LEAST_UNITS - 1]
    order = np.argsort(reach)
    covered = np.cumsum(gaps[inner][order])
    place = int(np.searchsorted(covered, (1 - _MOST_UNDRAWN) * covered[-1]))
    inside = reach[order][place]
    at_ends = max(distinct[LEAST_UNITS - 1] - distinct[0], distinct[-1] - distinct[-LEAST_UNITS])
    return float(np.nextafter(max(inside, min(at_ends, 2 * inside)), np.inf))


def drawn(times: Floats, when: Floats, bandwidth: float) -> Bools:
    """Return a mask of the times with enough units of distinct times in their window, outside gaps; all in shorter
    streams.

    >>> drawn(np.array([0.0, 1.0, 2.0, 9.0]), np.array([1.0, 9.0]), 2.0)
    array([ True, False])
    """
    distinct = np.unique(times)
    first = np.searchsorted(distinct, when - bandwidth, side="right")
    last = np.searchsorted(distinct, when + bandwidth, side="left")
    result: Bools = last - first >= min(LEAST_UNITS, len(distinct))
    for start, end in long_gaps(distinct):
        result &= ~((when > start) & (when < end))
    return result
