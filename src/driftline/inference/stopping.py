"""Stopping rules: a number of steps, or earlier, by a rule on the reports of the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from driftline.inference.contract import Info

Rule = Callable[[Sequence[Info]], bool]
"""Function that returns whether a chain has converged, given the reports of its steps, the latest last."""


def never(infos: Sequence[Info]) -> bool:
    """Continue to the maximum number of steps."""
    return False


@dataclass(frozen=True)
class SmallRise:
    """Converged when the objective increases by no more than a share of its own size, or decreases.

    The share makes the rule independent of the number of documents and of the unit of the logarithm.

    >>> SmallRise(0.01)([Info(-1000.0), Info(-995.0)]), SmallRise(0.01)([Info(-10.0), Info(-5.0)])
    (True, False)
    """

    tolerance: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        if len(infos) < 2:
            return False
        before, now = infos[-2].objective, infos[-1].objective
        return now - before <= self.tolerance * abs(now)


@dataclass(frozen=True)
class SmallChange:
    """Converged when the objective changes by no more than a share of its own size.

    For objectives that may decrease slightly, such as a bound with truncated inner loops.
    """

    tolerance: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        if len(infos) < 2:
            return False
        before, now = infos[-2].objective, infos[-1].objective
        return abs(now - before) <= self.tolerance * abs(now)


@dataclass(frozen=True)
class SmallDecrease:
    """Converged when a loss, the negative of the objective, falls by no more than a share of its former value."""

    tolerance: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        if len(infos) < 2:
            return False
        before, now = infos[-2].objective, infos[-1].objective
        return now - before <= self.tolerance * abs(before)


@dataclass(frozen=True)
class SmallGain:
    """Converged when the objective increases by no more than a fixed amount, or decreases."""

    amount: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        return len(infos) > 1 and infos[-1].objective - infos[-2].objective <= self.amount


@dataclass(frozen=True)
class LittleMoved:
    """Converged when the change of a step is at most an amount, but not before step `first`, counted from one.

    >>> LittleMoved(0.1)([Info(moved=0.05)]), LittleMoved(0.1, first=2)([Info(moved=0.05)])
    (True, False)
    """

    amount: float
    first: int = 1

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Check the last step."""
        return len(infos) >= self.first and infos[-1].moved <= self.amount


@dataclass(frozen=True)
class Both:
    """Converged when two rules agree.

    >>> Both(SmallRise(0.01), LittleMoved(0.1))([Info(-10.0, 0.2), Info(-10.0, 0.2)])
    False
    """

    first: Rule
    second: Rule

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Evaluate both rules."""
        return self.first(infos) and self.second(infos)


class Stop(NamedTuple):
    """The largest number of steps, and the rule by which a chain ends earlier."""

    max_steps: int
    rule: Rule = never
