"""Non-negative sparse codes of local contexts; the equations are those of ``compute/cpu/sparse_coding.py``.

A warp codes one context after the other. Lane l has the topics l, l + 32, l + 64 …, among them its own candidates,
whose b and β no other lane reads; in a step, the lanes find the largest decrease together, and each updates its own b.
All contexts of all documents are coded at once for given means z; then the means are updated, until none of them
changes. Numbers are in double precision, and sums are in fixed order: the codes are those of the processor unless two
topics are equally good.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, float64, int32, int64

from driftline.compute.cpu.sparse_coding import MOST_STEPS
from driftline.compute.gpu import memory
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.lanes import (
    THREADS,
    WARP,
    team_max,
    team_scan,
    team_sum,
    warp_value,
    warp_wait,
)
from driftline.core.arrays import DeviceArray
from driftline.core.errors import InvalidInput

CONTEXTS = 2**14
"""Approximate number of contexts per call."""
GRAM_TOPICS = 2**14
"""Largest number of topics for which the products of all pairs of topics are precomputed, as they must be here."""
WARPS = THREADS // WARP
"""Number of warps of a block."""
SLOTS = 2 if is_simulated() else 2**13
"""Number of contexts that are coded at once."""
REGISTERS = {} if is_simulated() else {"max_registers": 96}
"""The number of registers of a lane that codes: 148 by default, which leaves too few warps to wait for memory."""
largest_of, value_of, wait = team_max(WARP, float64), warp_value(float64), warp_wait()
add_lanes, scan = team_sum(WARP, float64), team_scan(WARP)


def code_documents(contexts, offsets, topics, postings, gram, start, penalties, tol, limits):
    """Return the codes (indptr, indices, data) of all contexts and the squared error of each.

    The arguments are those of the processor's function. The topics may be on the device already.
    """
    n, n_topics, n_documents = len(contexts[0]) - 1, len(topics[0]) - 1, len(offsets) - 1
    if len(gram) != n_topics:
        raise InvalidInput(
            f"this device supports at most {GRAM_TOPICS:,} topics, not {n_topics:,}; use engine='threads'"
        )
    if n == 0:
        return (np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)), np.empty(0)
    (alpha, rho), (most_rounds, most_active), stream = penalties, limits, memory.streams()[0]
    words = [memory.place(array) for array in contexts]
    by_word, products = [memory.place(array) for array in postings], memory.place(gram)
    documents = memory.place(np.repeat(np.arange(n_documents), np.diff(offsets)))
    edges, done = memory.place(np.asarray(offsets, dtype=np.int64)), np.zeros(n_documents, dtype=np.int8)
    first = [memory.place(array) for array in start]
    codes, means = memory.empty((n, n_topics), np.float64), memory.empty((n_documents, n_topics), np.float64)
    _spreading[n, THREADS, stream](*first, codes)
    squares, across = memory.empty(n_topics, np.float64), (n_documents, -(-n_topics // THREADS))
    _diagonal[across[1], THREADS, stream](products, squares)
    moved, errors = memory.empty(across, np.float64), memory.empty(n, np.float64)
    _averaging[across, THREADS, stream](codes, edges, memory.place(done), False, means, moved)
    n_slots, width = min(n, SLOTS), WARP * -(-n_topics // WARP)
    scratch = [memory.empty((n_slots, width), kind) for kind in (np.float64, np.float64, np.float64, np.int32)]
    problem = (*words, documents, *by_word, products, squares, means, alpha, rho, tol, most_active)
    for _ in range(most_rounds):
        finished = memory.place(done)
        _coding[-(-n_slots // WARPS), (WARP, WARPS), stream](*problem, finished, *scratch, codes, errors)
        if rho == 0.0:
            break
        _averaging[across, THREADS, stream](codes, edges, finished, True, means, moved)
        done |= rho * memory.fetch(moved).sum(axis=1) <= tol
        memory.give_back(finished)
        if done.all():
            break
    found = _sparse(codes), memory.fetch(errors)
    for array in (*words, documents, edges, *first, codes, means, squares, moved, errors, *scratch):
        memory.give_back(array)
    return found


def _sparse(codes: DeviceArray) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return the rows of dense codes as (indptr, indices, data)."""
    n, stream = len(codes), memory.streams()[0]
    sizes = memory.empty(n, np.int64)
    grid = -(-n // WARPS), (WARP, WARPS)
    _measuring[*grid, stream](codes, sizes)
    indptr = np.concatenate([[0], np.cumsum(memory.fetch(sizes))]).astype(np.int64)
    ends = memory.place(indptr)
    indices, data = memory.empty(max(1, indptr[-1]), np.int32), memory.empty(max(1, indptr[-1]), np.float64)
    _collecting[*grid, stream](codes, ends, indices, data)
    found = indptr, memory.fetch(indices)[: indptr[-1]], memory.fetch(data)[: indptr[-1]]
    for array in (sizes, ends, indices, data):
        memory.give_back(array)
    return found


@cuda.jit
def _spreading(indptr, indices, data, codes):
    """Write sparse codes into dense rows, one block per row."""
    i = cuda.blockIdx.x
    for j in range(cuda.threadIdx.x, codes.shape[1], THREADS):
        codes[i, j] = 0.0
    cuda.syncthreads()
    for p in range(indptr[i] + cuda.threadIdx.x, indptr[i + 1], THREADS):
        codes[i, indices[p]] = data[p]


@cuda.jit
def _diagonal(gram, squares):
    j = cuda.grid(1)
    if j < len(gram):
        squares[j] = gram[j, j]


@cuda.jit
def _measuring(codes, sizes):
    """Write the number of active topics of every row, one warp per row."""
    i = cuda.blockIdx.x * WARPS + cuda.threadIdx.y
    if i >= len(codes):
        return
    size = 0.0
    for j in range(cuda.threadIdx.x, codes.shape[1], WARP):
        size += 1.0 if codes[i, j] > 0.0 else 0.0
    size = add_lanes(size)
    if cuda.threadIdx.x == 0:
        sizes[i] = int64(size)


@cuda.jit
def _collecting(codes, ends, indices, data):
    """Write the active topics of every row in their order, one warp per row."""
    i = cuda.blockIdx.x * WARPS + cuda.threadIdx.y
    if i >= len(codes):
        return
    at = ends[i]
    for first in range(0, codes.shape[1], WARP):
        j = first + cuda.threadIdx.x
        code = codes[i, j] if j < codes.shape[1] else 0.0
        before, total = scan(float32(1) if code > 0.0 else float32(0))
        if code > 0.0:
            indices[at + int64(before)], data[at + int64(before)] = j, code
        at += int64(total)


@cuda.jit
def _averaging(codes, offsets, finished, again, means, moved):
    """Set z to the mean of the codes of each document, one thread per document and topic.

    Each block writes the distance of its topics from the old means.
    """
    d, thread, parts = cuda.blockIdx.x, cuda.threadIdx.x, cuda.shared.array(THREADS, float64)
    j = cuda.blockIdx.y * THREADS + thread
    first, last = offsets[d], offsets[d + 1]
    if finished[d] != 0:
        return
    parts[thread] = 0.0
    if j < codes.shape[1]:
        mean, before = 0.0, means[d, j] if again else 0.0
        for i in range(first, last):
            mean += codes[i, j] * (1.0 / (last - first))  # Eq. 7
        parts[thread] = (mean - before) ** 2
        means[d, j] = mean
    half = THREADS // 2
    while half > 0:
        cuda.syncthreads()
        if thread < half:
            parts[thread] += parts[thread + half]
        half //= 2
    if thread == 0:
        moved[d, cuda.blockIdx.y] = parts[0]


@cuda.jit(**REGISTERS)
def _coding(
    indptr, words, weights, documents, word_ptr, word_topics, word_values, gram, squares, means, alpha, rho, tol,
    most_active, finished, all_products, all_b, all_beta, all_candidates, codes, errors,
):  # fmt: skip
    """Code the contexts of all unfinished documents, one warp per context.

    A lane's candidates are in ascending order in every `WARP`-th place from its own number on.
    """
    lane, n_topics, slot = cuda.threadIdx.x, len(gram), cuda.blockIdx.x * WARPS + cuda.threadIdx.y
    if slot >= len(all_b):
        return
    products, b, beta, candidates = all_products[slot], all_b[slot], all_beta[slot], all_candidates[slot]
    for i in range(slot, len(indptr) - 1, len(all_b)):
        if finished[documents[i]] != 0:
            continue
        z = means[documents[i]]
        for j in range(lane, n_topics, WARP):
            products[j] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            wait()
            for q in range(word_ptr[words[p]] + lane, word_ptr[words[p] + 1], WARP):
                products[word_topics[q]] += weights[p] * word_values[q]
        wait()
        end, n_active = lane, 0.0
        for j in range(lane, n_topics, WARP):
            if products[j] + rho * z[j] > 0.5 * alpha or codes[i, j] > 0.0:
                candidates[end], beta[end], b[end] = j, codes[i, j], products[j] + rho * z[j]
                n_active += 1.0 if codes[i, j] > 0.0 else 0.0
                end += WARP
        n_active = add_lanes(n_active)
        changed, by, at = int64(0), 0.0, lane
        for _ in range(int64(n_active)):  # the initial codes, the topics in ascending order
            while at < end and beta[at] == 0.0:
                at += WARP
            own = candidates[at] if at < end else n_topics
            changed = int64(-largest_of(-float64(own)))
            by = value_of(beta[at] if at < end else 0.0, int32(changed) % WARP)
            for c in range(lane, end, WARP):
                if candidates[c] != changed:
                    b[c] -= by * gram[changed, candidates[c]]
            at += WARP if own == changed else 0
        by = 0.0
        for step in range(MOST_STEPS + 1):
            place, most, wanted = lane, tol, 0.0
            for c in range(lane, end, WARP):
                j = candidates[c]
                if j != changed:
                    b[c] -= by * gram[changed, j]
                if beta[c] > 0.0 or n_active < most_active:
                    a = rho + squares[j]
                    best = max(0.0, b[c] - 0.5 * alpha) / a  # Eq. 6
                    decrease = a * (best - beta[c]) ** 2
                    if decrease > most:
                        place, most, wanted = c, decrease, best
            largest = largest_of(most)
            if largest <= tol or step == MOST_STEPS:
                break
            own = candidates[place] if most == largest else n_topics
            changed = int64(-largest_of(-float64(own)))
            before = value_of(beta[place] if own == changed else 0.0, int32(changed) % WARP)
            wanted = value_of(wanted, int32(changed) % WARP)
            if own == changed:
                beta[place] = wanted
            n_active += (1.0 if wanted > 0.0 else 0.0) - (1.0 if before > 0.0 else 0.0)
            by = wanted - before
        error = 0.0
        for p in range(indptr[i] + lane, indptr[i + 1], WARP):
            error += weights[p] ** 2
        for c in range(lane, end, WARP):
            j = candidates[c]
            codes[i, j] = beta[c]
            if beta[c] > 0.0:
                error -= beta[c] * (products[j] - rho * z[j] + b[c] - squares[j] * beta[c])
        error = add_lanes(error)
        if lane == 0:
            errors[i] = max(error, 0.0)
