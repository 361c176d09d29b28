"""Expectation propagation for IDA-IT; the equations are those of ``compute/cpu/intensity_ep.py``.

The filter follows the stream in one block, with a thread per topic, since each document couples all chains; the data of
the next document are loaded while the current one is processed. In a sweep the sites are fixed, so chains are also
divided into segments, which `intensity_segments` runs in parallel.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numba import cuda, float64, from_dtype

from driftline.compute.contracts.kernel import LaunchedKernel
from driftline.compute.cpu.intensity_ep import LEAST
from driftline.compute.gpu import memory
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.intensity_segments import (
    adding_parts,
    carrying,
    joining,
    rest_of,
    smoothing,
)
from driftline.compute.gpu.lanes import THREADS, WARP, blocks_of, team_sum
from driftline.core.arrays import DeviceArray
from driftline.core.errors import InvalidInput

SEGMENT = 3 if is_simulated() else 256
"""Number of documents of a segment, which one thread processes."""
MOST_LEVELS = 32
"""Maximum number of levels that fit into the registers and local memory of a thread."""
MOST_LANES = 4 if is_simulated() else 256
"""Maximum number of threads of the filter; a thread may process several topics."""
PREDICTED_BYTES = 64 if is_simulated() else 2**29
"""Memory in bytes for the predicted beliefs of the segments that are smoothed at once."""


def decays_of(gaps: DeviceArray, rates: DeviceArray) -> DeviceArray:
    """Return e^{-(λ_l - λ_0) Δ} of every document and level, in the type of `rates`."""
    n_levels = len(rates)
    if n_levels > MOST_LEVELS:
        raise InvalidInput(f"this device supports at most {MOST_LEVELS} levels, not {n_levels}; use engine='threads'")
    found = memory.empty((len(gaps), n_levels), rates.dtype)
    _decaying[blocks_of(len(gaps)), THREADS, memory.streams()[0]](memory.place(gaps), memory.place(rates), found)
    return found


def filter_stream(
    text: DeviceArray,
    gaps: DeviceArray,
    rates: DeviceArray,
    steps: DeviceArray,
    speeds: DeviceArray,
    band: int,
    message: DeviceArray,
    moves_first: bool,
    means: DeviceArray,
    mixed: DeviceArray,
) -> float:
    """Run all chains forward once; write m_t from the past alone into `means`, S_t into `mixed`.

    Returns the logarithm of p(Δ, w of all documents) as predicted one document ahead; `message` is changed in place.
    """
    width, n_levels = text.shape[1], len(rates)
    team = min(WARP * -(-width // WARP), MOST_LANES)
    per_lane = -(-width // team)
    belief, logs = memory.place(message), memory.empty(team, np.float64)
    matrices, decays = _matrices_of(steps, speeds, gaps), decays_of(gaps, rates)
    constant = len(matrices) == 1
    _filtering(n_levels, _kind(text), team, per_lane, band, constant)[1, team, memory.streams()[0]](
        text, decays, rates, matrices, belief, moves_first, means, mixed, logs
    )
    if belief is not message:
        message[...] = memory.fetch(belief)
    evidence = memory.fetch(logs).sum() - width * float(memory.fetch(rates)[0]) * memory.fetch(gaps).sum()
    for array in (logs, matrices, decays):
        memory.give_back(array)
    return float(evidence)


def mix(text: DeviceArray, means: DeviceArray, mixed: DeviceArray) -> None:
    """Write S_t = Σ_j p_tj m_tj into `mixed`."""
    _mixing()[_rows(len(text)), (WARP, THREADS // WARP), memory.streams()[0]](text, means, mixed)


def as_shares(topics: DeviceArray) -> None:
    """Divide rows by their sums, in place."""
    _dividing()[_rows(len(topics)), (WARP, THREADS // WARP), memory.streams()[0]](topics)


def sweep(
    text, decays, gaps, rates, steps, speeds, band, prior, means, mixed, begin, end, tail, results, moves, counts
) -> float:
    """Run the chains `begin` to `end` forward and backward and move their `means` halfway to Eq. 2.

    Returns the largest change of a topic's posterior. The arguments are those of the processor's function.
    """
    n, width, n_levels, kind = len(text), end - begin, len(rates), _kind(text)
    stream, n_segments = memory.streams()[0], -(-n // SEGMENT)
    shape = (n_segments, n_levels, width)
    matrices = _matrices_of(steps, speeds, gaps)
    transfers = memory.empty((n_segments, n_levels, n_levels, width), np.float64)
    scales = memory.empty(shape, np.float64)
    beliefs, behinds = memory.empty(shape, text.dtype), memory.empty(shape, text.dtype)
    sites = (text, decays, rates, matrices, means, mixed, begin, width)
    n_threads = n_segments * n_levels * width
    carrying(n_levels, band)[-(-n_threads // THREADS), THREADS, stream](*sites, SEGMENT, transfers, scales)
    joining(n_levels)[-(-width // THREADS), THREADS, stream](transfers, scales, prior, beliefs, behinds)
    last, counting = len(results[0]) > 0, len(moves) > 0
    at_once = max(1, min(n_segments, PREDICTED_BYTES // (SEGMENT * n_levels * width * text.dtype.itemsize)))
    predicted = memory.empty((at_once * SEGMENT, n_levels, width), text.dtype)
    n_counts = n_levels * n_levels + 3 * n_levels
    parts = memory.empty((at_once, n_counts, width) if counting else (1, 1, 1), np.float64)
    change, nothing = memory.place(np.zeros(1)), memory.place(np.zeros((1, 1), dtype=np.uint8))
    written = tuple(results) if last else (means, means, nothing, nothing, nothing)
    smooth = smoothing(n_levels, kind, band, last, counting)
    for first in range(0, n_segments, at_once):
        here = min(at_once, n_segments - first)
        smooth[-(-here * width // THREADS), THREADS, stream](
            *sites, gaps, SEGMENT, first, here, beliefs, behinds, predicted, float64(tail), *written, parts, change
        )
        if counting:
            adding_parts[blocks_of(n_counts * width), THREADS, stream](parts, here, begin, n_levels, moves, counts)
    largest = float(memory.fetch(change)[0])
    for array in (matrices, transfers, scales, beliefs, behinds, predicted, parts, change, nothing):
        memory.give_back(array)
    return largest


def _kind(text: DeviceArray) -> Any:
    return from_dtype(text.dtype)


def _rows(n: int) -> int:
    """Return the number of blocks in which every row has a warp."""
    return max(1, -(-n * WARP // THREADS))


def _matrices_of(steps: DeviceArray, speeds: DeviceArray, gaps: DeviceArray) -> DeviceArray:
    """Return the matrix before every document, or, if they are all equal, one: documents (or one) × levels × levels."""
    n_levels = len(steps)
    found = memory.empty((len(gaps) if len(speeds) else 1, n_levels, n_levels), steps.dtype)
    _stepping[blocks_of(found.size), THREADS, memory.streams()[0]](
        memory.place(steps), memory.place(speeds), memory.place(gaps), found
    )
    return found


@cuda.jit
def _decaying(gaps, rates, decays):
    for t in range(cuda.grid(1), len(gaps), cuda.gridsize(1)):
        for l in range(len(rates)):
            value = math.exp(-(float64(rates[l]) - float64(rates[0])) * gaps[t])
            decays[t, l] = value if value > LEAST else LEAST


@cuda.jit
def _stepping(steps, speeds, gaps, matrices):
    n = len(steps)
    for place in range(cuda.grid(1), matrices.size, cuda.gridsize(1)):
        t, i, j = place // (n * n), place // n % n, place % n
        if len(speeds) == 0:
            matrices[t, i, j] = steps[i, j]
        else:
            total = float64(0)
            for l in range(n):
                total += steps[i, l] * math.exp(speeds[l] * gaps[t]) * steps[j, l]
            matrices[t, i, j] = max(total, 0.0)


@functools.cache
def _mixing() -> LaunchedKernel:
    add_lanes = team_sum(WARP, float64)

    @cuda.jit
    def mix_rows(text, means, mixed):
        t = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if t >= len(text):
            return
        total = float64(0)
        for k in range(cuda.threadIdx.x, text.shape[1], WARP):
            total += text[t, k] * means[t, k]
        total = add_lanes(total)
        if cuda.threadIdx.x == 0:
            mixed[t] = total

    return mix_rows


@functools.cache
def _dividing() -> LaunchedKernel:
    add_lanes = team_sum(WARP, float64)

    @cuda.jit
    def divide_rows(topics):
        t = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if t >= len(topics):
            return
        total = float64(0)
        for k in range(cuda.threadIdx.x, topics.shape[1], WARP):
            total += topics[t, k]
        total = add_lanes(total)
        for k in range(cuda.threadIdx.x, topics.shape[1], WARP):
            topics[t, k] /= total

    return divide_rows


@functools.cache
def _filtering(n_levels: int, kind: Any, team: int, per_lane: int, band: int, constant: bool) -> LaunchedKernel:
    """Return the filter of all chains, in one block; loops have fixed lengths, so that beliefs stay in registers."""
    add_lanes, size, least, n_moves = team_sum(team, float64), per_lane * n_levels, LEAST, n_levels * n_levels

    @cuda.jit
    def follow(text, decays, rates, matrices, message, moves_first, means, mixed, logs):
        lane, width, n = cuda.threadIdx.x, text.shape[1], len(text)
        belief, predicted = cuda.local.array(size, kind), cuda.local.array(size, kind)
        mean, share, coming = (
            cuda.local.array(per_lane, kind), cuda.local.array(per_lane, kind), cuda.local.array(per_lane, kind),
        )  # fmt: skip
        decay, coming_decay = cuda.local.array(n_levels, kind), cuda.local.array(n_levels, kind)
        rate, moves = cuda.local.array(n_levels, kind), cuda.local.array(n_moves, kind)
        for l in range(n_levels):
            rate[l], coming_decay[l] = rates[l], decays[0, l]
        for i in range(n_levels):
            for l in range(n_levels):
                moves[i * n_levels + l] = matrices[0, i, l]
        for j in range(per_lane):
            k = min(lane + j * team, width - 1)
            coming[j] = text[0, k]
            for l in range(n_levels):
                belief[j * n_levels + l] = message[l, k]
        log, factor = float64(0), float64(1)
        for t in range(n):
            after = min(t + 1, n - 1)
            for l in range(n_levels):
                decay[l] = coming_decay[l]
                coming_decay[l] = decays[after, l]
            for j in range(per_lane):
                share[j] = coming[j]
                coming[j] = text[after, min(lane + j * team, width - 1)]
            if not constant:
                for i in range(n_levels):
                    for l in range(n_levels):
                        moves[i * n_levels + l] = matrices[t, i, l]
            here = float64(0)
            for j in range(per_lane):
                k = lane + j * team
                mass, weighted = kind(0), kind(0)
                for l in range(n_levels):
                    value = kind(0)
                    for i in range(max(0, l - band), min(n_levels, l + band + 1)):
                        value += moves[i * n_levels + l] * belief[j * n_levels + i]
                    if t == 0 and not moves_first:
                        value = belief[j * n_levels + l]
                    predicted[j * n_levels + l] = value
                    value *= decay[l]
                    mass += value
                    weighted += value * rate[l]
                mean[j] = weighted / mass  # Eq. 2
                if k < width:
                    means[t, k] = mean[j]
                    here += share[j] * mean[j]
                    factor *= mass
                    if factor < 1e-200:
                        log += math.log(factor)
                        factor = float64(1)
            together = add_lanes(here)
            if lane == 0:
                mixed[t] = together
                factor *= together
                if factor < 1e-200 or factor > 1e200:
                    log += math.log(factor)
                    factor = float64(1)
            for j in range(per_lane):
                rest = rest_of(kind(together), share[j], mean[j])
                total = kind(0)
                for l in range(n_levels):
                    value = predicted[j * n_levels + l] * decay[l] * (rate[l] * share[j] + rest)  # Eq. 1
                    belief[j * n_levels + l] = value
                    total += value
                for l in range(n_levels):
                    belief[j * n_levels + l] = max(belief[j * n_levels + l] / total, kind(least))
        for j in range(per_lane):
            for l in range(n_levels):
                if lane + j * team < width:
                    message[l, lane + j * team] = belief[j * n_levels + l]
        logs[lane] = log + math.log(factor)

    return follow
