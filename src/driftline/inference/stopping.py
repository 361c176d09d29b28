"""When a run ends: a number of steps, or earlier, by a rule that looks at what the steps reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from driftline.inference.contract import Info

Rule = Callable[[Sequence[Info]], bool]
"""Whether a chain has settled, given what all its steps reported, the latest last."""


def never(infos: Sequence[Info]) -> bool:
    """Go on until the steps run out."""
    return False


@dataclass(frozen=True)
class SmallRise:
    """Settled when the objective rises by no more than a share of its own size, or falls.

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
    """Settled when the objective changes, up or down, by no more than a share of its own size.

    For objectives that may fall slightly, such as a bound whose inner loops are cut short.
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
    """Settled when a loss, of which the objective is the negative, falls by no more than a share of what it was."""

    tolerance: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        if len(infos) < 2:
            return False
        before, now = infos[-2].objective, infos[-1].objective
        return now - before <= self.tolerance * abs(before)


@dataclass(frozen=True)
class SmallGain:
    """Settled when the objective rises by no more than a fixed amount, or falls."""

    amount: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Compare the last two steps."""
        return len(infos) > 1 and infos[-1].objective - infos[-2].objective <= self.amount


@dataclass(frozen=True)
class LittleMoved:
    """Settled when a step moves no more than an amount; `first` is the first step, counted from one, that may end it.

    >>> LittleMoved(0.1)([Info(moved=0.05)]), LittleMoved(0.1, first=2)([Info(moved=0.05)])
    (True, False)
    """

    amount: float
    first: int = 1

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Look at the last step."""
        return len(infos) >= self.first and infos[-1].moved <= self.amount


class Stop(NamedTuple):
    """The largest number of steps, and the rule by which a chain ends earlier."""

    max_steps: int
    rule: Rule = never
