"""EM for a mixture of unigrams; the equations are those of ``compute/cpu/unigrams.py``.

Logarithms of shares are in single precision, a document's sums of them in double precision, and the additions of
documents to words and topics in fixed point, so that their order does not matter.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numba import cuda, float32, float64, int64

from driftline.compute.contracts.kernel import Kernel, LaunchedKernel
from driftline.compute.gpu import lda_epochs, memory
from driftline.compute.gpu.count_kernels import ROWS, column_sums
from driftline.compute.gpu.lanes import THREADS, Layout, blocks_of, grid_of, layout_of, team_max, team_sum
from driftline.compute.gpu.lda_epochs import CELLS, MOVED, blank
from driftline.core.arrays import DeviceArray

DOCUMENTS = 2**15
"""Number of documents per call of `joint`."""


class Mixture(NamedTuple):
    """ln φ, words × topics, padded and flat, and ln π, −∞ in the padding."""

    logs: DeviceArray
    weights: DeviceArray


class Sums(NamedTuple):
    """The sums of words × topics with the log evidence, and those of topics in units of 1 / `scale`."""

    words: lda_epochs.Sums
    topics: DeviceArray
    scale: float


def begin(shares: DeviceArray, weights: DeviceArray) -> Mixture:
    """Return a mixture with these φ, words × topics, and π."""
    n_words, n_topics = shares.shape
    padded = np.zeros((n_words, layout_of(n_topics).width), dtype=np.float32)
    padded[:, :n_topics] = np.log(shares)
    return Mixture(memory.place(padded.reshape(-1)), _log_weights(weights))


def expect(indptr, words, counts, known, mass, logs, weights, power: float, n_tokens: float) -> Sums:
    """Do the E step for some documents: return the sums (2). `known` is −1 if there is no label."""
    n, layout, stream = len(indptr) - 1, layout_of(len(weights)), memory.streams()[0]
    scale = lda_epochs.fixed_point(n_tokens)
    found = Sums(
        lda_epochs.Sums(blank(len(logs), np.int64), scale, blank(CELLS, np.int64)),
        blank(layout.width, np.int64),
        scale,
    )
    blocks, threads = grid_of(layout, n)
    placed = [memory.place(array) for array in (indptr, words, counts, known, mass, logs, weights)]
    _expecting(layout)[blocks, threads, stream](
        *placed, float64(power), found.words.values, float64(scale), found.topics, found.words.moved
    )
    return found


def added(first: Sums, second: Sums) -> Sums:
    """Add the second sums to the first, and release them."""
    lda_epochs.added(first.words, second.words)
    lda_epochs.add_to(first.topics, second.topics)
    return first


def evidence_of(sums: Sums) -> float:
    """Return the log evidence of all documents."""
    return lda_epochs.moved_by(sums.words)


def maximise(sums: Sums, n_topics: int, smoothing: float) -> Mixture:
    """Do the M step (3)."""
    width, stream = layout_of(n_topics).width, memory.streams()[0]
    n_words = len(sums.words.values) // width
    logs = lda_epochs.exact_shares(sums.words, n_words, n_topics, smoothing)
    _taking_logs[blocks_of(len(logs)), THREADS, stream](logs)
    weights = memory.fetch(sums.topics)[:n_topics] / sums.scale + 1.0
    for array in (sums.words.values, sums.words.moved, sums.topics):
        memory.give_back(array)
    return Mixture(logs, _log_weights(weights / weights.sum()))


def log_prior(mixture: Mixture, n_topics: int, smoothing: float) -> float:
    """Return the logarithm of the prior, s Σ ln φ + Σ ln π."""
    width = layout_of(n_topics).width
    n_words = len(mixture.logs) // width
    n_chunks = -(-n_words // ROWS)
    partial = memory.empty(n_chunks * width, np.float64)
    column_sums[(blocks_of(width), n_chunks), THREADS, memory.streams()[0]](mixture.logs, width, n_words, partial)
    logs = memory.fetch(partial).reshape(n_chunks, width)[:, :n_topics].sum()
    memory.give_back(partial)
    return float(smoothing * logs + memory.fetch(mixture.weights)[:n_topics].sum())


def parameters_of(mixture: Mixture, n_topics: int) -> tuple[DeviceArray, DeviceArray]:
    """Return φ, words × topics, and π, in the memory of the processor."""
    logs = memory.fetch(mixture.logs).reshape(-1, layout_of(n_topics).width)[:, :n_topics]
    shares = np.exp(logs.astype(np.float64))
    return shares / shares.sum(axis=0), np.exp(memory.fetch(mixture.weights)[:n_topics])


def joint(indptr, words, counts, logs, weights, power: float, n_topics: int) -> DeviceArray:
    """Return ℓ of every document and topic (1), in the memory of the processor."""
    layout, n = layout_of(n_topics), len(indptr) - 1
    found = memory.empty(n * layout.width, np.float64)
    blocks, threads = grid_of(layout, n)
    given = (indptr, words, counts, logs, weights)
    placed = [memory.place(array) for array in given]
    _scoring(layout)[blocks, threads, memory.streams()[0]](*placed, float64(power), found)
    result = memory.fetch(found).reshape(n, layout.width)[:, :n_topics]
    memory.give_back(found)
    for here, array in zip(placed, given):
        if here is not array:
            memory.give_back(here)
    return result


def _log_weights(weights: DeviceArray) -> DeviceArray:
    padded = np.full(layout_of(len(weights)).width, -np.inf)
    padded[: len(weights)] = np.log(weights)
    return memory.place(padded)


@cuda.jit
def _taking_logs(values):
    for i in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        values[i] = math.log(values[i]) if values[i] > 0 else 0.0  # zero in the padding


@functools.cache
def _scoring_of_a_document(layout: Layout) -> Kernel:
    """Return the function that writes the scores ℓ of a document (1) into the registers of a lane."""
    team, per_lane, width = layout.team, layout.per_lane, layout.width

    @cuda.jit(device=True)
    def score_document(start, end, words, counts, logs, weights, power, score):
        lane = cuda.threadIdx.x
        for j in range(per_lane):
            score[j] = float64(0)
        for p in range(start, end):
            row, count = int64(words[p]) * width + lane, float64(counts[p])
            for j in range(per_lane):
                score[j] += count * float64(logs[row + j * team])
        for j in range(per_lane):
            score[j] = power * score[j] + weights[lane + j * team]

    return score_document


@functools.cache
def _scoring(layout: Layout) -> LaunchedKernel:
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    score_document = _scoring_of_a_document(layout)

    @cuda.jit
    def score_documents(indptr, words, counts, logs, weights, power, found):
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        score = cuda.local.array(per_lane, float64)
        score_document(indptr[d], indptr[d + 1], words, counts, logs, weights, power, score)
        for j in range(per_lane):
            found[int64(d) * width + cuda.threadIdx.x + j * team] = score[j]

    return score_documents


@functools.cache
def _expecting(layout: Layout) -> LaunchedKernel:
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    score_document, add_lanes, largest_of = _scoring_of_a_document(layout), team_sum(team), team_max(team)

    @cuda.jit
    def add_documents(indptr, words, counts, known, mass, logs, weights, power, sums, scale, topics, evidence):
        lane = cuda.threadIdx.x
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        score, r = cuda.local.array(per_lane, float64), cuda.local.array(per_lane, float32)
        start, end = indptr[d], indptr[d + 1]
        score_document(start, end, words, counts, logs, weights, power, score)
        largest = float32(-math.inf)
        for j in range(per_lane):
            if known[d] >= 0 and known[d] != lane + j * team:
                score[j] = -math.inf
            largest = max(largest, float32(score[j]))
        highest = float64(largest_of(largest))
        total = float32(0)
        for j in range(per_lane):
            r[j] = math.exp(float32(score[j] - highest))
            total += r[j]
        total = add_lanes(total)
        for j in range(per_lane):  # Eq. 2
            part = float64(r[j] / total) * mass[d] * scale
            if part >= 1.0:
                cuda.atomic.add(topics, lane + j * team, int64(part))
                for p in range(start, end):
                    cuda.atomic.add(sums, int64(words[p]) * width + lane + j * team, int64(part * counts[p]))
        if lane == 0:
            found = mass[d] * (highest + math.log(float64(total)))
            cuda.atomic.add(evidence, d % CELLS, int64(found * MOVED))

    return add_documents
