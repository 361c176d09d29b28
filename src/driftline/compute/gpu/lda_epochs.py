r"""Collapsed variational inference for LDA, all documents at once: one team of lanes per document, topics in registers.

The equations are those of ``compute/cpu/lda_epochs.py``. A team reads the row of a word, computes the pair's assignment
by two sums over its lanes, and adds it to the document's counts, in registers, and to the next counts of the word, in
memory (`pair_additions`).
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda, float32, int32, int64

from driftline.compute.contracts.kernel import Kernel, LaunchedKernel
from driftline.compute.gpu import memory
from driftline.compute.gpu.count_kernels import (
    ROWS,
    adding,
    column_sums,
    inverting,
    keeping,
    scaling,
    seeding,
    sharing,
)
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.lanes import THREADS, VECTOR, WARP, Layout, blocks_of, grid_of, layout_of, team_sum
from driftline.compute.gpu.lda_memory import pad_columns
from driftline.compute.gpu.pair_additions import fraction, pair_addition
from driftline.compute.gpu.vectors import load_four, load_four_halves
from driftline.core.arrays import DeviceArray, Floats
from driftline.core.progress import announce

CELLS = 256
"""Number of cells among which the sum of the documents' changes is divided, so that atomic additions rarely collide."""
MOVED = 2.0**20
"""The number that represents one in these cells, which are in fixed point."""
BITS = 62
"""Number of bits of a sum in fixed point."""
QUANTA = 1024
"""Number of quanta per token; additions in fixed point are multiples of a quantum."""
LEAST, LARGEST_LEAST = 1 / 64, 1 / 4
"""The ε of Eq. 5 of `pair_additions` as a share of the mean count of a word in a topic, and its maximum. The effect on
the counts decreases with the number of tokens."""
HALVES = 2.0**15
"""Factor of shares stored as float16, so that small shares are not rounded to zero."""
LEAST_HALF = 2.0**-24
"""The smallest float16 above zero."""
REGISTERS = {(True, 16): 80, (True, 32): 128, (False, 16): 96}
"""Number of registers of a lane, fewer than the compiler's default, by whether sums are in fixed point, and its number
of topics."""
LONG = 256
"""Largest number of pairs of a document that has one team."""
BLOCK = 4 if is_simulated() else 256
"""Number of lanes of all teams of a long document."""


class Sums(NamedTuple):
    """Words × topics, padded and flat: float32, or int64 in units of 1 / `scale`; and the documents' changes.

    `finest` is the unit of random rounding of small additions of LDA: quanta per token in fixed point, or ε.
    """

    values: DeviceArray
    scale: float
    moved: DeviceArray
    finest: float = 1.0


def fixed_point(n_tokens: float) -> float:
    """Return the scale at which a sum over all tokens cannot overflow.

    >>> fixed_point(1e9) == 2.0**32
    True
    """
    return float(2.0 ** (BITS - int(np.ceil(np.log2(max(n_tokens, 2.0))))))


def begin_documents(n_documents: int, n_topics: int) -> DeviceArray:
    """Allocate the topic counts of documents."""
    return memory.empty(n_documents * layout_of(n_topics).width, np.float32)


def prior_of(document_prior: Floats, n_topics: int) -> DeviceArray:
    """Return α in the layout for documents: padded, or, to save registers, one number if it is equal for all topics."""
    values = np.asarray(document_prior, dtype=np.float32)
    even = bool((values == values[0]).all())
    return values[:1].copy() if even else pad_columns(values, layout_of(n_topics).width)


def sums_of(values: DeviceArray, n_words: int, n_topics: int, n_tokens: float, deterministic: bool) -> Sums:
    """Return counts of words × topics, whatever their padding, to which documents can add."""
    width, stream = layout_of(n_topics).width, memory.streams()[0]
    if not memory.is_here(values) or len(values) != n_words * width:
        padded = np.zeros((n_words, width), dtype=np.float32)
        padded[:, :n_topics] = memory.fetch(values).reshape(n_words, -1)[:, :n_topics]
        values = memory.place(padded.reshape(-1))
    scale = fixed_point(2.0 * n_tokens) if deterministic else 0.0
    sums = memory.empty(len(values), np.int64 if deterministic else np.float32)
    scaling[blocks_of(len(values)), THREADS, stream](values, scale or 1.0, sums)
    memory.give_back(values)
    finest = QUANTA if deterministic else min(LARGEST_LEAST, LEAST * n_tokens / (n_words * n_topics))
    return Sums(sums, scale, blank(CELLS, np.int64), float(finest))


def word_shares(sums: Sums, n_words: int, n_topics: int, beta: float) -> DeviceArray:
    """Return (M_wk + β) / (n_k + Vβ), zero in the padding: float16, times `HALVES`, since only ratios matter."""
    return _shares(sums, n_words, n_topics, beta, np.float16, HALVES, LEAST_HALF)


def exact_shares(sums: Sums, n_words: int, n_topics: int, beta: float) -> DeviceArray:
    """Return (M_wk + β) / (n_k + Vβ) as float32, zero in the padding."""
    return _shares(sums, n_words, n_topics, beta, np.float32, 1.0, 0.0)


def _shares(
    sums: Sums, n_words: int, n_topics: int, beta: float, dtype: npt.DTypeLike, factor: float, least: float
) -> DeviceArray:
    """Return the shares times a factor, with a lower bound."""
    width, stream, unit = layout_of(n_topics).width, memory.streams()[0], 1.0 / (sums.scale or 1.0)
    n_chunks = -(-n_words // ROWS)
    partial, inverse = memory.empty(n_chunks * width, np.float64), memory.empty(width, np.float32)
    across = blocks_of(width)
    column_sums[(across, n_chunks), THREADS, stream](sums.values, width, n_words, partial)
    inverting[across, THREADS, stream](partial, n_chunks, width, n_topics, unit, n_words * beta, inverse)
    shares = memory.empty(n_words * width, dtype)
    numbers = (float32(unit), float32(beta), float32(factor), float32(least))
    sharing[blocks_of(len(shares)), THREADS, stream](sums.values, *numbers, inverse, shares)
    memory.give_back(partial)
    memory.give_back(inverse)
    return shares


def forget(sums: Sums, keep: float, seed_rows: DeviceArray, seed_counts: DeviceArray) -> None:
    """Discount all counts to this share, except the seeds; in place."""
    stream = memory.streams()[0]
    keeping[blocks_of(len(sums.values)), THREADS, stream](sums.values, keep)
    if len(seed_rows):
        width = seed_counts.shape[1]
        extra = memory.place(np.ascontiguousarray(seed_counts, dtype=np.float64).reshape(-1))
        unit = (1.0 - keep) * (sums.scale or 1.0)
        seeding[len(seed_rows), THREADS, stream](sums.values, memory.place(seed_rows), extra, width, unit)


def n_long(indptr: DeviceArray) -> int:
    """Return the number of long documents of a part, given in host memory; further blocks would have no work."""
    return int((np.diff(indptr) > LONG).sum())


def learn_documents(
    documents, indptr, words, counts, shares, alpha, sums, n_topics, n_long, n_warm, weight, first, step
):
    """Update the counts of documents once, in place, and add `weight` times their assignments to those of the words.

    The documents are `first`, `first` + `step` … With `n_warm` their counts are first initialised by that many passes
    of Eq. 1, and are not kept if no memory is allocated for them. Documents are sorted by their number of pairs,
    longest first. The first `n_long` are long: each is assigned to a block of several teams, which divide its pairs.
    """
    layout, fixed = layout_of(n_topics), bool(sums.scale)
    n = max(0, -(-(len(indptr) - 1 - first) // step))
    unit = int(weight * sums.scale / sums.finest) if fixed else float32(weight)
    arrays = (indptr, words, counts, shares, alpha, documents, sums.values, sums.moved)
    arguments = (*arrays, unit, float32(sums.finest), n_warm, first, step)
    stream = memory.beside()
    teams, n_shared = teams_of(layout), min(n, -(-n_long // step))
    if n_shared and teams > 1:
        _learning(layout, fixed, len(alpha) == 1, teams, LONG)[n_shared, (layout.team, teams), stream](*arguments)
    blocks, threads = grid_of(layout, n)
    _learning(layout, fixed, len(alpha) == 1, 1, LONG)[blocks, threads, stream](*arguments)


def give_back(shares: DeviceArray) -> None:
    """Release these shares."""
    memory.give_back(shares)


def counts_of(sums: Sums) -> DeviceArray:
    """Return the counts as float32 on the device, padded and flat; the sums are released."""
    counts = memory.empty(len(sums.values), np.float32)
    scaling[blocks_of(len(counts)), THREADS, memory.streams()[0]](sums.values, 1.0 / (sums.scale or 1.0), counts)
    memory.give_back(sums.values)
    memory.give_back(sums.moved)
    return counts


def added(first: Sums, second: Sums) -> Sums:
    """Add the second sums to the first, and release them."""
    add_to(first.values, second.values)
    add_to(first.moved, second.moved)
    return first


def add_to(values: DeviceArray, others: DeviceArray) -> None:
    """Add other values to these, in place, and release them."""
    adding[blocks_of(len(values)), THREADS, memory.streams()[0]](values, others)
    memory.give_back(others)


def forget_moved(sums: Sums) -> None:
    """Reset the sum of the changes of the documents' counts."""
    keeping[blocks_of(CELLS), THREADS, memory.streams()[0]](sums.moved, 0.0)


def moved_by(sums: Sums) -> float:
    """Return the sum of the changes of the documents' counts since `forget_moved`."""
    return float(memory.fetch(sums.moved).sum()) / MOVED


def teams_of(layout: Layout) -> int:
    """Return the number of teams of a long document: one if a team is more than a warp."""
    return BLOCK // layout.team if layout.team <= WARP else 1


@functools.cache
def _learning(layout: Layout, fixed: bool, even: bool, teams: int, longest: int) -> LaunchedKernel:
    """Return the kernel for a layout of topics: of documents with one team, or of long ones, with several.

    `fixed` means sums in fixed point instead of floats, `even` that α is the same for all topics.
    """
    announce("compiling for the graphics processor; a few seconds, once per process")
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    n_loads, n_priors = per_lane // VECTOR, 1 if even else per_lane
    add_lanes, add_teams = team_sum(team), sum_over_teams(layout, teams)
    load, load_halves, add = load_four(), load_four_halves(), pair_addition(layout, fixed)
    shared, may_share = teams > 1, teams_of(layout) > 1
    most = None if is_simulated() else REGISTERS.get((fixed, per_lane))
    options = {} if most is None else {"max_registers": most}

    @cuda.jit(fastmath=True, **options)
    def learn(indptr, words, counts, shares, alpha, documents, sums, moved, unit, finest, n_warm, first_of_all, step):
        lane, mine = cuda.threadIdx.x, cuda.threadIdx.y
        d = cuda.blockIdx.x if shared else cuda.blockIdx.x * cuda.blockDim.y + mine
        d = first_of_all + step * d
        if d >= len(indptr) - 1:
            return
        start, end = indptr[d], indptr[d + 1]
        if may_share and (end - start > longest) != shared:
            return
        n, first = end - start, start
        if shared:  # all teams have the same number of steps, so that they synchronise at the additions
            n = (n + teams - 1) // teams
            first += mine * n
        old, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        g, a = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        prior = cuda.local.array(n_priors, float32)
        length = float32(0)
        for p in range(start + lane, end, team):
            length += counts[p]
        length = add_lanes(length)
        own = int64(d) * width + VECTOR * lane
        for i in range(n_loads):
            j, k = VECTOR * i, VECTOR * team * i
            if not even:
                prior[j], prior[j + 1], prior[j + 2], prior[j + 3] = load(alpha, int64(k + VECTOR * lane))
            if n_warm <= 0:
                old[j], old[j + 1], old[j + 2], old[j + 3] = load(documents, own + k)
        if even:
            prior[0] = alpha[0]
        if n_warm > 0:
            for j in range(per_lane):
                old[j] = prior[j % n_priors]
        for _ in range(n_warm):
            for j in range(per_lane):
                out[j] = float32(0)
            word, said = pair_at(words, counts, first, start, end)
            for p in range(first, first + n):
                row, count = int64(word) * width + VECTOR * lane, said
                word, said = pair_at(words, counts, p + 1, start, end)
                for i in range(n_loads):
                    j = VECTOR * i
                    a[j], a[j + 1], a[j + 2], a[j + 3] = load_halves(shares, row + VECTOR * team * i)
                total = float32(0)
                for j in range(per_lane):
                    g[j] = a[j] * (old[j] + prior[j % n_priors])  # Eq. 1
                    total += g[j]
                share = count / add_lanes(total)
                for j in range(per_lane):
                    out[j] += g[j] * share
            add_teams(out)
            for j in range(per_lane):
                old[j] = out[j]
        for j in range(per_lane):
            out[j] = prior[j % n_priors]  # counts with the prior from here
        left = length
        word, said = pair_at(words, counts, first, start, end)
        for p in range(first, first + n):
            row, count = int64(word) * width + VECTOR * lane, said
            word, said = pair_at(words, counts, p + 1, start, end)  # loaded one step ahead, because loads are slow
            for i in range(n_loads):
                j = VECTOR * i
                a[j], a[j + 1], a[j + 2], a[j + 3] = load_halves(shares, row + VECTOR * team * i)
            rest = left / length
            left -= count
            total = float32(0)
            for j in range(per_lane):
                g[j] = old[j] * rest + out[j]  # Eq. 3, with the prior; the additions of other teams follow later
                total += a[j] * g[j]  # Eq. 1
            share = float32(1) / add_lanes(total)
            total = float32(0)
            for j in range(per_lane):
                g[j] = a[j] * max(g[j] * (float32(1) - a[j] * share), prior[j % n_priors])  # Eq. 2
                total += g[j]
            share = count / add_lanes(total)
            for j in range(per_lane):
                g[j] *= share
                out[j] += g[j]
            add(sums, row, g, unit, finest, fraction(p, lane, share))
        for j in range(per_lane):
            out[j] -= prior[j % n_priors]
        add_teams(out)
        far = float32(0)
        for j in range(per_lane):
            far += abs(out[j] - old[j])
        far = add_lanes(far)
        if shared and mine > 0:
            return
        for j in range(per_lane if len(documents) else 0):
            documents[own + (j // VECTOR) * VECTOR * team + j % VECTOR] = out[j]
        if lane == 0:
            cuda.atomic.add(moved, d % CELLS, int64(far * float32(MOVED)))

    return learn


@functools.cache
def sum_over_teams(layout: Layout, teams: int) -> Kernel:
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
def pair_at(words, counts, p, start, end):
    """Return a word and its count; after the end the last word, with a count of zero."""
    if start == end:
        return int32(0), float32(0)
    return words[min(p, end - 1)], counts[p] if p < end else float32(0)


def blank(n: int, dtype: npt.DTypeLike) -> DeviceArray:
    """Return zeros."""
    found = memory.empty(n, dtype)
    keeping[blocks_of(n), THREADS, memory.streams()[0]](found, 0.0)
    return found
