r"""Posterior regularisation of sequences: the distribution nearest to the posterior with bounds on expected counts.

.. math:: \min_q \mathrm{KL}(q \| p(y \mid x)) \quad \text{with} \quad
    l_{jg} \le \mathrm{E}_q\, n_{jg}(y) \le u_{jg}, \qquad (1)

where :math:`n_{jg}` counts the steps with a state of bound j in the sequences of group g (one sequence, or all). Its
solution is :math:`q(y) \propto p(y, x)\, e^{-\sum_{jg} \lambda_{jg} n_{jg}(y)}` (2): a chain whose log-likelihoods are
shifted by :math:`-\lambda`. The multipliers maximise the concave dual

.. math:: \ln \sum_y p(y, x)\, e^{-\lambda \cdot n(y)} + \sum_{jg} \max(\lambda_{jg} l_{jg}, \lambda_{jg} u_{jg})
    \qquad (3)

over :math:`|\lambda| \le \rho`: a bound with a finite cost ρ may be violated at ρ per step. Multipliers are updated one
at a time: the expected count decreases with λ, so the regula falsi finds the multiplier, for all groups at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints

LARGEST = 30.0
"""Largest multiplier; it limits the search if no sequence can have the count."""
NEAR = 1e-4
"""Distance of an expected count from its bound at which a search ends, relative to the larger of the bound and one."""
MOST_TRIALS, MOST_ROUNDS = 40, 20
"""Largest number of trials for a bound, and of rounds over all bounds."""


class CountBound(NamedTuple):
    """Bounds of the expected number of steps in some states, by group of sequences, and the cost of a step."""

    states: Bools
    groups: Ints
    low: Floats
    high: Floats
    cost: float = np.inf


Expected = Callable[[Sequence[Floats]], list[Floats]]
"""A function of the multipliers of every bound, by group, that returns the expected counts of every bound, by group."""


def bounding_multipliers(expected: Expected, bounds: Sequence[CountBound]) -> list[Floats]:
    """Return the multipliers λ of (2), by bound and group."""
    found = [np.zeros(len(bound.low)) for bound in bounds]
    for _ in range(MOST_ROUNDS if len(bounds) > 1 else 1):
        before = [part.copy() for part in found]
        for j, bound in enumerate(bounds):
            found[j] = _one_bound(expected, bound, found, j)
        if all((np.abs(now - then) < NEAR).all() for now, then in zip(found, before)):
            break
    return found


def dual_terms(multipliers: Sequence[Floats], bounds: Sequence[CountBound]) -> float:
    """Return the second term of (3)."""
    return sum(
        float((part * np.where(part > 0, bound.high, bound.low)).sum()) for part, bound in zip(multipliers, bounds)
    )


def _one_bound(expected: Expected, bound: CountBound, present: list[Floats], j: int) -> Floats:
    """Return the multipliers of one bound, given those of the others, by the regula falsi (Illinois rule)."""

    def count(multiplier: Floats) -> Floats:
        return expected([*present[:j], multiplier, *present[j + 1 :]])[j]

    most = min(bound.cost, LARGEST)
    near, at = np.zeros(len(bound.low)), count(np.zeros(len(bound.low)))
    target = np.clip(at, bound.low, bound.high)
    sign = np.sign(at - target)
    allowed = NEAR * np.maximum(target, 1.0)
    open_ = np.abs(at - target) > allowed
    if not open_.any():
        return near
    far, step = sign, 1.0
    f_near = at - target
    while True:
        far = np.clip(far, -most, most)
        f_far = count(far) - target
        short = open_ & (sign * f_far > 0) & (np.abs(far) < most)
        if not short.any():
            break
        near, f_near = np.where(short, far, near), np.where(short, f_far, f_near)
        step *= 2.0
        far = np.where(short, far + sign * step, far)
    beyond = open_ & (sign * f_far > 0)  # the bound cannot be met, or violating it costs less
    best = np.where(open_, far, 0.0)
    left = open_ & ~beyond & (np.abs(f_far) > allowed)
    side = np.zeros(len(far))
    for _ in range(MOST_TRIALS):
        if not left.any():
            break
        width = f_far - f_near
        middle = np.where(left, far - f_far * (far - near) / np.where(width == 0, 1.0, width), best)
        value = count(middle) - target
        best = np.where(left, middle, best)
        same = left & (sign * value <= 0)  # the middle is on the same side as `far`
        other = left & ~same
        f_near = np.where(same & (side == 1), f_near / 2, f_near)
        f_far = np.where(other & (side == -1), f_far / 2, f_far)
        far, f_far = np.where(same, middle, far), np.where(same, value, f_far)
        near, f_near = np.where(other, middle, near), np.where(other, value, f_near)
        side = np.where(same, 1.0, np.where(other, -1.0, side))
        left &= np.abs(value) > allowed
    return best
