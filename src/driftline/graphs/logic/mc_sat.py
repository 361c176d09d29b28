"""MC-SAT: sampling of worlds under weighted and hard rules, by nearly uniform solutions of satisfied rules.

In a round, each true formula of weight w is required with probability 1 − exp(−w), a hard one always, and the next
world is a random solution of what is required. Changing single atoms, as long as everything required stays true, keeps
the right distribution, but cannot pass between worlds that hard rules separate. Where there are hard rules, SampleSAT
therefore finds a solution from a random world in every second round. Its solutions are only nearly uniform: under many
overlapping soft rules they are far from it, which is why it is not used alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.graphs.logic.ground_network import GroundNetwork
from driftline.inference.contract import Info
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop

ANNEALING, TEMPERATURE = 0.5, 0.1
"""Share of annealing steps, and their temperature; more of them, and hotter ones, fail more often."""
FROZEN = 1e-9
"""A temperature at which no step is accepted that breaks a clause."""
AFTER = 10
"""Steps per atom after the first solution."""
JUMP_EVERY = 2
"""Rounds from one solution of SampleSAT to the next, if there are hard rules."""
FLIPS = 1000
"""Steps per atom before a round is given up."""


class Round(NamedTuple):
    """The state of a chain: a world, the number of rounds, and of those that failed."""

    world: Ints
    n_rounds: int
    n_failed: int


class Problem(NamedTuple):
    """A network and the world that a chain begins with."""

    network: GroundNetwork
    start: Ints


@dataclass(frozen=True)
class McSat:
    """One round per step."""

    def init(self, problem: Problem, rng: np.random.Generator) -> Round:
        """Begin."""
        return Round(problem.start.copy(), 0, 0)

    def step(self, state: Round, problem: Problem, rng: np.random.Generator) -> tuple[Round, Info]:
        """Draw the required formulas, then a world that satisfies them; if none is found, the world is changed."""
        network = problem.network
        true = network.satisfied(state.world)
        required = (true & (rng.random(len(true)) < -np.expm1(-network.weights))).astype(np.float64)
        world, failed = rng.integers(0, 2, network.n_atoms), False
        jump = bool(np.isinf(network.weights).any()) and state.n_rounds % JUMP_EVERY == 0
        if jump:
            failed = not solve(network, world, required, rng)
        if failed or not jump:
            world = state.world
            wander(network, world, required, rng)
        return Round(world, state.n_rounds + 1, state.n_failed + failed), Info(network.score(world))

    def summary(self, states: Sequence[Any]) -> Any:
        """Return what was kept."""
        return states[-1]


def solve(network: GroundNetwork, world: Ints, required: Floats, rng: np.random.Generator) -> bool:
    """Make `world` a nearly uniform solution of the required formulas, if one is found."""
    n = max(network.n_atoms, 1)
    return bool(
        network.n_atoms == 0
        or current_kernels().clauses.sample_sat(
            rng, world, required, FLIPS * n, AFTER * n, ANNEALING, TEMPERATURE, *network.arrays
        )
    )


def wander(network: GroundNetwork, world: Ints, required: Floats, rng: np.random.Generator) -> None:
    """Change single atoms at random, as long as the required formulas, which `world` satisfies, stay true."""
    if network.n_atoms:
        current_kernels().clauses.sample_sat(
            rng, world, required, 0, AFTER * network.n_atoms, 1.0, FROZEN, *network.arrays
        )


class Shares(NamedTuple):
    """Sums over the rounds of a chain."""

    sums: Floats
    n_rounds: int
    n_failed: int


def sampled_worlds(
    network: GroundNetwork, start: Ints, n_rounds: int, burn_in: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Return the share of rounds in which each atom is true, and the number of failed rounds."""

    def fold(kept: Any, state: Round) -> Any:
        sums = np.zeros(len(state.world)) if kept is None else kept.sums
        return Shares(sums + state.world, (0 if kept is None else kept.n_rounds) + 1, state.n_failed)

    keep = Keep(burn_in=burn_in, fold=fold)
    done = run(McSat(), Problem(network, start), stop=Stop(burn_in + n_rounds), keep=keep, rng=rng, progress="MC-SAT")
    shares: Shares = done.result
    return shares.sums / shares.n_rounds, shares.n_failed
