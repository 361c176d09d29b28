"""Gibbs sampling: each block of the state in turn is drawn given the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from driftline.inference.contract import Info

Problem = TypeVar("Problem")
State = TypeVar("State")


@dataclass(frozen=True)
class Gibbs(Generic[Problem, State]):
    """Draw the blocks of the state one after the other.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first state.
    draws : functions of the state, the problem and a generator
        Each draws a block given the others and returns the state.
    measure : function of the state and the problem, optional
        Returns a number that depends on the whole state, for convergence diagnostics.
    """

    begin: Callable[[Problem, np.random.Generator], State]
    draws: tuple[Callable[[State, Problem, np.random.Generator], State], ...]
    measure: Callable[[State, Problem], float] | None = None

    def init(self, problem: Problem, rng: np.random.Generator) -> State:
        """Return the first state."""
        return self.begin(problem, rng)

    def step(self, state: State, problem: Problem, rng: np.random.Generator) -> tuple[State, Info]:
        """Draw every block once: one sweep. Every draw is accepted."""
        for draw in self.draws:
            state = draw(state, problem, rng)
        return state, Info(self.measure(state, problem) if self.measure else math.nan, acceptance=1.0)

    def summary(self, states: Sequence[Any]) -> Sequence[Any]:
        """Return the kept samples, or their fold."""
        return states
