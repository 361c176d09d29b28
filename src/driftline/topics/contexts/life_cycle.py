r"""The life cycle of a topic: birth, peak and end, if its curve rises and falls significantly.

With a band [l(t), u(t)] around the share of a topic and its peak at :math:`t^*`, the birth is the latest time before
the peak at which :math:`u(t) < l(t^*)/2`: since then the topic has more than doubled. The end is the earliest time
after the peak at which this holds again. The band is made simultaneous for all topics and windows: its half-width is
multiplied by the ratio of normal quantiles for a level divided by the number of topics × windows (Bonferroni).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from driftline.core.arrays import Bools
from driftline.core.times import Instant
from driftline.topics.over_time import TopicsOverTime

_RISE = 2.0
"""Ratio by which a topic must significantly rise to its peak for a birth, or fall from it for an end."""


class LifeCycle(NamedTuple):
    """The life cycle of a topic in a context.

    `peak` is the time of the largest share, `peak_share`. `birth` and `end` are None if the share is at no time before,
    or after, the peak significantly less than half of that.
    """

    context: str
    topic: int
    birth: Instant | None
    peak: Instant | None
    end: Instant | None
    peak_share: float


def life_cycles(context: str, curves: TopicsOverTime, n_tests: int) -> list[LifeCycle]:
    """Return the life cycle of every topic whose curve is drawn; `n_tests` is the number of curves examined."""
    times = np.asarray(curves.times)
    place = (times - times[0]) / np.timedelta64(1, "D") if times.dtype.kind == "M" else times - times[0]
    span = float(place[-1]) if len(place) else 0.0
    found = []
    for topic, (share, lower, upper) in enumerate(zip(curves.share, curves.lower, curves.upper)):
        drawn = np.isfinite(share)
        if not drawn.any():
            continue
        windows = max(span / max(float(curves.bandwidth[topic]), 1e-12), 1.0)
        wider = _wider(curves.level, n_tests * windows)
        low, high = share - wider * (share - lower), share + wider * (upper - share)
        peak = int(np.nanargmax(share))
        least = _RISE * np.where(drawn, high, np.inf) < low[peak]
        found.append(
            LifeCycle(
                context,
                topic,
                _last(times, least & (place < place[peak])),
                times[peak],
                _first(times, least & (place > place[peak])),
                float(share[peak]),
            )
        )
    return found


def _wider(level: float, n_tests: float) -> float:
    tail = (1 - level) / 2
    return float(norm.isf(tail / n_tests) / norm.isf(tail))


def _last(times: np.ndarray, where: Bools) -> Instant | None:
    places = np.flatnonzero(where)
    return times[places[-1]] if len(places) else None


def _first(times: np.ndarray, where: Bools) -> Instant | None:
    places = np.flatnonzero(where)
    return times[places[0]] if len(places) else None
