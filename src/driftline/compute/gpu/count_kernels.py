"""Element-wise kernels for counts of words × topics, which are flat: threads process elements at a fixed stride."""

from __future__ import annotations

from numba import cuda, float32, float64, int64

ROWS = 256
"""Number of rows of words that one thread sums."""


@cuda.jit
def adding(values, others):
    """Add other values, in place."""
    for i in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        values[i] += others[i]


@cuda.jit
def keeping(values, keep):
    """Keep a share of all values, in place."""
    for i in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        values[i] = float64(values[i]) * keep if keep > 0.0 else 0.0


@cuda.jit
def scaling(values, unit, scaled):
    """Write all values times a unit."""
    for i in range(cuda.grid(1), len(scaled), cuda.gridsize(1)):
        scaled[i] = float64(values[i]) * unit


@cuda.jit
def seeding(sums, rows, extra, width, unit):
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
def inverting(partial, n_chunks, width, n_topics, unit, prior, inverse):
    """Write 1 / (n_k + Vβ), zero in the padding."""
    for k in range(cuda.grid(1), width, cuda.gridsize(1)):
        total = float64(0)
        for chunk in range(n_chunks):
            total += partial[chunk * width + k]
        inverse[k] = 1.0 / (total * unit + prior) if k < n_topics else 0.0


@cuda.jit
def sharing(sums, unit, beta, factor, least, inverse, shares):
    """Write (M_wk + β) / (n_k + Vβ) times a factor, with a lower bound, but zero in the padding."""
    for i in range(cuda.grid(1), len(shares), cuda.gridsize(1)):
        smaller = inverse[i % len(inverse)]
        share = max((float32(sums[i]) * unit + beta) * smaller * factor, least)
        shares[i] = share if smaller > float32(0) else float32(0)
