"""Topic shares of documents under known topics, and their prediction of further words.

The equations are those of ``compute/cpu/document_completion.py``. Arrays of documents are in the memory of the
processor; the parts that a call needs are copied to the device, and its results back.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numba import cuda, float32, float64

from driftline.compute.contracts.kernel import LaunchedKernel
from driftline.compute.cpu.document_completion import toss
from driftline.compute.gpu import memory
from driftline.compute.gpu.lanes import Layout, grid_of, layout_of, team_sum
from driftline.core.arrays import DeviceArray

__all__ = ["DOCUMENTS", "predicted", "settle", "toss"]

DOCUMENTS = 2**15
"""Number of documents per call."""


def settle(rows, indptr, words, counts, phi, alpha, max_passes, tolerance, n_documents, scratch):
    """Iterate Eq. 1 for each document until its counts change by less than `tolerance` of its length; in place."""
    layout = layout_of(phi.shape[1])
    blocks, threads = grid_of(layout, len(rows))
    found = memory.empty(n_documents.shape, np.float32)
    placed = [memory.place(array) for array in (*_documents(rows, indptr, words, counts), phi, alpha)]
    _settling(layout)[blocks, threads, memory.streams()[0]](
        *placed, float32(alpha.sum()), max_passes, float32(tolerance), found
    )
    n_documents[...] = memory.fetch(found)
    _give_back(found, placed, (phi, alpha))


def predicted(rows, indptr, words, counts, phi, alpha, n_documents, log_likelihood):
    """Write each document's log-likelihood of these words under its shares (2), (3)."""
    layout = layout_of(phi.shape[1])
    blocks, threads = grid_of(layout, len(rows))
    found = memory.empty(len(rows), np.float64)
    placed = [memory.place(array) for array in (*_documents(rows, indptr, words, counts), phi, alpha, n_documents)]
    _predicting(layout)[blocks, threads, memory.streams()[0]](*placed, found)
    log_likelihood[: len(rows)] = memory.fetch(found)
    _give_back(found, placed, (phi, alpha, n_documents))


def _documents(
    rows: DeviceArray, indptr: DeviceArray, words: DeviceArray, counts: DeviceArray
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return the pairs of consecutive documents."""
    start, end = indptr[rows[0]], indptr[rows[-1] + 1]
    return indptr[rows[0] : rows[-1] + 2] - start, words[start:end], counts[start:end]


def _give_back(found: DeviceArray, placed: list[DeviceArray], given: tuple[DeviceArray, ...]) -> None:
    for array in (found, *(one for one in placed if not any(one is other for other in given))):
        memory.give_back(array)


@functools.cache
def _settling(layout: Layout) -> LaunchedKernel:
    team, per_lane, width = layout.team, layout.per_lane, layout.width
    add_lanes = team_sum(team)

    @cuda.jit(fastmath=True)
    def settle_documents(indptr, words, counts, phi, alpha, alpha_sum, max_passes, tolerance, n_documents):
        lane = cuda.threadIdx.x
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        n, out = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        prior, g = cuda.local.array(per_lane, float32), cuda.local.array(per_lane, float32)
        start, end = indptr[d], indptr[d + 1]
        length = float32(0)
        for p in range(start + lane, end, team):
            length += counts[p]
        length = add_lanes(length)
        for j in range(per_lane):
            prior[j] = alpha[j * team + lane]
            n[j] = prior[j] * (length / alpha_sum) if alpha_sum > 0 else length / float32(width)
        for _ in range(max_passes):
            for j in range(per_lane):
                out[j] = float32(0)
            for p in range(start, end):
                total = float32(0)
                for j in range(per_lane):
                    g[j] = phi[words[p], j * team + lane] * (n[j] + prior[j])  # Eq. 1
                    total += g[j]
                total = add_lanes(total)
                share = counts[p] / total if total > 0 else float32(0)
                for j in range(per_lane):
                    out[j] += g[j] * share
            moved = float32(0)
            for j in range(per_lane):
                moved += abs(out[j] - n[j])
                n[j] = out[j]
            if add_lanes(moved) <= tolerance * length:
                break
        for j in range(per_lane):
            n_documents[d, j * team + lane] = n[j]

    return settle_documents


@functools.cache
def _predicting(layout: Layout) -> LaunchedKernel:
    team, per_lane = layout.team, layout.per_lane
    add_lanes = team_sum(team)

    @cuda.jit
    def predict_documents(indptr, words, counts, phi, alpha, n_documents, log_likelihood):
        lane = cuda.threadIdx.x
        d = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
        if d >= len(indptr) - 1:
            return
        theta = cuda.local.array(per_lane, float32)
        length = float32(0)
        for j in range(per_lane):
            theta[j] = n_documents[d, j * team + lane] + alpha[j * team + lane]
            length += theta[j]
        length = add_lanes(length)
        likelihood = float64(0)
        for p in range(indptr[d], indptr[d + 1]):
            total = float32(0)
            for j in range(per_lane):
                total += phi[words[p], j * team + lane] * theta[j]
            likelihood += float64(counts[p]) * math.log(float64(add_lanes(total) / length))  # Eq. 3
        if lane == 0:
            log_likelihood[d] = likelihood

    return predict_documents
