"""EM for the weights of a mixture of fixed components."""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def em(probabilities, counts, n_steps, tolerance):
    """Return the weights π that maximise Σ_i c_i log Σ_j π_j P_ij, from equal ones.

    Iterations end when one gains less than `tolerance` per count.
    """
    n, k = probabilities.shape
    weights = np.full(k, 1.0 / k)
    total = counts.sum()
    if not total > 0.0:
        return weights
    before = -np.inf
    share = np.empty(k)
    for _ in range(n_steps):
        share[:] = 0.0
        reached = 0.0
        for i in range(n):
            mixed = 0.0
            for j in range(k):
                mixed += weights[j] * probabilities[i, j]
            if mixed > 0.0:
                reached += counts[i] * np.log(mixed)
                for j in range(k):
                    share[j] += counts[i] * probabilities[i, j] / mixed
        for j in range(k):
            weights[j] *= share[j]
        weights /= weights.sum()
        if (reached - before) / total < tolerance:
            break
        before = reached
    return weights
