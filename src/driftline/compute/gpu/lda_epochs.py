r"""Collapsed variational inference for LDA, all documents at once: one team of lanes per document, topics in registers.

The equations are those of ``compute/cpu/lda_epochs.py``. A team reads the row of a word, finds the pair's answer by two
sums over its lanes, and adds it to the document's counts, in registers, and to the next counts of the word, in memory.

Floats that are added in any order differ in their last digits from run to run. Sums in fixed point do not, but such
additions are expensive, and a pair's answer gives almost nothing to most topics. So what is added in fixed point is
rounded at random to multiples of a quantum :math:`1/Q` of a token, and nothing is added where that gives zero. A lane
rounds its topics in turn, and carries what rounding left to the next,

.. math:: s_j = u + Q \sum_{i \le j} c\,g_i, \qquad \Delta M_j = (\lfloor s_j \rfloor - \lfloor s_{j-1} \rfloor) / Q,
    \qquad (4)

with :math:`u` uniform between 0 and 1: the expected addition is :math:`c\,g_j`, and a lane's additions are less than
:math:`1/Q` from what they should be in all.

Floats are added four at a time, and most of these additions are small, too. Those whose sum :math:`s` is less than
:math:`\epsilon` are added, :math:`\epsilon / s` times, with probability :math:`s / \epsilon`, by the same rule (5).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float32, float64, int32, int64

from driftline.compute.gpu import memory
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.lanes import THREADS, VECTOR, WARP, Layout, blocks_of, grid_of, layout_of, team_sum
from driftline.compute.gpu.vectors import add_four, load_four
from driftline.core.arrays import DeviceArray
from driftline.core.progress import announce

CELLS = 256
"""Places among which documents divide what they report, so that they do not wait for each other."""
MOVED = 2.0**20
"""One in the fixed point of what documents report."""
BITS = 62
"""Bits of a sum in fixed point."""
ROWS = 256
"""Rows of words that one thread adds up."""
QUANTA = 64
"""Parts of a token of which additions in fixed point are multiples."""
LEAST = 1 / 64
"""The ε of Eq. 5: four floats with a smaller sum are added rarely, and then as much as if it were that."""
LONG = 256
"""Largest number of pairs of a document that has one team."""
BLOCK = 4 if is_simulated() else 256
"""Lanes of all teams of a long document."""


class Sums(NamedTuple):
    """Words × topics, padded and flat: float32, or int64 in units of 1 / `scale`; and what documents moved by."""

    values: DeviceArray
    scale: float
    moved: DeviceArray


def fixed_point(n_tokens: float) -> float:
    """Return the scale at which a sum over all tokens cannot overflow.

    >>> fixed_point(1e9) == 2.0**32
    True
    """
    return float(2.0 ** (BITS - int(np.ceil(np.log2(max(n_tokens, 2.0))))))


def begin_documents(n_documents: int, n_topics: int) -> DeviceArray:
    """Return room for the topic counts of documents."""
    return memory.empty(n_documents * layout_of(n_topics).width, np.float32)


def sums_of(values: DeviceArray, n_words: int, n_topics: int, n_tokens: float, deterministic: bool) -> Sums:
    """Return counts of words × topics, whatever their padding, to which documents can add."""
    width, stream = layout_of(n_topics).width, memory.streams()[0]
    if not memory.is_here(values) or len(values) != n_words * width:
        padded = np.zeros((n_words, width), dtype=np.float32)
        padded[:, :n_topics] = memory.fetch(values).reshape(n_words, -1)[:, :n_topics]
        values = memory.place(padded.reshape(-1))
    scale = fixed_point(2.0 * n_tokens) if deterministic else 0.0
    sums = memory.empty(len(values), np.int64 if deterministic else np.float32)
    _scaling[blocks_of(len(values)), THREADS, stream](values, scale or 1.0, sums)
    memory.give_back(values)
    return Sums(sums, scale, blank(CELLS, np.int64))


def word_shares(sums: Sums, n_words: int, n_topics: int, beta: float) -> DeviceArray:
    """Return (M_wk + β) / (n_k + Vβ), zero in the padding."""
    width, stream, unit = layout_of(n_topics).width, memory.streams()[0], 1.0 / (sums.scale or 1.0)
    n_chunks = -(-n_words // ROWS)
    partial, inverse = memory.empty(n_chunks * width, np.float64), memory.empty(width, np.float32)
    across = blocks_of(width)
    column_sums[(across, n_chunks), THREADS, stream](sums.values, width, n_words, partial)
    _inverting[across, THREADS, stream](partial, n_chunks, width, n_topics, unit, n_words * beta, inverse)
    shares = memory.empty(n_words * width, np.float32)
    _sharing[blocks_of(len(shares)), THREADS, stream](sums.values, float32(unit), float32(beta), inverse, shares)
    memory.give_back(partial)
    memory.give_back(inverse)
    return shares


def forget(sums: Sums, keep: float, seed_rows: DeviceArray, seed_counts: DeviceArray) -> None:
    """Keep this share of all counts, but the whole of the seeds; in place."""
    stream = memory.streams()[0]
    _keeping[blocks_of(len(sums.values)), THREADS, stream](sums.values, keep)
    if len(seed_rows):
        width = seed_counts.shape[1]
        extra = memory.place(np.ascontiguousarray(seed_counts, dtype=np.float64).reshape(-1))
        unit = (1.0 - keep) * (sums.scale or 1.0)
        _seeding[len(seed_rows), THREADS, stream](sums.values, memory.place(seed_rows), extra, width, unit)


def learn_documents(documents, indptr, words, counts, shares, alpha, sums, n_topics, n_warm, weight, first, step):
    """Let documents learn once, in place, and add what they say, `weight` times, to the counts of the words.

    The documents are `first`, `first` + `step` … With `n_warm` their counts first settle in as many passes with Eq. 1.
    They are sorted by their number of pairs, longest first. A long one belongs to a block of several teams, which each
    work on some of its pairs.
    """
    layout, fixed = layout_of(n_topics), bool(sums.scale)
    n = max(0, -(-(len(indptr) - 1 - first) // step))
    unit = int(weight * sums.scale / QUANTA) if fixed else float32(weight)
    arrays = (indptr, words, counts, shares, alpha, documents, sums.values, sums.moved)
    arguments = (*arrays, unit, n_warm, first, step)
    stream = memory.beside()
    teams, n_long = _teams_of(layout), min(n, -(-len(words) // (LONG * step)))
    if len(words) > LONG and teams > 1:
        _learning(layout, fixed and QUANTA, teams, LONG)[n_long, (layout.team, teams), stream](*arguments)
    blocks, threads = grid_of(layout, n)
    _learning(layout, fixed and QUANTA, 1, LONG)[blocks, threads, stream](*arguments)


def give_back(shares: DeviceArray) -> None:
    """Say that nobody needs these shares any more."""
    memory.give_back(shares)


def counts_of(sums: Sums) -> DeviceArray:
    """Return the counts as float32 on the device, padded and flat; the sums are given back."""
    counts = memory.empty(len(sums.values), np.float32)
    _scaling[blocks_of(len(counts)), THREADS, memory.streams()[0]](sums.values, 1.0 / (sums.scale or 1.0), counts)
    memory.give_back(sums.values)
    memory.give_back(sums.moved)
    return counts


def added(first: Sums, second: Sums) -> Sums:
    """Add the second sums to the first, and give them back."""
    add_to(first.values, second.values)
    add_to(first.moved, second.moved)
    return first


def add_to(values: DeviceArray, others: DeviceArray) -> None:
    """Add other values to these, in place, and give them back."""
    _adding[blocks_of(len(values)), THREADS, memory.streams()[0]](values, others)
    memory.give_back(others)


def forget_moved(sums: Sums) -> None:
    """Begin again to add up by how much the counts of documents change."""
    _keeping[blocks_of(CELLS), THREADS, memory.streams()[0]](sums.moved, 0.0)


def moved_by(sums: Sums) -> float:
    """Return by how much the counts of documents have changed since `forget_moved`."""
    return float(memory.fetch(sums.moved).sum()) / MOVED


def _teams_of(layout: Layout) -> int:
    """Return the number of teams of a long document: one if a team is more than a warp."""
    return BLOCK // layout.team if layout.team <= WARP else 1


@functools.cache
def _learning(layout: Layout, quanta: int, teams: int, longest: int) -> Any:
    """Return the kernel for a layout of topics: of documents with one team, or of long ones, with several.

    Without quanta, sums are floats.
    """
    announce("compiling for the graphics processor; a few seconds, once per process")
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    n_loads = per_lane // VECTOR
    add_lanes, add_teams = team_sum(team), _sum_over_teams(layout, teams)
    load, add = load_four(), add_four()
    shared, may_share = teams > 1, _teams_of(layout) > 1
    least, per_least = LEAST, 1 / max(LEAST, 1e-30)

    @cuda.jit(fastmath=True)
    def learn(indptr, words, counts, shares, alpha, documents, sums, moved, unit, n_warm, first_of_all, step):
        lane, mine = cuda.threadIdx.x, cuda.threadIdx.y
        d = cuda.blockIdx.x if shared else cuda.blockIdx.x * cuda.blockDim.y + mine
        d = first_of_all + step * d
        if d >= len(indptr) - 1:
            return
        start, end = indptr[d], indptr[d + 1]
        if may_share and (end - start > longest) != shared:
            return
        n, first = end - start, start
        if shared:  # every team has as many steps, so that all meet where they add
            n = (n + teams - 1) // teams
            first += mine * n
        old, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        g, a = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        prior = cuda.local.array(per_lane, float32)
        length = float32(0)
        for p in range(start + lane, end, team):
            length += counts[p]
        length = add_lanes(length)
        own = int64(d) * width + VECTOR * lane
        for i in range(n_loads):
            j, k = VECTOR * i, VECTOR * team * i
            prior[j], prior[j + 1], prior[j + 2], prior[j + 3] = load(alpha, int64(k + VECTOR * lane))
            if n_warm > 0:
                old[j], old[j + 1], old[j + 2], old[j + 3] = prior[j], prior[j + 1], prior[j + 2], prior[j + 3]
            else:
                old[j], old[j + 1], old[j + 2], old[j + 3] = load(documents, own + k)
        for _ in range(n_warm):
            for j in range(per_lane):
                out[j] = float32(0)
            for p in range(first, first + n):
                row, count = int64(words[min(p, end - 1)]) * width + VECTOR * lane, float32(0)
                if p < end:
                    count = counts[p]
                for i in range(n_loads):
                    j = VECTOR * i
                    a[j], a[j + 1], a[j + 2], a[j + 3] = load(shares, row + VECTOR * team * i)
                total = float32(0)
                for j in range(per_lane):
                    g[j] = a[j] * (old[j] + prior[j])  # Eq. 1
                    total += g[j]
                share = count / add_lanes(total)
                for j in range(per_lane):
                    out[j] += g[j] * share
            add_teams(out)
            for j in range(per_lane):
                old[j] = out[j]
        for j in range(per_lane):
            out[j] = prior[j]  # from here on, counts with the prior
        left = length
        for p in range(first, first + n):
            row, count = int64(words[min(p, end - 1)]) * width + VECTOR * lane, float32(0)
            if p < end:
                count = counts[p]
            for i in range(n_loads):
                j = VECTOR * i
                a[j], a[j + 1], a[j + 2], a[j + 3] = load(shares, row + VECTOR * team * i)
            rest = left / length
            left -= count
            total = float32(0)
            for j in range(per_lane):
                g[j] = old[j] * rest + out[j]  # Eq. 3, with the prior; what other teams add comes later
                total += a[j] * g[j]  # Eq. 1
            share = float32(1) / add_lanes(total)
            total = float32(0)
            for j in range(per_lane):
                g[j] = a[j] * max(g[j] * (float32(1) - a[j] * share), prior[j])  # Eq. 2
                total += g[j]
            share = count / add_lanes(total)
            for j in range(per_lane):
                g[j] *= share
                out[j] += g[j]
            if quanta:
                carried = _fraction(p, lane, share)
                for j in range(per_lane):
                    carried += g[j] * float32(quanta)  # Eq. 4
                    whole = int32(carried)
                    carried -= float32(whole)
                    if whole > 0:
                        place = row + (j // VECTOR) * VECTOR * team + j % VECTOR
                        cuda.atomic.add(sums, place, int64(whole) * unit)
            else:
                carried = _fraction(p, lane, share)
                for i in range(n_loads):
                    j, place, by = VECTOR * i, row + VECTOR * team * i, unit
                    four = g[j] + g[j + 1] + g[j + 2] + g[j + 3]
                    if four < float32(least):
                        carried += four * float32(per_least)  # Eq. 5
                        by = float32(0)
                        if carried >= float32(1):
                            carried -= float32(1)
                            by = unit * float32(least) / four
                    if by > float32(0):
                        add(sums, place, g[j] * by, g[j + 1] * by, g[j + 2] * by, g[j + 3] * by)
        for j in range(per_lane):
            out[j] -= prior[j]
        add_teams(out)
        far = float32(0)
        for j in range(per_lane):
            far += abs(out[j] - old[j])
        far = add_lanes(far)
        if shared and mine > 0:
            return
        for j in range(per_lane):
            documents[own + (j // VECTOR) * VECTOR * team + j % VECTOR] = out[j]
        if lane == 0:
            cuda.atomic.add(moved, d % CELLS, int64(far * float32(MOVED)))

    return learn


@functools.cache
def _sum_over_teams(layout: Layout, teams: int) -> Any:
    """Return the function that adds numbers of lanes over the teams of a block, in fixed order, in place."""
    team, per_lane = layout.team, layout.per_lane

    @cuda.jit(device=True)
    def nothing(values):
        pass

    @cuda.jit(device=True)
    def add(values):
        of_teams = cuda.shared.array((teams, per_lane, team), float32)
        lane, mine = cuda.threadIdx.x, cuda.threadIdx.y
        cuda.syncthreads()
        for j in range(per_lane):
            of_teams[mine, j, lane] = values[j]
        cuda.syncthreads()
        for j in range(per_lane):
            total = float32(0)
            for i in range(teams):
                total += of_teams[i, j, lane]
            values[j] = total

    return add if teams > 1 else nothing


@cuda.jit(device=True)
def _fraction(pair, lane, share):
    """Return a number between 0 and 1 that looks random: a hash of a pair, a lane and what the pair was divided by."""
    mixed = (int64(pair) * 2654435769 + int64(lane) * 2246822519 + int64(share * float32(4093))) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2146121005) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 12)) * 1540483477) & 0xFFFFFFFF
    return float32(mixed >> 8) * float32(2.0**-24)


@cuda.jit
def _adding(values, others):
    for i in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        values[i] += others[i]


@cuda.jit
def _keeping(values, keep):
    for i in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        values[i] = float64(values[i]) * keep if keep > 0.0 else 0.0


@cuda.jit
def _scaling(values, unit, scaled):
    for i in range(cuda.grid(1), len(scaled), cuda.gridsize(1)):
        scaled[i] = float64(values[i]) * unit


@cuda.jit
def _seeding(sums, rows, extra, width, unit):
    """Add counts to some rows, one block per row."""
    i = cuda.blockIdx.x
    for k in range(cuda.threadIdx.x, width, cuda.blockDim.x):
        sums[int64(rows[i]) * width + k] += extra[i * width + k] * unit


@cuda.jit
def column_sums(sums, width, n_words, partial):
    """Add up some rows, in fixed order."""
    chunk = cuda.blockIdx.y
    for k in range(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, width, cuda.gridDim.x * cuda.blockDim.x):
        total = float64(0)
        for w in range(chunk * ROWS, min((chunk + 1) * ROWS, n_words)):
            total += float64(sums[int64(w) * width + k])
        partial[chunk * width + k] = total


@cuda.jit
def _inverting(partial, n_chunks, width, n_topics, unit, prior, inverse):
    """Write 1 / (n_k + Vβ), zero in the padding."""
    for k in range(cuda.grid(1), width, cuda.gridsize(1)):
        total = float64(0)
        for chunk in range(n_chunks):
            total += partial[chunk * width + k]
        inverse[k] = 1.0 / (total * unit + prior) if k < n_topics else 0.0


@cuda.jit
def _sharing(sums, unit, beta, inverse, shares):
    for i in range(cuda.grid(1), len(shares), cuda.gridsize(1)):
        shares[i] = (float32(sums[i]) * unit + beta) * inverse[i % len(inverse)]


def blank(n: int, dtype: Any) -> DeviceArray:
    """Return zeros."""
    found = memory.empty(n, dtype)
    _keeping[blocks_of(n), THREADS, memory.streams()[0]](found, 0.0)
    return found
