"""Non-negative sparse codes of local contexts; the equations are those of ``compute/cpu/sparse_coding.py``.

A block codes one context after the other: its threads divide the postings of a word, the candidates of a step, and the
b of the others. All contexts of all documents are coded at once for given means z; then the means are updated, until
none of them changes. Numbers are in double precision, and sums are in fixed order: the codes are those of the processor
unless two topics are equally good.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, float64, int32, int64

from driftline.compute.cpu.sparse_coding import MOST_STEPS
from driftline.compute.gpu import memory
from driftline.compute.gpu.driver import is_simulated
from driftline.compute.gpu.lanes import THREADS, blocks_of
from driftline.core.arrays import DeviceArray
from driftline.core.errors import InvalidInput

CONTEXTS = 2**14
"""Approximate number of contexts per call."""
GRAM_TOPICS = 2**14
"""Largest number of topics for which the products of all pairs of topics are precomputed, as they must be here."""
TEAM = 2 if is_simulated() else 64
"""Number of threads per context; a power of two."""
SLOTS = 2 if is_simulated() else 4096
"""Number of contexts that are coded at once."""


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
    _spreading[n, TEAM, stream](*first, codes)
    moved, errors = memory.empty(n_documents, np.float64), memory.empty(n, np.float64)
    _averaging[n_documents, TEAM, stream](codes, edges, memory.place(done), False, means, moved)
    n_slots = min(n, SLOTS)
    scratch = [memory.empty((n_slots, n_topics), kind) for kind in (np.float64, np.float64, np.float64, np.int32)]
    for _ in range(most_rounds):
        finished = memory.place(done)
        _coding[n_slots, TEAM, stream](
            *words,
            documents,
            finished,
            *by_word,
            products,
            means,
            alpha,
            rho,
            tol,
            most_active,
            *scratch,
            codes,
            errors,
        )
        if rho == 0.0:
            break
        _averaging[n_documents, TEAM, stream](codes, edges, finished, True, means, moved)
        done |= rho * memory.fetch(moved) <= tol
        memory.give_back(finished)
        if done.all():
            break
    found = _sparse(codes), memory.fetch(errors)
    for array in (*words, documents, edges, *first, codes, means, moved, errors, *scratch):
        memory.give_back(array)
    return found


def _sparse(codes: DeviceArray) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return the rows of dense codes as (indptr, indices, data)."""
    n, stream = len(codes), memory.streams()[0]
    sizes = memory.empty(n, np.int64)
    _measuring[blocks_of(n), THREADS, stream](codes, sizes)
    indptr = np.concatenate([[0], np.cumsum(memory.fetch(sizes))]).astype(np.int64)
    ends = memory.place(indptr)
    indices, data = memory.empty(max(1, indptr[-1]), np.int32), memory.empty(max(1, indptr[-1]), np.float64)
    _collecting[blocks_of(n), THREADS, stream](codes, ends, indices, data)
    found = indptr, memory.fetch(indices)[: indptr[-1]], memory.fetch(data)[: indptr[-1]]
    for array in (sizes, ends, indices, data):
        memory.give_back(array)
    return found


@cuda.jit
def _spreading(indptr, indices, data, codes):
    """Write sparse codes into dense rows, one block per row."""
    i = cuda.blockIdx.x
    for j in range(cuda.threadIdx.x, codes.shape[1], TEAM):
        codes[i, j] = 0.0
    cuda.syncthreads()
    for p in range(indptr[i] + cuda.threadIdx.x, indptr[i + 1], TEAM):
        codes[i, indices[p]] = data[p]


@cuda.jit
def _measuring(codes, sizes):
    for i in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        size = int64(0)
        for j in range(codes.shape[1]):
            size += int64(1) if codes[i, j] > 0.0 else int64(0)
        sizes[i] = size


@cuda.jit
def _collecting(codes, ends, indices, data):
    for i in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        at = ends[i]
        for j in range(codes.shape[1]):
            if codes[i, j] > 0.0:
                indices[at], data[at] = j, codes[i, j]
                at += int64(1)


@cuda.jit(device=True)
def _added_up(values):
    """Return the sum of a number per thread, in fixed order; all threads get it."""
    half = TEAM // 2
    while half > 0:
        cuda.syncthreads()
        if cuda.threadIdx.x < half:
            values[cuda.threadIdx.x] += values[cuda.threadIdx.x + half]
        half //= 2
    cuda.syncthreads()
    return values[0]


@cuda.jit
def _averaging(codes, offsets, finished, again, means, moved):
    """Set z to the mean of the codes of each document, one block per document; write the distance from the old one."""
    d, thread, parts = cuda.blockIdx.x, cuda.threadIdx.x, cuda.shared.array(TEAM, float64)
    first, last = offsets[d], offsets[d + 1]
    if finished[d] != 0:
        return
    parts[thread] = 0.0
    for j in range(thread, codes.shape[1], TEAM):
        mean, before = 0.0, means[d, j] if again else 0.0
        for i in range(first, last):
            mean += codes[i, j] * (1.0 / (last - first))  # Eq. 7
        parts[thread] += (mean - before) ** 2
        means[d, j] = mean
    far = _added_up(parts)
    if thread == 0:
        moved[d] = far


@cuda.jit
def _coding(
    indptr, words, weights, documents, finished, word_ptr, word_topics, word_values, gram, means, alpha, rho, tol,
    most_active, all_products, all_b, all_beta, all_candidates, codes, errors,
):  # fmt: skip
    """Code the contexts of all unfinished documents, one block per context."""
    thread, n_topics = cuda.threadIdx.x, len(gram)
    slot = cuda.blockIdx.x
    products, b, beta, candidates = all_products[slot], all_b[slot], all_beta[slot], all_candidates[slot]
    sizes = cuda.shared.array(TEAM, int64)  # on a separate line: the simulator identifies shared arrays by their line
    sums = cuda.shared.array(TEAM, float64)
    places = cuda.shared.array(TEAM, int64)
    for i in range(slot, len(indptr) - 1, cuda.gridDim.x):
        if finished[documents[i]] != 0:
            continue
        z = means[documents[i]]
        for j in range(thread, n_topics, TEAM):
            products[j] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            cuda.syncthreads()
            for q in range(word_ptr[words[p]] + thread, word_ptr[words[p] + 1], TEAM):
                products[word_topics[q]] += weights[p] * word_values[q]
        cuda.syncthreads()
        low, high = thread * n_topics // TEAM, (thread + 1) * n_topics // TEAM
        size = int64(0)
        for j in range(low, high):
            if products[j] + rho * z[j] > 0.5 * alpha or codes[i, j] > 0.0:
                size += int64(1)
        sizes[thread] = size
        cuda.syncthreads()
        at, count = int64(0), int64(0)
        for other in range(TEAM):
            if other < thread:
                at += sizes[other]
            count += sizes[other]
        for j in range(low, high):
            if products[j] + rho * z[j] > 0.5 * alpha or codes[i, j] > 0.0:
                candidates[at], beta[at], b[at] = j, codes[i, j], products[j] + rho * z[j]
                at += int64(1)
        cuda.syncthreads()
        n_active = int64(0)
        for c in range(count):  # the initial codes
            if beta[c] > 0.0:
                n_active += int64(1)
                for k in range(thread, count, TEAM):
                    if k != c:
                        b[k] -= beta[c] * gram[candidates[c], candidates[k]]
        cuda.syncthreads()
        for _ in range(MOST_STEPS):
            best, most = int64(-1), tol
            for c in range(thread, count, TEAM):
                if beta[c] > 0.0 or n_active < most_active:
                    j = candidates[c]
                    a = rho + gram[j, j]
                    decrease = a * (max(0.0, b[c] - 0.5 * alpha) / a - beta[c]) ** 2
                    if decrease > most:
                        best, most = int64(c), decrease
            places[thread], sums[thread] = best, most
            half = TEAM // 2
            while half > 0:
                cuda.syncthreads()
                if thread < half:
                    mine, other = places[thread], places[thread + half]
                    better = sums[thread + half] > sums[thread]
                    if other >= 0 and (better or mine < 0 or (sums[thread + half] == sums[thread] and other < mine)):
                        places[thread], sums[thread] = other, sums[thread + half]
                half //= 2
            cuda.syncthreads()
            best = places[0]
            if best < 0:
                break
            j = candidates[best]
            wanted = max(0.0, b[best] - 0.5 * alpha) / (rho + gram[j, j])  # Eq. 6
            by = wanted - beta[best]
            n_active += (int64(1) if wanted > 0.0 else int64(0)) - (int64(1) if beta[best] > 0.0 else int64(0))
            cuda.syncthreads()
            if thread == 0:
                beta[best] = wanted
            for k in range(thread, count, TEAM):
                if k != best:
                    b[k] -= by * gram[j, candidates[k]]
            cuda.syncthreads()
        error = 0.0
        for p in range(indptr[i] + thread, indptr[i + 1], TEAM):
            error += weights[p] ** 2
        for c in range(thread, count, TEAM):
            j = int32(candidates[c])
            codes[i, j] = beta[c]
            if beta[c] > 0.0:
                error -= beta[c] * (products[j] - rho * z[j] + b[c] - gram[j, j] * beta[c])
        cuda.syncthreads()
        sums[thread] = error
        error = _added_up(sums)
        if thread == 0:
            errors[i] = max(error, 0.0)
        cuda.syncthreads()
