"""A quantity over time with its uncertainty: the type of all temporal results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.core.arrays import Floats


class Curve(NamedTuple):
    """A curve with its pointwise band.

    `times` have the user's type (floats or datetime64[us]), `value` the estimate, `lower` and `upper` the band at the
    confidence `level`, and `effective_size` the effective number of observations at each time (words or documents,
    after kernel weighting).
    """

    times: Any
    value: Floats
    lower: Floats
    upper: Floats
    effective_size: Floats
    level: float = 0.95

    def __eq__(self, other: object) -> bool:
        """Curves are equal if all their values are; undrawn points (NaN) are equal too."""
        if not isinstance(other, Curve):
            return NotImplemented
        arrays = zip(self[:-1], other[:-1])
        return self.level == other.level and all(np.array_equal(a, b, equal_nan=_can_be_nan(a, b)) for a, b in arrays)

    def __ne__(self, other: object) -> bool:
        """Return whether any value differs."""
        return not self == other


def _can_be_nan(*arrays: Any) -> bool:
    return all(np.asarray(array).dtype.kind in "fM" for array in arrays)
