"""Epochs of equal length on the axis of times."""

from __future__ import annotations

import numbers
from typing import NamedTuple

import numpy as np

from driftline.base.sklearn_private import Interval
from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis

EVERY: list[object] = [
    Interval(numbers.Integral, 1, None, closed="left"),
    Interval(numbers.Real, 0, None, closed="neither"),
    str,
    np.timedelta64,
]
"""Allowed values of `every`."""


class EpochGrid(NamedTuple):
    """The beginning of epoch 0, and the length of all."""

    origin: float
    width: float

    @classmethod
    def of(cls, every: object, times: Floats, axis: TimeAxis) -> EpochGrid:
        """Return a number of epochs from the first to the last time, or epochs of a given length, counted from zero.

        >>> EpochGrid.of(4, np.array([2.0, 10.0]), TimeAxis()).numbers(np.array([2.0, 5.0, 10.0]))
        array([0., 1., 3.])
        >>> EpochGrid.of(2.5, np.array([2.0, 10.0]), TimeAxis()).numbers(np.array([2.0, 5.0, 10.0]))
        array([0., 2., 4.])
        """
        if isinstance(every, numbers.Integral) and not isinstance(every, np.timedelta64):
            first, last = float(times.min(initial=np.inf)), float(times.max(initial=-np.inf))
            if not last > first:
                return cls(first if len(times) else 0.0, 1.0)
            return cls(first, (last - first) / int(every) * (1.0 + 1e-12))  # the last time is in the last epoch
        width = axis.span(every)
        if not 0 < width < np.inf:
            raise InvalidInput(f"every={every!r} is not the length of an epoch; pass a positive one")
        return cls(0.0, width)

    def numbers(self, times: Floats) -> Floats:
        """Return the number of the epoch of each time."""
        return np.asarray(np.floor((times - self.origin) / self.width))

    def starts(self, numbers_: Floats) -> Floats:
        """Return the time at which epochs begin."""
        return np.asarray(self.origin + numbers_ * self.width)
