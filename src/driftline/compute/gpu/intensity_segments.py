r"""The kernels of a sweep of expectation propagation: segments of all chains in parallel.

While the sites :math:`f_t` (Eq. 1 of ``compute/cpu/intensity_ep.py``) are fixed, a chain is linear. A segment of
documents s … e transforms the belief before it into that after it by the matrix

.. math:: T = A_s \operatorname{diag}(f_s) \cdots A_e \operatorname{diag}(f_e), \qquad
    b_e \propto b_{s-1} T, \quad h_{s-1} \propto T h_e. \qquad (4)

`carrying` computes the rows of these matrices, each with the logarithm of its sum; `joining` propagates the beliefs b
and the backward messages h through the matrices of each chain; `smoothing` then processes the documents of each
segment.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from numba import cuda, float64, int32, int64

from driftline.compute.contracts.kernel import Kernel, LaunchedKernel
from driftline.compute.cpu.intensity_ep import LEAST

SMALLEST = 1e-100
"""Sum of a row, in double precision, below which the row is normalised; likewise above the inverse."""


@cuda.jit(device=True)
def rest_of(mixed, p, mean):
    """Return Σ_{j≠k} p_j m_j, clipped at zero because of rounding."""
    rest = mixed - p * mean
    return rest if rest > 0 else rest - rest  # a zero of the same type


@functools.cache
def _moving(n_levels: int, band: int) -> Kernel:
    """Return the function that writes the levels after a transition; loops of fixed length keep them in registers."""

    @cuda.jit(device=True)
    def move(message, matrices, at, moved):
        for l in range(n_levels):
            value = message[l] - message[l]  # a zero of the same type
            for i in range(max(0, l - band), min(n_levels, l + band + 1)):
                value += matrices[at, i, l] * message[i]
            moved[l] = value

    return move


@functools.cache
def carrying(n_levels: int, band: int) -> LaunchedKernel:
    """Return the kernel of the rows of the matrices (4); a thread has one row, in double precision.

    A row is normalised at the end, and before that only if it would underflow or overflow.
    """
    move = _moving(n_levels, band)

    @cuda.jit
    def carry(text, decays, rates, matrices, means, mixed, begin, width, segment, transfers, scales):
        number = int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x
        if number >= transfers.shape[0] * n_levels * width:
            return
        column, row, s = number % width, number // width % n_levels, number // width // n_levels
        message, moved = cuda.local.array(n_levels, float64), cuda.local.array(n_levels, float64)
        for l in range(n_levels):
            message[l] = float64(1) if l == row else float64(0)
        log, total, constant, k = float64(0), float64(1), len(matrices) == 1, begin + column
        for t in range(s * segment, min(len(text), (s + 1) * segment)):
            if t > 0:
                move(message, matrices, int64(0) if constant else int64(t), moved)
            else:
                for l in range(n_levels):
                    moved[l] = message[l]
            p = text[t, k]
            rest = rest_of(mixed[t], p, means[t, k])
            total = float64(0)
            for l in range(n_levels):
                message[l] = moved[l] * decays[t, l] * (rates[l] * float64(p) + rest)  # Eq. 1
                total += message[l]
            if total < SMALLEST or total > 1.0 / SMALLEST:
                log += math.log(total)
                for l in range(n_levels):
                    message[l] /= total
                total = float64(1)
        scales[s, row, column] = log + math.log(total)
        for l in range(n_levels):
            transfers[s, row, l, column] = message[l] / total

    return carry


@functools.cache
def joining(n_levels: int) -> LaunchedKernel:
    """Return the kernel that propagates the chains through the matrices (4), one thread per chain."""
    least = LEAST

    @cuda.jit
    def join(transfers, scales, prior, beliefs, behinds):
        k = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        n_segments, width = transfers.shape[0], transfers.shape[3]
        if k >= width:
            return
        message, fresh = cuda.local.array(n_levels, float64), cuda.local.array(n_levels, float64)
        for l in range(n_levels):
            message[l] = prior[l]
        for s in range(n_segments):
            largest = scales[s, 0, k]
            for l in range(n_levels):
                beliefs[s, l, k] = message[l]
                fresh[l] = float64(0)
                largest = max(largest, scales[s, l, k])
            total = float64(0)
            for i in range(n_levels):
                weight = message[i] * math.exp(scales[s, i, k] - largest)
                for l in range(n_levels):
                    fresh[l] += weight * transfers[s, i, l, k]
                total += weight  # the rows sum to one
            for l in range(n_levels):
                message[l] = max(fresh[l] / total, float64(least))
        for l in range(n_levels):
            message[l] = float64(1)
        for last in range(n_segments):
            s = n_segments - 1 - last
            largest = scales[s, 0, k]
            for l in range(n_levels):
                behinds[s, l, k] = message[l]
                largest = max(largest, scales[s, l, k])
            highest = float64(0)
            for i in range(n_levels):
                value = float64(0)
                for l in range(n_levels):
                    value += transfers[s, i, l, k] * message[l]
                fresh[i] = value * math.exp(scales[s, i, k] - largest)
                highest = max(highest, fresh[i])
            for l in range(n_levels):
                message[l] = max(fresh[l] / highest, float64(least))

    return join


@functools.cache
def smoothing(n_levels: int, kind: Any, band: int, last: bool, counting: bool) -> LaunchedKernel:
    """Return the kernel that processes the documents of a segment forward and backward; a thread has one chain."""
    least, move = LEAST, _moving(n_levels, band)

    @cuda.jit
    def smooth(
        text, decays, rates, matrices, means, mixed, begin, width, gaps, segment, first, n_here, beliefs, behinds,
        predicted, tail, topics, intensity, lower, middle, upper, parts, change,
    ):  # fmt: skip
        number = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if number >= n_here * width:
            return
        column, place = number % width, number // width
        s, k = first + place, begin + column
        start, stop, shift = s * segment, min(len(text), (s + 1) * segment), (s - place) * segment
        message, behind = cuda.local.array(n_levels, kind), cuda.local.array(n_levels, kind)
        cavity, scratch = cuda.local.array(n_levels, kind), cuda.local.array(n_levels, kind)
        constant = len(matrices) == 1
        for l in range(n_levels):
            message[l], behind[l] = beliefs[s, l, column], behinds[s, l, column]
        if counting:
            for i in range(n_levels * n_levels + 3 * n_levels):
                parts[place, i, column] = 0.0
        for t in range(start, stop):
            if t > 0:
                move(message, matrices, int64(0) if constant else int64(t), scratch)
            else:
                for l in range(n_levels):
                    scratch[l] = message[l]
            p = text[t, k]
            rest = rest_of(mixed[t], p, means[t, k])
            total = kind(0)
            for l in range(n_levels):
                predicted[t - shift, l, column] = scratch[l]
                message[l] = scratch[l] * decays[t, l] * (rates[l] * p + rest)  # Eq. 1
                total += message[l]
            for l in range(n_levels):
                message[l] = max(message[l] / total, kind(least))
        largest = kind(0)
        for back in range(stop - start):
            t = stop - 1 - back
            p, old = text[t, k], means[t, k]
            rest = rest_of(mixed[t], p, old)
            mass, weighted = kind(0), kind(0)
            for l in range(n_levels):
                cavity[l] = predicted[t - shift, l, column] * behind[l]
                mass += cavity[l] * decays[t, l]
                weighted += cavity[l] * decays[t, l] * rates[l]
            fresh = weighted / mass  # Eq. 2
            total = mass * (p * fresh + rest)
            if last:
                below, average = float64(0), float64(0)
                low, mid, high = int32(0), int32(0), int32(0)
                share, together = p * fresh / (p * fresh + rest), float64(0)
                for l in range(n_levels):
                    together += cavity[l] * decays[t, l] * (rates[l] * p + rest)
                for l in range(n_levels):
                    part = float64(cavity[l] * decays[t, l] * (rates[l] * p + rest)) / together
                    average += part * rates[l]
                    below += part
                    if l < n_levels - 1:
                        low += int32(1) if below < tail else int32(0)
                        mid += int32(1) if below < 0.5 else int32(0)
                        high += int32(1) if below < 1.0 - tail else int32(0)
                    if counting:
                        events = n_levels * n_levels + n_levels + l
                        parts[place, events, column] += share * cavity[l] * decays[t, l] * rates[l] / weighted
                        parts[place, events + n_levels, column] += part * gaps[t]
                topics[t, k], intensity[t, k] = p * fresh, average
                lower[t, k], middle[t, k], upper[t, k] = low, mid, high
            else:
                new = math.sqrt(old * fresh)
                largest = max(largest, abs(new - old) * p / mixed[t])
                means[t, k] = new
            for l in range(n_levels):
                value = behind[l] * decays[t, l] * (rates[l] * p + rest) / total
                scratch[l] = max(value, kind(least))
            if t > 0:
                at = int64(0) if constant else int64(t)
                for l in range(n_levels):
                    value = kind(0)
                    for i in range(max(0, l - band), min(n_levels, l + band + 1)):
                        value += matrices[at, l, i] * scratch[i]
                    behind[l] = value
                if counting:
                    if t > start:  # the belief after the document before
                        before, others = text[t - 1, k], rest_of(mixed[t - 1], text[t - 1, k], means[t - 1, k])
                        for l in range(n_levels):
                            rate = rates[l] * before + others
                            message[l] = predicted[t - 1 - shift, l, column] * decays[t - 1, l] * rate
                    else:
                        for l in range(n_levels):
                            message[l] = beliefs[s, l, column]
                    pairs = float64(0)
                    for i in range(n_levels):
                        for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                            pairs += float64(message[i]) * matrices[at, i, j] * scratch[j]
                    for i in range(n_levels):
                        for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                            value = float64(message[i]) * matrices[at, i, j] * scratch[j]
                            parts[place, i * n_levels + j, column] += value / pairs
            elif counting:
                for l in range(n_levels):
                    parts[place, n_levels * n_levels + l, column] += predicted[0, l, column] * scratch[l]
        if not last:
            cuda.atomic.max(change, 0, float64(largest))

    return smooth


@cuda.jit
def adding_parts(parts, n_here, begin, n_levels, moves, counts):
    """Add the counts of segments, in their order, to those of all: transitions, first levels, events, exposure."""
    n_counts, width = parts.shape[1], parts.shape[2]
    for number in range(cuda.grid(1), n_counts * width, cuda.gridsize(1)):
        which, column = number // width, number % width
        total = float64(0)
        for place in range(n_here):
            total += parts[place, which, column]
        k = begin + column
        if which < n_levels * n_levels:
            moves[k, which // n_levels, which % n_levels] += total
        else:
            rest = which - n_levels * n_levels
            counts[k, rest // n_levels, rest % n_levels] += total
