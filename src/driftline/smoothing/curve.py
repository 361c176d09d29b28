"""A quantity over time with its uncertainty: what every temporal result is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from driftline.core.arrays import Floats


class Curve(NamedTuple):
    """A curve with its pointwise band.

    `times` are what the user works with (floats or datetime64[us]), `value` the estimate, `lower` and `upper` the band
    at the confidence `level`, and `effective_size` how many observations speak at each time (words or documents,
    after kernel weighting).
    """

    times: Any
    value: Floats
    lower: Floats
    upper: Floats
    effective_size: Floats
    level: float = 0.95
