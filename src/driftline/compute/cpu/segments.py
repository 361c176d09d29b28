"""The best cuts of a sequence of vectors into even segments."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def best_cuts(rows, penalty, shortest):
    """Return the starts of the segments with the smallest Σ‖x − mean of its segment‖² + `penalty` for each segment.

    Segments have at least `shortest` rows, unless the sequence itself is shorter.
    """
    n, width = rows.shape
    sums = np.zeros((n + 1, width))
    squares = np.zeros(n + 1)
    for i in range(n):
        square = 0.0
        for k in range(width):
            sums[i + 1, k] = sums[i, k] + rows[i, k]
            square += rows[i, k] ** 2
        squares[i + 1] = squares[i] + square
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    before = np.zeros(n + 1, dtype=np.int64)
    for end in range(min(shortest, n), n + 1):
        for start in range(max(end - shortest, 0) + 1):
            if not np.isfinite(cost[start]):
                continue
            within = squares[end] - squares[start]
            for k in range(width):
                within -= (sums[end, k] - sums[start, k]) ** 2 / (end - start)
            total = cost[start] + max(within, 0.0) + penalty
            if total < cost[end]:
                cost[end] = total
                before[end] = start
    starts = np.empty(n, dtype=np.int64)
    count, end = 0, n
    while end > 0:
        end = before[end]
        starts[count] = end
        count += 1
    return starts[:count][::-1].copy()
