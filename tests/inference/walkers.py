"""Small methods with which the loop is tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from driftline.inference.contract import Info


class Place(NamedTuple):
    """Where a walk is, written into in place; how many steps it took."""

    at: Any
    n: int


@dataclass(frozen=True)
class RandomWalk:
    """A walk that writes into its own state."""

    width: float = 1.0

    def init(self, problem: Any, rng: Any) -> Place:
        return Place(np.array(problem, dtype=np.float64) + rng.normal(), 0)

    def step(self, state: Place, problem: Any, rng: Any) -> tuple[Place, Info]:
        state.at[...] += self.width * rng.normal(size=state.at.shape)
        return Place(state.at, state.n + 1), Info(objective=float(state.at.sum()), moved=1.0, acceptance=0.5)

    def summary(self, states: Any) -> Any:
        return [(state.at.copy(), state.n) if isinstance(state, Place) else state for state in states]


@dataclass(frozen=True)
class Approach:
    """A climb to the problem's value that halves the distance in every step, from where the rng says."""

    def init(self, problem: float, rng: Any) -> float:
        return problem - float(2 ** rng.integers(3, 20))

    def step(self, state: float, problem: float, rng: Any) -> tuple[float, Info]:
        return (state + problem) / 2, Info(objective=state, moved=(problem - state) / 2)

    def summary(self, states: Any) -> float:
        return max(states)


class Memory:
    """A checkpoint in memory that counts its saves."""

    def __init__(self, every: int = 1) -> None:
        self.every, self.arrays, self.n_saves = every, None, 0

    def load(self) -> Any:
        return self.arrays

    def save(self, arrays: Any) -> None:
        self.arrays = {name: np.array(array) for name, array in arrays.items()}
        self.n_saves += 1
