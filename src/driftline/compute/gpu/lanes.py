"""Joint operations of the lanes that process a document: sums over all topics.

A document is assigned to a team of lanes: a part of a warp if there are few topics, so that a sum takes fewer steps,
one warp, or a whole block if there are more than 1,024 topics. Numba's simulator has no warps; there, every team is a
warp of two lanes.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import cuda, float32, uint32

from driftline.compute.contracts.kernel import Kernel
from driftline.compute.gpu.driver import is_simulated
from driftline.core.errors import InvalidInput

WARP = 2 if is_simulated() else 32
"""Number of lanes of a warp; few in the simulator, where each is a thread of the operating system."""
MOST_PER_LANE = 32
"""Maximum number of topics in the registers of one lane."""
VECTOR = 4
"""Number of topics that a lane loads at once."""
FEW_PER_LANE = 16
"""Maximum number of topics per lane for which a team may be smaller than a warp."""
SMALLEST_TEAM = WARP if is_simulated() else 8
LARGEST_TEAM = 10 * WARP
"""Maximum number of lanes of a block, given about 200 registers each."""
THREADS = 2 if is_simulated() else 128
"""Number of threads of a block that processes the elements of an array."""
MOST_BLOCKS = 1 if is_simulated() else 2**16


class Layout(NamedTuple):
    """Division of the topics of a document among a team: lanes in turn have `VECTOR` consecutive topics each.

    The topic of the number j of lane l is ``(j // VECTOR) · VECTOR · team + VECTOR · l + j % VECTOR``. A kernel that
    loads no vectors may as well give lane l the topics l, l + team, l + 2 · team …
    """

    team: int
    per_lane: int

    @property
    def width(self) -> int:
        """Number of topics with padding."""
        return self.team * self.per_lane


def layout_of(n_topics: int) -> Layout:
    """Return the layout for a number of topics, with or without padding."""
    team = WARP * -(-n_topics // (WARP * MOST_PER_LANE))
    if team > LARGEST_TEAM:
        raise InvalidInput(
            f"this device supports at most {LARGEST_TEAM * MOST_PER_LANE:,} topics, not {n_topics:,}; "
            f"use engine='threads'"
        )
    while team > SMALLEST_TEAM and n_topics <= (team // 2) * FEW_PER_LANE:
        team //= 2
    return Layout(team, VECTOR * -(-n_topics // (team * VECTOR)))


def grid_of(layout: Layout, n_documents: int) -> tuple[int, tuple[int, int]]:
    """Return the number of blocks, and the lanes and teams of each, if every document has one team."""
    teams = 1 if layout.team > WARP else THREADS // layout.team
    return max(1, -(-n_documents // teams)), (layout.team, teams)


def blocks_of(n: int) -> int:
    """Return the number of blocks for the elements of an array; a thread processes elements at a fixed stride."""
    return max(1, min(-(-n // THREADS), MOST_BLOCKS))


@functools.cache
def team_sum(team: int, kind: Any = float32) -> Kernel:
    """Return the function that adds a number over the lanes of a team, in fixed order; all lanes get the sum."""
    return _combination(team, _plus, kind)


@functools.cache
def team_max(team: int, kind: Any = float32) -> Kernel:
    """Return the function that finds the largest of the numbers of a team's lanes; all lanes get it."""
    return _combination(team, _larger, kind)


@functools.cache
def warp_value(kind: Any) -> Kernel:
    """Return the function (number, lane) → the number of that lane of the warp, for all its lanes."""
    return _simulated_value(kind) if is_simulated() else _value_in_warp


@functools.cache
def warp_wait() -> Kernel:
    """Return the function that waits for the lanes of a warp, and for what they have written."""
    return _simulated_wait if is_simulated() else _wait_in_warp


@functools.cache
def team_scan(team: int) -> Kernel:
    """Return the function that gives every lane the sum of the lanes before it, and that of the whole team.

    A team must not be larger than a warp.
    """
    return _simulated_scan(team) if is_simulated() else _scan_in_warp(team)


@cuda.jit(device=True)
def _plus(one, other):
    return one + other


@cuda.jit(device=True)
def _larger(one, other):
    return max(one, other)


def _combination(team: int, combine: Kernel, kind: Any) -> Kernel:
    if is_simulated():
        return _simulated(team, combine, kind)
    return _in_warp(team, combine) if team <= WARP else _of_warps(team, combine, kind)


def _simulated(team: int, combine: Kernel, kind: Any) -> Kernel:
    @cuda.jit(device=True)
    def combine_lanes(value):
        values, mine = cuda.shared.array((THREADS, team), kind), cuda.threadIdx.y
        cuda.syncthreads()
        values[mine, cuda.threadIdx.x] = value
        cuda.syncthreads()
        found = values[mine, 0]
        for i in range(1, team):
            found = combine(found, values[mine, i])
        return found

    return combine_lanes


def _in_warp(team: int, combine: Kernel) -> Kernel:
    """Return a combination by halves; the teams of a warp do not wait for each other."""
    members = (1 << team) - 1

    @cuda.jit(device=True)
    def combine_lanes(value):
        thread = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
        mask = uint32(members) << uint32(thread % WARP // team * team)
        half = team // 2
        while half > 0:
            value = combine(value, cuda.shfl_xor_sync(mask, value, half))
            half //= 2
        return value

    return combine_lanes


@cuda.jit(device=True)
def _value_in_warp(value, lane):
    return cuda.shfl_sync(0xFFFFFFFF, value, lane)


def _simulated_value(kind: Any) -> Kernel:
    @cuda.jit(device=True)
    def value_of_lane(value, lane):
        values = cuda.shared.array(WARP, kind)
        cuda.syncthreads()
        values[cuda.threadIdx.x] = value
        cuda.syncthreads()
        return values[lane]

    return value_of_lane


@cuda.jit(device=True)
def _wait_in_warp():
    cuda.syncwarp()


@cuda.jit(device=True)
def _simulated_wait():
    cuda.syncthreads()


def _simulated_scan(team: int) -> Kernel:
    @cuda.jit(device=True)
    def scan_lanes(value):
        values, lane, mine = cuda.shared.array((THREADS, team), float32), cuda.threadIdx.x, cuda.threadIdx.y
        cuda.syncthreads()
        values[mine, lane] = value
        cuda.syncthreads()
        before, total = float32(0), float32(0)
        for i in range(team):
            if i == lane:
                before = total
            total += values[mine, i]
        return before, total

    return scan_lanes


def _scan_in_warp(team: int) -> Kernel:
    """Return a scan by pairs, pairs of pairs …: the upper half of a group adds the sum of the lower half."""
    members = (1 << team) - 1

    @cuda.jit(device=True)
    def scan_lanes(value):
        thread = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
        mask = uint32(members) << uint32(thread % WARP // team * team)
        before, total, half = float32(0), value, 1
        while half < team:
            other = cuda.shfl_xor_sync(mask, total, half)
            if thread & half:
                before += other
            total += other
            half *= 2
        return before, total

    return scan_lanes


def _of_warps(team: int, combine: Kernel, kind: Any) -> Kernel:
    n_warps, in_warp = team // WARP, _in_warp(WARP, combine)

    @cuda.jit(device=True)
    def combine_lanes(value):
        of_warps = cuda.shared.array(n_warps, kind)
        value = in_warp(value)
        cuda.syncthreads()
        if cuda.threadIdx.x % WARP == 0:
            of_warps[cuda.threadIdx.x // WARP] = value
        cuda.syncthreads()
        found = of_warps[0]
        for i in range(1, n_warps):
            found = combine(found, of_warps[i])
        return found

    return combine_lanes
