"""Expectation propagation: groups of sites are refined in parallel until convergence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from driftline.engines.contract import Engine
from driftline.inference.contract import Info

Problem = TypeVar("Problem")
Sites = TypeVar("Sites")


@dataclass(frozen=True)
class ExpectationPropagation(Generic[Problem, Sites]):
    """Refine all sites at once, each given the others before the sweep, then update the common quantities.

    Parameters
    ----------
    begin : function of the problem and a generator
        Returns the first sites.
    refine : function of the sites, the problem, and the range (begin, end) of the sites of a group
        Writes the new messages of a group, and returns their largest change. It must not read what another group
        writes.
    combine : function of the sites and the problem
        Writes the quantities that depend on all sites.
    groups : pairs of numbers
        Ranges of the sites that are refined in one task.
    engine : Engine
        Where the tasks run.
    """

    begin: Callable[[Problem, np.random.Generator], Sites]
    refine: Callable[[Sites, Problem, int, int], float]
    combine: Callable[[Sites, Problem], None]
    groups: tuple[tuple[int, int], ...]
    engine: Engine

    def init(self, problem: Problem, rng: np.random.Generator) -> Sites:
        """Return the first sites."""
        return self.begin(problem, rng)

    def step(self, state: Sites, problem: Problem, rng: np.random.Generator) -> tuple[Sites, Info]:
        """Sweep over all sites once."""
        moved = max(self.engine.map(self.refine, [(state, problem, *group) for group in self.groups]))
        self.combine(state, problem)
        return state, Info(moved=float(moved))

    def summary(self, states: Sequence[Sites]) -> Sites:
        """Return the sites reached."""
        return states[-1]
