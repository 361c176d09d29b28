"""EM for probabilistic latent semantic analysis; the equations are those of ``compute/cpu/plsa.py``.

Sums are those of `lda_epochs`, in single precision: the same counts, without a prior and without leaving out a pair's
own mass.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numba import cuda, float32, float64, int64

from driftline.compute.contracts.kernel import LaunchedKernel
from driftline.compute.gpu import lda_epochs, memory
from driftline.compute.gpu.lanes import THREADS, Layout, blocks_of, grid_of, layout_of, team_sum
from driftline.compute.gpu.lda_epochs import CELLS, MOVED, Sums, added, blank
from driftline.core.arrays import DeviceArray

__all__ = ["added", "begin_documents", "begin_topics", "expect", "likelihood_of", "topics_of", "word_shares"]


def begin_topics(shares: DeviceArray) -> DeviceArray:
    """Return the initial topics, words × topics, padded and flat."""
    n_words, n_topics = shares.shape
    padded = np.zeros((n_words, layout_of(n_topics).width), dtype=np.float32)
    padded[:, :n_topics] = shares
    return memory.place(padded.reshape(-1))


def begin_documents(n_documents: int, n_topics: int) -> DeviceArray:
    """Return equal shares of all topics for every document, padded and flat."""
    layout = layout_of(n_topics)
    found = memory.empty(n_documents * layout.width, np.float32)
    _evening[blocks_of(len(found)), THREADS, memory.streams()[0]](found, layout.width, n_topics)
    return found


def expect(theta, indptr, words, counts, phi, temperature: float, n_tokens: float) -> tuple[DeviceArray, DeviceArray]:
    """Do the E step for some documents; return their new shares, which replace the old ones, and the sums (2)."""
    n, scale = len(indptr) - 1, lda_epochs.fixed_point(n_tokens)
    sums = Sums(blank(len(phi), np.int64), scale, blank(CELLS, np.int64))
    if not n:
        return theta, sums
    layout = layout_of(len(theta) // n)
    blocks, threads = grid_of(layout, n)
    _expecting(layout, temperature == 1.0)[blocks, threads, memory.streams()[0]](
        indptr, words, counts, theta, phi, float32(temperature), sums.values, float32(scale), sums.moved
    )
    return theta, sums


def likelihood_of(sums: Sums) -> float:
    """Return the log-likelihood of all documents."""
    return lda_epochs.moved_by(sums)


def word_shares(sums: Sums, n_topics: int, smoothing: float) -> DeviceArray:
    """Do the M step: return the shares of words in topics, with a constant added to each count."""
    n_words = len(sums.values) // layout_of(n_topics).width
    shares = lda_epochs.exact_shares(sums, n_words, n_topics, smoothing)
    memory.give_back(sums.values)
    memory.give_back(sums.moved)
    return shares


def topics_of(phi: DeviceArray, n_topics: int) -> DeviceArray:
    """Return the topics as an array of words × topics in the memory of the processor."""
    return memory.fetch(phi).reshape(-1, layout_of(n_topics).width)[:, :n_topics].astype(np.float64)


@cuda.jit
def _evening(theta, width, n_topics):
    for i in range(cuda.grid(1), len(theta), cuda.gridsize(1)):
        theta[i] = float32(1) / float32(n_topics) if i % width < n_topics else float32(0)


@functools.cache
def _expecting(layout: Layout, plain: bool) -> LaunchedKernel:
    """Return the kernel for a layout of topics, tempered or not."""
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    add_lanes = team_sum(team)

    @cuda.jit
    def add_documents(indptr, words, counts, theta, phi, temperature, sums, scale, likelihoods):
        lane = cuda.threadIdx.x
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        old, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        r = cuda.local.array(per_lane, float32)
        own = int64(d) * width + lane
        for j in range(per_lane):
            old[j] = theta[own + j * team]
            out[j] = float32(0)
        likelihood, length = float64(0), float32(0)
        for p in range(indptr[d], indptr[d + 1]):
            row = int64(words[p]) * width + lane
            together = float32(0)
            for j in range(per_lane):
                r[j] = old[j] * phi[row + j * team]
                together += r[j]
            together = add_lanes(together)
            total = together
            if not plain:
                total = float32(0)
                for j in range(per_lane):
                    r[j] = r[j] ** temperature if r[j] > float32(0) else float32(0)  # Eq. 1
                    total += r[j]
                total = add_lanes(total)
            if total > float32(0):
                likelihood += float64(counts[p]) * math.log(float64(together))
                length += counts[p]
                share = counts[p] / total
                for j in range(per_lane):  # Eq. 2
                    r[j] *= share
                    out[j] += r[j]
                    cuda.atomic.add(sums, row + j * team, int64(r[j] * scale))
        if length > float32(0):
            for j in range(per_lane):
                theta[own + j * team] = out[j] / length
        if lane == 0:
            cuda.atomic.add(likelihoods, d % CELLS, int64(likelihood * MOVED))

    return add_documents
