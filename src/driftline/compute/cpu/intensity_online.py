"""Online filtering of one document at a time, and smoothing with a fixed lag.

The last documents are kept in a ring buffer: `predicted` (places, L, K) contains the beliefs before each, `seen`
(places, K) its text, `others` (places, K) the contribution of the other topics, `decay` (places, L) that of the gap,
`matrices` (places, L, L) the transition to it. `count` contains the number of documents that are or were in the ring,
and the number before these. Sites are those of expectation propagation; see `intensity_ep`.
"""

import numpy as np

from driftline.compute.cpu.intensity_chains import step_matrix
from driftline.compute.cpu.intensity_ep import (
    LEAST,
    _decay_of,
    _invert,
    _sum_levels,
    absorb,
    mean_rates,
    move,
)
from driftline.compute.jit import njit
from driftline.compute.variant_codes import INDEX, OPERATIONAL

SCALED_EVERY = 4  # only ratios matter; the product of the sites of this many documents cannot underflow


@njit(cache=True, nogil=True)
def next_gap(time, clock, mean_gap, measure, local, low, high):
    """Advance the clock and return the gap before the document, bounded; before the first it is zero.

    `clock` contains the time of the last document (NaN before the first) and the recent mean gap. A document that is
    older than the last one is treated as simultaneous with it.
    """
    last = clock[0]
    if last != last:
        clock[0] = time
        return 0.0
    passed = max(time - last, 0.0)
    clock[0] = last + passed
    if measure == INDEX:
        gap = 1.0
    elif measure == OPERATIONAL:
        clock[1] += (passed - clock[1]) / local
        gap = passed / clock[1] if clock[1] > 0 else 0.0
    else:
        gap = passed / mean_gap
    return min(max(gap, low), high)


@njit(cache=True, nogil=True)
def advance(logs, time, clock, mean_gap, measure, local, low, high, fixed, ring, count, found, levels):
    """Process one document by its log-likelihoods; return its number, or -1 if it is impossible (nothing is changed).

    `fixed` contains rates, steps, speeds and band, `ring` the state from `message` to `matrices` as in `update`. Fills
    `found` as `update` does, rates in the clock's unit, and `levels` (K, L) with the belief about each topic's level.
    """
    best = -np.inf
    for value in logs:
        if value != value:
            return -1
        best = max(best, value)
    if best == np.inf or best == -np.inf:
        return -1
    rates, steps, speeds, band = fixed
    message, predicted, seen, others, decay, matrices = ring
    text = np.exp(logs - best)
    gap = next_gap(time, clock, mean_gap, measure, local, low, high)
    update(text, gap, rates, steps, speeds, band, message, predicted, seen, others, decay, matrices, count, found)
    for k in range(len(logs)):
        found[1, k] /= mean_gap
        found[3, k] /= mean_gap
        for l in range(len(rates)):
            levels[k, l] = message[l, k]
    return count[0] + count[1] - 1


@njit(cache=True, nogil=True)
def update(text, gap, rates, steps, speeds, band, message, predicted, seen, others, decay, matrices, count, found):
    """Process one document; fill `found` (4, K): topics and intensities now, and those `places` - 1 documents back.

    The last two rows are written only once that many documents have been seen.
    """
    n_levels, width = message.shape
    places = len(seen)
    kind = message.dtype
    here = count[0] % places
    total, mass, mean = np.empty(width, kind), np.empty(width, kind), np.empty(width, kind)
    floor = np.full(1, LEAST).astype(kind)
    matrix, fade, before = matrices[here], decay[here], predicted[here]
    matrix[:] = steps
    step_matrix(steps, speeds, gap, matrix)
    _decay_of(rates, gap, LEAST, fade)
    if count[0] + count[1] > 0:
        move(message, matrix, band, before)
    else:
        before[:] = message
    mean_rates(before, rates, fade, mass, mean)
    _topics(text, mean, seen[here], others[here], found[0])
    absorb(before, seen[here], others[here], rates, fade, floor, message, total)
    _intensities(message, rates, found[1])
    count[0] += 1
    if count[0] < places:
        return
    behind, scratch = np.ones((n_levels, width), kind), np.empty((n_levels, width), kind)
    for back in range(places - 1):
        at = (here - back) % places
        site, rest, fade = seen[at], others[at], decay[at]
        for l in range(n_levels):
            rate, weight = rates[l], fade[l]
            row, right = scratch[l], behind[l]
            for k in range(width):
                row[k] = right[k] * weight * (rate * site[k] + rest[k])
        if back % SCALED_EVERY == SCALED_EVERY - 1:
            _sum_levels(scratch, total)
            _invert(floor, total)
            for l in range(n_levels):
                row = scratch[l]
                for k in range(width):
                    row[k] *= total[k]
        move(scratch, matrices[at].T, band, behind)
    at = (here + 1) % places
    for l in range(n_levels):
        for k in range(width):
            scratch[l, k] = predicted[at, l, k] * behind[l, k]
    mean_rates(scratch, rates, decay[at], mass, mean)
    _topics(seen[at], mean, total, mass, found[2])
    for l in range(n_levels):
        for k in range(width):
            scratch[l, k] *= decay[at, l] * (rates[l] * seen[at, k] + others[at, k])
    _intensities(scratch, rates, found[3])


@njit(cache=True, nogil=True)
def _topics(text, mean, seen, others, proba):
    """Write p_k m_k / Σ into `proba`, the text into `seen` and Σ_{j≠k} p_j m_j into `others`."""
    mixed = 0.0
    for k in range(len(text)):
        mixed += text[k] * mean[k]
    for k in range(len(text)):
        part = text[k] * mean[k]
        proba[k] = part / mixed
        seen[k] = text[k]
        others[k] = max(mixed - part, 0.0)


@njit(cache=True, nogil=True)
def _intensities(belief, rates, intensity):
    """Write the mean rate of every topic's belief."""
    n_levels, width = belief.shape
    for k in range(width):
        total, mean = 0.0, 0.0
        for l in range(n_levels):
            total += belief[l, k]
            mean += rates[l] * belief[l, k]
        intensity[k] = mean / total
