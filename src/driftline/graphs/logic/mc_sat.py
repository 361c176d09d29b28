"""MC-SAT: sampling of worlds under weighted and hard rules, from nearly uniform solutions of satisfied rules.

In a round, each true formula of weight w is required with probability 1 − exp(−w), a hard one always, and the next
world is a random solution of the required formulas. Changing single atoms while all required formulas stay true
preserves the target distribution, but cannot reach worlds that hard rules separate. If there are hard rules, SampleSAT
therefore searches for a solution from a random world in every second round. Its solutions are only nearly uniform:
under many overlapping soft rules they are far from uniform, so SampleSAT is not used alone.
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
"""Share of annealing steps, and their temperature; with a higher share or temperature, the search fails more often."""
FROZEN = 1e-9
"""Temperature at which no step that breaks a clause is accepted."""
AFTER = 10
"""Steps per atom after the first solution."""
JUMP_EVERY = 2
"""Number of rounds between solutions of SampleSAT, if there are hard rules."""
FLIPS = 1000
"""Maximum number of steps per atom in a round."""


class Round(NamedTuple):
    """The state of a chain: a world, the number of rounds, and the number of failed rounds."""

    world: Ints
    n_rounds: int
    n_failed: int


class Problem(NamedTuple):
    """A network and the initial world of a chain."""

    network: GroundNetwork
    start: Ints


@dataclass(frozen=True)
class McSat:
    """One round per step."""

    def init(self, problem: Problem, rng: np.random.Generator) -> Round:
        """Begin."""
        return Round(problem.start.copy(), 0, 0)

    def step(self, state: Round, problem: Problem, rng: np.random.Generator) -> tuple[Round, Info]:
        """Draw the required formulas, then a world that satisfies them; if none is found, change single atoms."""
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
        """Return the kept sums."""
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
        # With an even number of steps, an atom that no rule constrains would always have its old value again.
        n_steps = AFTER * network.n_atoms + int(rng.integers(0, 2))
        current_kernels().clauses.sample_sat(rng, world, required, 0, n_steps, 1.0, FROZEN, *network.arrays)


class Shares(NamedTuple):
    """Sums over the rounds of a chain."""

    sums: Floats
    n_rounds: int
    n_failed: int


def sampled_worlds(
    network: GroundNetwork, start: Ints, n_rounds: int, burn_in: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Return the share of rounds in which each atom is true, and the number of failed rounds."""

    def fold(kept: Shares | None, state: Round) -> Shares:
        sums = np.zeros(len(state.world)) if kept is None else kept.sums
        return Shares(sums + state.world, (0 if kept is None else kept.n_rounds) + 1, state.n_failed)

    keep = Keep(burn_in=burn_in, fold=fold)
    done = run(McSat(), Problem(network, start), stop=Stop(burn_in + n_rounds), keep=keep, rng=rng, progress="MC-SAT")
    shares: Shares = done.result
    return shares.sums / shares.n_rounds, shares.n_failed
