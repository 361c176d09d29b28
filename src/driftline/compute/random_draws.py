r"""Random numbers that are hashes: the same on every device, in any order, without a state.

A gamma variate of shape :math:`a \ge 1` is drawn by the method of Marsaglia and Tsang (2000): with :math:`d = a - 1/3`,
:math:`c = 1/\sqrt{9d}`, :math:`x` normal and :math:`v = (1 + cx)^3`, :math:`dv` is accepted if :math:`v > 0` and
:math:`\ln u < x^2/2 + d - dv + d \ln v` (1). For :math:`a < 1`, it is one of shape :math:`a + 1` times
:math:`u^{1/a}` (2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba import float32, int64

ATTEMPTS = 8
"""Maximum number of attempts at Eq. 1, of which each succeeds with a probability above 0.95."""
TOKENS = 3 * ATTEMPTS + 2
"""First number of a place that no gamma variate uses."""
LEAST = 1e-28
"""Lower bound of a gamma variate, so that products with small numbers are not zero."""


class Draws(NamedTuple):
    """Compiled functions: ``uniform(seed, place, number)`` and ``gamma(shape, seed, place)``."""

    uniform: Any
    gamma: Any


def draws_for(compiled: Callable[[Any], Any]) -> Draws:
    """Return the functions, compiled for a device by a decorator."""

    @compiled
    def uniform(seed, place, number):
        """Return a number above 0 and below 1: a hash."""
        mixed = (int64(place) * 2654435769 + int64(number) * 2246822519 + int64(seed)) & 0xFFFFFFFF
        mixed = ((mixed ^ (mixed >> 16)) * 2146121005) & 0xFFFFFFFF
        mixed = ((mixed ^ (mixed >> 15)) * 1540483477) & 0xFFFFFFFF
        mixed ^= mixed >> 16
        return (float32(mixed >> 9) + float32(0.5)) * float32(2.0**-23)

    @compiled
    def gamma(shape, seed, place):
        """Return a gamma variate of any shape above zero."""
        factor, d = float32(1), shape - float32(1 / 3)
        if shape < float32(1):
            factor, d = math.exp(math.log(uniform(seed, place, 0)) / shape), d + float32(1)  # Eq. 2
        c, found = float32(1) / math.sqrt(float32(9) * d), d
        for attempt in range(ATTEMPTS):
            far = math.sqrt(float32(-2) * math.log(uniform(seed, place, 3 * attempt + 1)))
            x = far * math.cos(float32(2 * math.pi) * uniform(seed, place, 3 * attempt + 2))
            v = float32(1) + c * x
            if v > float32(0):
                v = v * v * v
                bound = float32(0.5) * x * x + d - d * v + d * math.log(v)
                if math.log(uniform(seed, place, 3 * attempt + 3)) < bound:  # Eq. 1
                    found = d * v
                    break
        return max(float32(found * factor), float32(LEAST))

    return Draws(uniform, gamma)
