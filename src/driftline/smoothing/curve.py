"""A quantity over time with its uncertainty: the type of all temporal results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, counted, long_columns, time_range


class _CurveFields(NamedTuple):
    """The fields of `Curve`."""

    times: np.ndarray
    value: Floats
    lower: Floats
    upper: Floats
    effective_size: Floats
    level: float = 0.95


class Curve(Result, _CurveFields):
    """A curve with its pointwise band.

    `times` have the user's type (floats or datetime64[us]), `value` the estimate, `lower` and `upper` the band at the
    confidence `level`, and `effective_size` the effective number of observations at each time (words or documents,
    after kernel weighting).
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Curves are equal if all their values are; undrawn points (NaN) are equal too. Nothing else equals a curve."""
        if not isinstance(other, Curve):
            return False  # a plain tuple would compare arrays, whose truth is not defined
        arrays = zip(self[:-1], other[:-1])
        return self.level == other.level and all(np.array_equal(a, b, equal_nan=_can_be_nan(a, b)) for a, b in arrays)

    def __ne__(self, other: object) -> bool:
        """Return whether any value differs."""
        return not self == other

    def _columns(self) -> Columns:
        bands = {"value": self.value, "lower": self.lower, "upper": self.upper, "effective_size": self.effective_size}
        if np.ndim(self.value) == 2:
            return long_columns({"series": range(len(self.value))}, self.times, **bands)
        return {"time": self.times, **bands}

    def _summary(self) -> str:
        shape = f"{counted(len(self.value), 'curve')}, " if np.ndim(self.value) == 2 else ""
        return f"{shape}{time_range(self.times)}, bands at {self.level:.0%}"

    def _picture(self) -> Picture:
        bands = (np.atleast_2d(each) for each in (self.value, self.lower, self.upper))
        return Curves([Series("", self.times, *each) for each in zip(*bands)])


def _can_be_nan(*arrays: object) -> bool:
    return all(np.asarray(array).dtype.kind in "fM" for array in arrays)
