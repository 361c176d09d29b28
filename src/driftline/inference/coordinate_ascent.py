"""Variational inference by coordinate ascent: each factor in turn is optimised given the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from driftline.inference.contract import Info

Problem = TypeVar("Problem")
Factors = TypeVar("Factors")


class Update(NamedTuple, Generic[Factors]):
    """The factors after one of them was updated, its part of the bound, and its change (zero if not measured)."""

    factors: Factors
    bound: float = 0.0
    moved: float = 0.0


@dataclass(frozen=True)
class CoordinateAscent(Generic[Problem, Factors]):
    """Update the factors in turn.

    The objective of a step is the sum of the updates' parts of the bound; `moved` is the largest of their changes.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first factors.
    updates : functions of the factors and the problem
        Each returns an `Update`.
    bound : function of the factors, optional
        Returns their bound, by which the best of several starts is chosen.
    """

    begin: Callable[[Problem, np.random.Generator], Factors]
    updates: tuple[Callable[[Factors, Problem], Update[Factors]], ...]
    bound: Callable[[Factors], float] | None = None

    def init(self, problem: Problem, rng: np.random.Generator) -> Factors:
        """Return the first factors."""
        return self.begin(problem, rng)

    def step(self, state: Factors, problem: Problem, rng: np.random.Generator) -> tuple[Factors, Info]:
        """Update every factor once."""
        bound, moved = 0.0, 0.0
        for update in self.updates:
            state, part, change = update(state, problem)
            bound, moved = bound + part, max(moved, change)
        return state, Info(bound, moved)

    def summary(self, states: Sequence[Factors]) -> Factors:
        """Return the factors reached: the last, or if their bounds are known, those of the best of several starts."""
        return max(states, key=self.bound) if self.bound else states[-1]
