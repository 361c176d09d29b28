"""Expectation maximisation: two functions of a model define a method of inference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from driftline.inference.contract import Info

Problem = TypeVar("Problem")
Parameters = TypeVar("Parameters")
Statistics = TypeVar("Statistics")


class Climb(NamedTuple, Generic[Parameters]):
    """State of EM: the parameters, and the objective of the previous ones."""

    parameters: Parameters
    objective: float


@dataclass(frozen=True)
class EM(Generic[Problem, Parameters, Statistics]):
    """Alternate expected statistics given the parameters and optimal parameters given the statistics.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first parameters.
    expect : function of the parameters, the problem and a generator
        Returns the expected statistics and the objective (log-likelihood or log posterior) of these parameters. The
        generator is for E steps that sample.
    maximise : function of the statistics, the parameters and the problem
        Returns the new parameters.
    change : function of the parameters before and after, optional
        Returns the size of the change.
    """

    begin: Callable[[Problem, np.random.Generator], Parameters]
    expect: Callable[[Parameters, Problem, np.random.Generator], tuple[Statistics, float]]
    maximise: Callable[[Statistics, Parameters, Problem], Parameters]
    change: Callable[[Parameters, Parameters], float] | None = None

    def init(self, problem: Problem, rng: np.random.Generator) -> Climb[Parameters]:
        """Return the first state."""
        return Climb(self.begin(problem, rng), -math.inf)

    def step(
        self, state: Climb[Parameters], problem: Problem, rng: np.random.Generator
    ) -> tuple[Climb[Parameters], Info]:
        """Do one E step and one M step; the objective is that of the parameters before it."""
        statistics, objective = self.expect(state.parameters, problem, rng)
        parameters = self.maximise(statistics, state.parameters, problem)
        moved = self.change(state.parameters, parameters) if self.change else math.nan
        return Climb(parameters, float(objective)), Info(float(objective), moved)

    def summary(self, states: Sequence[Climb[Parameters]]) -> Parameters:
        """Return the parameters of the run with the highest objective; of equal ones, the first."""
        return max(states, key=lambda state: state.objective).parameters
