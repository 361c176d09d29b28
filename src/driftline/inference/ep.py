"""Expectation propagation: groups of sites are refined side by side until none of them moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from driftline.inference.contract import Info

Problem = TypeVar("Problem")
Sites = TypeVar("Sites")


@dataclass(frozen=True)
class ExpectationPropagation(Generic[Problem, Sites]):
    """Refine all sites at once, each given what the others were before the sweep, then bring the whole up to date.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first sites.
    refine : function of the sites, the problem, and the numbers of the first site of a group and of that after its last
        Writes the new messages of a group, and returns how far the furthest of them moved. It must not read what
        another group writes.
    combine : function of the sites and the problem
        Writes what follows from all sites together.
    groups : pairs of numbers
        Which sites are refined in one task.
    engine : Engine
        Where the tasks run.
    """

    begin: Callable[[Problem, np.random.Generator], Sites]
    refine: Callable[[Sites, Problem, int, int], float]
    combine: Callable[[Sites, Problem], None]
    groups: tuple[tuple[int, int], ...]
    engine: Any

    def init(self, problem: Problem, rng: np.random.Generator) -> Sites:
        """Begin."""
        return self.begin(problem, rng)

    def step(self, state: Sites, problem: Problem, rng: np.random.Generator) -> tuple[Sites, Info]:
        """Sweep over all sites once."""
        moved = max(self.engine.map(self.refine, [(state, problem, *group) for group in self.groups]))
        self.combine(state, problem)
        return state, Info(moved=float(moved))

    def summary(self, states: Sequence[Sites]) -> Sites:
        """Return the sites reached."""
        return states[-1]
