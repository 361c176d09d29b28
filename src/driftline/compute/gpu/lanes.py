"""What the lanes that work on a document do together: sums over all topics.

A document belongs to a team of lanes: one warp, or a whole block where there are more than 1,024 topics. Numba's
simulator has no warps; there, every team is a block.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import cuda, float32

from driftline.compute.gpu.driver import is_simulated
from driftline.core.errors import InvalidInput

WARP = 2 if is_simulated() else 32
"""Lanes of a warp; few in the simulator, where each is a thread of the operating system."""
MOST_PER_LANE = 32
"""Topics that one lane can hold in its registers."""
LARGEST_TEAM = 32 * WARP
TEAMS_PER_BLOCK = 1 if is_simulated() else 4
THREADS = 2 if is_simulated() else 128
"""Threads of a block that works on the elements of an array."""
MOST_BLOCKS = 1 if is_simulated() else 2**16
ALL_LANES = 0xFFFFFFFF


class Layout(NamedTuple):
    """How the topics of a document are divided among a team: lane l has the topics l, l + team, l + 2 · team …

    Neighbouring lanes have neighbouring topics, so that a load or an addition of a warp is one access to memory.
    """

    team: int
    per_lane: int

    @property
    def width(self) -> int:
        """Topics with padding."""
        return self.team * self.per_lane


def layout_of(n_topics: int) -> Layout:
    """Return the layout for a number of topics, with or without padding."""
    team = WARP * -(-n_topics // (WARP * MOST_PER_LANE))
    if team > LARGEST_TEAM:
        raise InvalidInput(
            f"this device works with at most {LARGEST_TEAM * MOST_PER_LANE:,} topics, not {n_topics:,}; "
            f"use engine='threads'"
        )
    return Layout(team, -(-n_topics // team))


def grid_of(layout: Layout, n_documents: int) -> tuple[int, tuple[int, int]]:
    """Return the number of blocks, and the lanes and teams of each."""
    teams = 1 if layout.team > WARP else TEAMS_PER_BLOCK
    return max(1, -(-n_documents // teams)), (layout.team, teams)


def blocks_of(n: int) -> int:
    """Return the number of blocks for the elements of an array; a thread works on every so many-th of them."""
    return max(1, min(-(-n // THREADS), MOST_BLOCKS))


@functools.cache
def team_sum(team: int) -> Any:
    """Return the function that adds a number over the lanes of a team, in fixed order; all lanes get the sum."""
    if is_simulated():
        return _block_sum(team)
    return _warp_sum if team == WARP else _sum_of_warps(team)


def _block_sum(team: int) -> Any:
    @cuda.jit(device=True)
    def add(value):
        values = cuda.shared.array(team, float32)
        cuda.syncthreads()
        values[cuda.threadIdx.x] = value
        cuda.syncthreads()
        total = float32(0)
        for i in range(team):
            total += values[i]
        return total

    return add


@cuda.jit(device=True)
def _warp_sum(value):
    value += cuda.shfl_xor_sync(ALL_LANES, value, 16)
    value += cuda.shfl_xor_sync(ALL_LANES, value, 8)
    value += cuda.shfl_xor_sync(ALL_LANES, value, 4)
    value += cuda.shfl_xor_sync(ALL_LANES, value, 2)
    value += cuda.shfl_xor_sync(ALL_LANES, value, 1)
    return value


def _sum_of_warps(team: int) -> Any:
    n_warps = team // WARP

    @cuda.jit(device=True)
    def add(value):
        sums = cuda.shared.array(n_warps, float32)
        value = _warp_sum(value)
        cuda.syncthreads()
        if cuda.threadIdx.x % WARP == 0:
            sums[cuda.threadIdx.x // WARP] = value
        cuda.syncthreads()
        total = float32(0)
        for i in range(n_warps):
            total += sums[i]
        return total

    return add
