"""Kinds of bursts: one day, several days beyond chance, or several days that chance may explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.stats import false_discovery_control

from driftline.core.arrays import Bools, Datetimes, Floats, Ints
from driftline.core.times import TimeAxis, days
from driftline.smoothing.burst_scan import burst_p_values, steps_of
from driftline.streams.long_gaps import long_gaps

BurstKind = Literal["event", "lasting", "unconfirmed"]
"""A burst of one unit (a day), of several units beyond chance, or of several units that chance may explain."""
RATE = 0.05
SEVERAL = 3.0
"""Mean number of documents per non-empty step above which an empty step counts as not observed."""


def steps_for(times: Datetimes, kind: str) -> tuple[Ints, float]:
    """Return the calendar step of every document, and its length in days, by kind of unit; empty steps count, too."""
    length = 1.0 if kind in ("day", "document", "time", "group") else days(kind)
    return steps_of(TimeAxis("datetime").values(times), length)


def kinds_of_word_bursts(
    windows: Sequence[tuple[float, float]], lasting: Sequence[bool], day: Floats
) -> list[BurstKind]:
    """Return the kind of each burst of a word, from first to last time, where `day` are the days of the documents.

    A burst of several days is lasting if its word is known to have changed for longer than a day.
    """
    return [
        _kind(len(np.unique(day[(day >= first) & (day < last)])) > 1, is_lasting)
        for (first, last), is_lasting in zip(windows, lasting)
    ]


def observed_steps(steps: Ints) -> Bools:
    """Return for each step, from 0 to the last, whether the stream was observed in it; `steps` are of all documents.

    Where steps with documents usually have several, one without any is not a quiet day but one that was not collected:
    a weekend, or a gap. Where they have few, an empty day is chance, unless it lies in a long gap.

    >>> observed_steps(np.array([0, 0, 0, 0, 2, 2, 2])), observed_steps(np.array([0, 2, 3]))
    (array([ True, False,  True]), array([ True,  True,  True,  True]))
    """
    occupied = np.bincount(steps) > 0
    if len(steps) >= SEVERAL * occupied.sum():
        return occupied
    observed = np.ones(len(occupied), dtype=np.bool_)
    for start, end in long_gaps(np.flatnonzero(occupied).astype(np.float64)):
        observed[int(start) + 1 : int(end)] = False
    return observed


def kinds_of_rate_bursts(
    steps: Ints, codes: Ints, windows: Sequence[tuple[int, int, int]], observed: Bools
) -> list[BurstKind]:
    """Return the kind of each burst (code, first step, last step) in the arrival rate of a code's documents.

    Whole `observed` steps are permuted; the others are left out. The false discovery rate of lasting bursts is 5 %.
    """
    p_values = np.ones(len(windows))
    place = np.cumsum(observed) - 1
    for code in {window[0] for window in windows}:
        mine = [i for i, window in enumerate(windows) if window[0] == code]
        counts = np.bincount(steps[codes == code], minlength=len(observed)).astype(np.float64)[observed]
        p_values[mine] = burst_p_values(counts, [(int(place[windows[i][1]]), int(place[windows[i][2]])) for i in mine])
    several = np.array([last > first for _, first, last in windows], dtype=np.bool_)
    sure = np.zeros(len(windows), dtype=np.bool_)
    if several.any():
        sure[several] = false_discovery_control(p_values[several]) <= RATE
    return [_kind(bool(more), bool(is_sure)) for more, is_sure in zip(several, sure)]


def _kind(several: bool, sure: bool) -> BurstKind:
    return "event" if not several else "lasting" if sure else "unconfirmed"
