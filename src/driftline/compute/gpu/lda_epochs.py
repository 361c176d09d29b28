r"""Collapsed variational inference for LDA, all documents at once: one team of lanes per document, topics in registers.

The equations are those of ``compute/cpu/lda_epochs.py``. A team reads the row of a word, finds the pair's answer by two
sums over its lanes, and adds it to the document's counts, in registers, and to the next counts of the word, in memory.
Floats that are added in any order differ in their last digits from run to run; in fixed point they do not.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float32, float64, int64

from driftline.compute.gpu import memory
from driftline.compute.gpu.lanes import THREADS, Layout, blocks_of, grid_of, layout_of, team_sum
from driftline.core.progress import announce

CELLS = 256
"""Places among which documents divide what they report, so that they do not wait for each other."""
MOVED = 2.0**20
"""One in the fixed point of what documents report."""
BITS = 62
"""Bits of a sum in fixed point."""
ROWS = 256
"""Rows of words that one thread adds up."""


class Sums(NamedTuple):
    """Words × topics, padded and flat: float32, or int64 in units of 1 / `scale`; and what documents moved by."""

    values: Any
    scale: float
    moved: Any


def fixed_point(n_tokens: float) -> float:
    """Return the scale at which a sum over all tokens cannot overflow.

    >>> fixed_point(1e9) == 2.0**32
    True
    """
    return float(2.0 ** (BITS - int(np.ceil(np.log2(max(n_tokens, 2.0))))))


def begin_documents(n_documents: int, n_topics: int) -> Any:
    """Return room for the topic counts of documents."""
    return memory.empty(n_documents * layout_of(n_topics).width, np.float32)


def sums_of(values: Any, n_words: int, n_topics: int, n_tokens: float, deterministic: bool) -> Sums:
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


def word_shares(sums: Sums, n_words: int, n_topics: int, beta: float) -> Any:
    """Return (M_wk + β) / (n_k + Vβ), zero in the padding."""
    width, stream, unit = layout_of(n_topics).width, memory.streams()[0], 1.0 / (sums.scale or 1.0)
    n_chunks = -(-n_words // ROWS)
    partial, inverse = memory.empty(n_chunks * width, np.float64), memory.empty(width, np.float32)
    across = blocks_of(width)
    _column_sums[(across, n_chunks), THREADS, stream](sums.values, width, n_words, partial)
    _inverting[across, THREADS, stream](partial, n_chunks, width, n_topics, unit, n_words * beta, inverse)
    shares = memory.empty(n_words * width, np.float32)
    _sharing[blocks_of(len(shares)), THREADS, stream](sums.values, float32(unit), float32(beta), inverse, shares)
    memory.give_back(partial)
    memory.give_back(inverse)
    return shares


def forget(sums: Sums, keep: float, seed_rows: Any, seed_counts: Any) -> None:
    """Keep this share of all counts, but the whole of the seeds; in place."""
    stream = memory.streams()[0]
    _keeping[blocks_of(len(sums.values)), THREADS, stream](sums.values, keep)
    _keeping[blocks_of(CELLS), THREADS, stream](sums.moved, 0.0)
    if len(seed_rows):
        width = seed_counts.shape[1]
        extra = memory.place(np.ascontiguousarray(seed_counts, dtype=np.float64).reshape(-1))
        unit = (1.0 - keep) * (sums.scale or 1.0)
        _seeding[len(seed_rows), THREADS, stream](sums.values, memory.place(seed_rows), extra, width, unit)


def learn_documents(documents, indptr, words, counts, shares, alpha, sums, n_topics, n_warm, weight):
    """Let documents learn once, in place, and add what they say, `weight` times, to the counts of the words.

    With `n_warm` the documents' counts first settle in as many passes with Eq. 1.
    """
    layout, n = layout_of(n_topics), len(indptr) - 1
    blocks, threads = grid_of(layout, n)
    _learning(layout, bool(sums.scale))[blocks, threads, memory.beside()](
        indptr,
        words,
        counts,
        shares,
        alpha,
        documents,
        sums.values,
        float32(weight * (sums.scale or 1.0)),
        sums.moved,
        n_warm,
    )


def give_back(shares: Any) -> None:
    """Say that nobody needs these shares any more."""
    memory.give_back(shares)


def counts_of(sums: Sums) -> Any:
    """Return the counts as float32 on the device, padded and flat; the sums are given back."""
    counts = memory.empty(len(sums.values), np.float32)
    _scaling[blocks_of(len(counts)), THREADS, memory.streams()[0]](sums.values, 1.0 / (sums.scale or 1.0), counts)
    memory.give_back(sums.values)
    memory.give_back(sums.moved)
    return counts


def added(first: Sums, second: Sums) -> Sums:
    """Add the second sums to the first, and give them back."""
    for here, there in ((first.values, second.values), (first.moved, second.moved)):
        _adding[blocks_of(len(here)), THREADS, memory.streams()[0]](here, there)
        memory.give_back(there)
    return first


def moved_by(sums: Sums) -> float:
    """Return by how much the documents' counts differ from those before."""
    return float(memory.fetch(sums.moved).sum()) / MOVED


@functools.cache
def _learning(layout: Layout, fixed: bool) -> Any:
    """Return the kernel for a layout of topics."""
    announce("compiling for the graphics processor; a few seconds, once per process")
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    add_lanes = team_sum(team)

    @cuda.jit(fastmath=True)
    def learn(indptr, words, counts, shares, alpha, documents, sums, scale, moved, n_warm):
        lane = cuda.threadIdx.x
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        old, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        prior, g, a = (
            cuda.local.array(per_lane, float32),
            cuda.local.array(per_lane, float32),
            cuda.local.array(per_lane, float32),
        )
        own = int64(d) * width
        start, end = indptr[d], indptr[d + 1]
        length = float32(0)
        for p in range(start + lane, end, team):
            length += counts[p]
        length = add_lanes(length)
        for j in range(per_lane):
            prior[j] = alpha[j * team + lane]
            old[j] = prior[j] if n_warm > 0 else documents[own + j * team + lane]
        for _ in range(n_warm):
            for j in range(per_lane):
                out[j] = float32(0)
            if start < end:
                row = int64(words[start]) * width + lane
                for j in range(per_lane):
                    a[j] = shares[row + j * team]
            for p in range(start, end):
                total = float32(0)
                for j in range(per_lane):
                    g[j] = a[j] * (old[j] + prior[j])  # Eq. 1
                    total += g[j]
                if p + 1 < end:  # the next row is on its way during the sum
                    row = int64(words[p + 1]) * width + lane
                    for j in range(per_lane):
                        a[j] = shares[row + j * team]
                share = counts[p] / add_lanes(total)
                for j in range(per_lane):
                    out[j] += g[j] * share
            for j in range(per_lane):
                old[j] = out[j]
        for j in range(per_lane):
            out[j] = prior[j]  # from here on, counts with the prior
        left = length
        for p in range(start, end):
            row = int64(words[p]) * width + lane
            for j in range(per_lane):
                a[j] = shares[row + j * team]
            rest = left / length
            left -= counts[p]
            total = float32(0)
            for j in range(per_lane):
                g[j] = old[j] * rest + out[j]  # Eq. 3, with the prior
                total += a[j] * g[j]  # Eq. 1
            share = float32(1) / add_lanes(total)
            total = float32(0)
            for j in range(per_lane):
                g[j] = a[j] * max(g[j] * (float32(1) - a[j] * share), prior[j])  # Eq. 2
                total += g[j]
            share = counts[p] / add_lanes(total)
            for j in range(per_lane):
                g[j] *= share
                out[j] += g[j]
            for j in range(per_lane):
                if fixed:
                    cuda.atomic.add(sums, row + j * team, int64(g[j] * scale))
                else:
                    cuda.atomic.add(sums, row + j * team, g[j] * scale)
        far = float32(0)
        for j in range(per_lane):
            new = out[j] - prior[j]
            far += abs(new - old[j])
            documents[own + j * team + lane] = new
        far = add_lanes(far)
        if lane == 0:
            cuda.atomic.add(moved, d % CELLS, int64(far * float32(MOVED)))

    return learn


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
def _column_sums(sums, width, n_words, partial):
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


def blank(n: int, dtype: Any) -> Any:
    """Return zeros."""
    found = memory.empty(n, dtype)
    _keeping[blocks_of(n), THREADS, memory.streams()[0]](found, 0.0)
    return found
