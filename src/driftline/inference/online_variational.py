r"""Online variational inference: the global factors are learned from one chunk of documents at a time.

A chunk is learned with step ρ: the global factors keep :math:`1 - \rho f` of their counts, f being the chunk's share of
all words, and the chunk's expected counts are added ρ times. The step is above one in early epochs, in which earlier
results have little value: :math:`\rho = \max(1, 10 / (1 + \mathrm{epoch}))` (1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from driftline.inference.contract import Info

Problem = TypeVar("Problem")
Factors = TypeVar("Factors")

FIRST_STEP = 10.0
"""Step size of the first epoch."""


class Epochs(NamedTuple, Generic[Factors]):
    """The factors, and the number of epochs they have seen."""

    factors: Factors
    n_epochs: int


class Epoch(NamedTuple):
    """The arguments of an epoch: its number, counted from zero, and its step ρ (1)."""

    number: int
    step: float


class Revision(NamedTuple):
    """A function that may change the topics before the epoch `at`; it returns whether it did."""

    at: int
    change: Callable[[Any], bool]


@dataclass(frozen=True)
class OnlineVariational(Generic[Problem, Factors]):
    """Process all documents once per step.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first factors.
    learn : function of the factors, the problem, an `Epoch` and a generator
        Processes all documents, in chunks; returns the factors and the share of all words that changed their topic.
    first_step : float
        Step of the first epoch; one, if the first factors are already good.
    """

    begin: Callable[[Problem, np.random.Generator], Factors]
    learn: Callable[[Factors, Problem, Epoch, np.random.Generator], tuple[Factors, float]]
    first_step: float = FIRST_STEP

    def init(self, problem: Problem, rng: np.random.Generator) -> Epochs[Factors]:
        """Return the first factors."""
        return Epochs(self.begin(problem, rng), 0)

    def step(self, state: Epochs[Factors], problem: Problem, rng: np.random.Generator) -> tuple[Epochs[Factors], Info]:
        """Do one epoch."""
        epoch = Epoch(state.n_epochs, max(1.0, self.first_step / (1 + state.n_epochs)))
        factors, moved = self.learn(state.factors, problem, epoch, rng)
        return Epochs(factors, state.n_epochs + 1), Info(moved=moved)

    def summary(self, states: Sequence[Epochs[Factors]]) -> Factors:
        """Return the factors reached."""
        return states[-1].factors
