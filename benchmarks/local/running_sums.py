"""Word curves: running sums against the direct method, a matrix of kernel weights times the counts.

    python -m benchmarks.local.running_sums [--row]

Prints time, error, and growth with the bandwidth, the number of times and the number of words; with ``--row``, one
row of the first table.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import measure, print_table
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights, running_sums


def simulated_counts(n_times: int, n_words: int, seed: int = 0) -> sp.csc_array:
    """Return counts by day whose words are as uneven as those of a language."""
    rng = np.random.default_rng(seed)
    rate = 2000.0 / np.arange(1, n_words + 1)
    columns = [rng.poisson(r, n_times) for r in rate]
    return sp.csc_array(np.column_stack(columns).astype(np.float64))


def direct_dense(counts: np.ndarray, times: np.ndarray, kernel: Kernel, bandwidth: float) -> np.ndarray:
    """Weigh and add everything: a dense product."""
    return relative_weights(times, times, kernel, bandwidth) @ counts


def direct_sparse(counts: sp.csr_array, times: np.ndarray, kernel: Kernel, bandwidth: float) -> np.ndarray:
    """Weigh and add what is not zero."""
    return (counts.T @ relative_weights(times, times, kernel, bandwidth).T).T


def compare(n_times: int, n_words: int, name: str, bandwidth: float, offset: float = 0.0) -> list:
    counts = simulated_counts(n_times, n_words)
    times, kernel = np.arange(n_times) + offset, Kernel(name)
    dense, rows = counts.toarray(), sp.csr_array(counts)
    running_sums(counts[:, :2], times, times, kernel, bandwidth)
    ours, our_time = measure(lambda: running_sums(counts, times, times, kernel, bandwidth), repeat=3)
    theirs, dense_time = measure(lambda: direct_dense(dense, times, kernel, bandwidth), repeat=3)
    _, sparse_time = measure(lambda: direct_sparse(rows, times, kernel, bandwidth), repeat=3)
    error = float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1.0)).max())
    return [
        our_time.cpu_seconds,
        dense_time.cpu_seconds,
        sparse_time.cpu_seconds,
        dense_time.cpu_seconds / our_time.cpu_seconds,
        sparse_time.cpu_seconds / our_time.cpu_seconds,
        error,
    ]


def main() -> None:
    headings = ["ours (CPU s)", "dense product", "sparse product", "dense / ours", "sparse / ours", "max error"]
    rows = [
        [label, *compare(365, 50_000, name, h, offset)]
        for label, name, h, offset in (
            ("triangular, h = 7 d", "triangular", 7.0, 0.0),
            ("triangular, h = 30.5 d", "triangular", 30.5, 0.0),
            ("triangular, h = 180 d", "triangular", 180.0, 0.0),
            ("uniform, h = 30.5 d", "uniform", 30.5, 0.0),
            ("triangular, h = 30.5 d, times not whole", "triangular", 30.5, 0.3),
            ("tricube, h = 30.5 d", "tricube", 30.5, 0.0),
            ("gaussian, h = 10 d", "gaussian", 10.0, 0.0),
        )[: 1 if "--row" in sys.argv else None]
    ]
    print_table("365 times × 50,000 words, all at once", ["", *headings], rows)
    if "--row" in sys.argv:
        return
    growth = [
        [f"{n_times} × {n_words}", *compare(n_times, n_words, "triangular", 25.0)]
        for n_times, n_words in (
            (180, 20_000),
            (365, 20_000),
            (730, 20_000),
            (1460, 20_000),
            (365, 5_000),
            (365, 80_000),
        )
    ]
    print_table("Growth, triangular, h = 25 d", ["times × words", *headings], growth)


if __name__ == "__main__":
    main()
