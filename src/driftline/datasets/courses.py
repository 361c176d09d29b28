"""Changes of a word's log-odds over the year of a simulated stream: smooth functions of the day.

A course is a function of days that is added to the logarithm of a word's weight: 0 leaves it unchanged, ln 2 doubles
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from driftline.core.arrays import Floats

YEAR = 365.0
Course: TypeAlias = Callable[[Floats], Floats]


def change(size: float, *, day: float, width: float) -> Course:
    """Return a change by `size` in an S-shaped step around `day`; most of it is within ± 2 `width` days.

    >>> change(2.0, day=100, width=10)(np.array([0.0, 100.0, 200.0])).round(3)
    array([0., 1., 2.])
    """
    return lambda days: size / (1 + np.exp(-np.clip((days - day) / width, -500, 500)))


def season(size: float, *, peak: float) -> Course:
    """Return a course that varies between 0 and `size` once per year, with the maximum at day `peak`.

    >>> season(2.0, peak=0)(np.array([0.0, YEAR / 4, YEAR / 2])).round(3)
    array([2., 1., 0.])
    """
    return lambda days: 0.5 * size * (1 + np.cos(2 * np.pi * (days - peak) / YEAR))


@dataclass(frozen=True)
class Event:
    """A temporary event with a quick onset and a slow decay.

    `intensity` is the relative increase of the whole volume at the peak of the event: 0.8 means 80 % more stories.
    """

    name: str
    topic: str
    first_day: float
    last_day: float
    intensity: float

    def shape(self, days: Floats) -> Floats:
        """Return the progress of the event: 0 outside, 1 at its peak, after a fifth of its length.

        >>> Event("fair", "sport", 10, 20, 0.5).shape(np.array([10.0, 12.0, 16.0, 20.0, 25.0])).round(3)
        array([0. , 1. , 0.5, 0. , 0. ])
        """
        along = (np.asarray(days, dtype=np.float64) - self.first_day) / (self.last_day - self.first_day)
        phase = np.where(along < 0.2, along / 0.2, 1 + (along - 0.2) / 0.8)
        return np.where((along > 0) & (along < 1), 0.5 * (1 - np.cos(np.pi * phase)), 0.0)

    def lifts(self, size: float) -> Course:
        """Return the course of a word that the event raises by `size` at its peak."""
        return lambda days: size * self.shape(days)
