"""The contract of inference algorithms: a state that is a value, one step, and a summary.

A state contains everything on which the rest of a run depends, as plain data: named tuples, tuples and dictionaries of
arrays, numbers, strings and None (see `driftline.inference.plain_values`). It can therefore be copied, saved, loaded
elsewhere and continued, with the same result. The loop itself is `driftline.inference.run.run`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

Problem = TypeVar("Problem", contravariant=True)
State = TypeVar("State")
Result = TypeVar("Result", covariant=True)


class Info(NamedTuple):
    """Report of a step; NaN if the method has no such number.

    `objective` is the maximised quantity (a log-likelihood, a bound) or, in a sampler, a number that depends on the
    whole state; `moved` is the amount of change of the state, in the method's own unit; `acceptance` is the share of
    proposals accepted.
    """

    objective: float = math.nan
    moved: float = math.nan
    acceptance: float = math.nan


class Method(Protocol[Problem, State, Result]):
    """An inference algorithm for problems of one kind.

    A step owns the state it is given: it may write into its arrays and return them. The loop copies what must outlive
    the step. A step may write neither into the problem nor into the method.
    """

    def init(self, problem: Problem, rng: np.random.Generator) -> State:
        """Return the initial state of a chain."""
        ...

    def step(self, state: State, problem: Problem, rng: np.random.Generator) -> tuple[State, Info]:
        """Do one sweep, one step of EM or one epoch."""
        ...

    def summary(self, states: Sequence[State]) -> Result:
        """Return the result, given what was kept: the last state of every chain, samples, or sums of samples."""
        ...
