"""Draws in proportion to weights, and the resampling of particles that all particle filters share."""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def choose(weights, uniforms, chosen):
    """Write the indices of as many particles as there are weights: those at the points (i + u_i) / n.

    One uniform number for all points makes the draw systematic, one for each makes it stratified. Either way particle
    i is expected n · weights[i] times.
    """
    n = len(weights)
    total = weights[0]
    at = 0
    for i in range(n):
        point = (i + uniforms[i if len(uniforms) > 1 else 0]) / n
        while total <= point and at < n - 1:
            at += 1
            total += weights[at]
        chosen[i] = at


@njit(cache=True, nogil=True)
def draw(weights, point):
    """Return the index whose interval contains a point between zero and the sum of the weights."""
    left = point
    for i in range(len(weights)):
        left -= weights[i]
        if left < 0:
            return i
    return len(weights) - 1


@njit(cache=True, nogil=True)
def resample(weights, stratified, below, rng, chosen):
    """Resample particles if their effective share is less than `below`; return whether that was done.

    The effective number is 1 / Σ weights². Afterwards all weights are equal.
    """
    n = len(weights)
    if 1.0 / (weights**2).sum() >= n * below:
        return False
    uniforms = np.empty(n if stratified else 1)
    for i in range(len(uniforms)):
        uniforms[i] = rng.random()
    choose(weights, uniforms, chosen)
    weights[:] = 1.0 / n
    return True


@njit(cache=True, nogil=True)
def reweigh(logs, weights):
    """Write the exponentials of log-weights, scaled to sum to one; return the log of their sum."""
    largest = -np.inf
    for i in range(len(logs)):
        largest = max(largest, logs[i])
    total = 0.0
    for i in range(len(logs)):
        weights[i] = np.exp(logs[i] - largest)
        total += weights[i]
    weights /= total
    return largest + np.log(total)
