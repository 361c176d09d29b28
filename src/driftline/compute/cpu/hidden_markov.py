r"""Hidden Markov models of many sequences: expected counts, marginals and best paths, by the recursions of `markov`.

Sequence d has the observations ``rows[offsets[d]:offsets[d + 1]]``, each a row of `log_emission` (rows × states): a
word of a vocabulary, or one of the distinct observations. Row −1 was not observed, and is uninformative. ``known[t]``
is the state of step t where it is known, otherwise −1; if `known` is empty, no state is known.
"""

import numpy as np

from driftline.compute.cpu.markov import (
    backward_steps,
    best_steps,
    filter_steps,
    longest_sequence,
    packed,
    scale_rows,
    trace_back,
)
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def _in_order(rows, n_rows):
    """Return whether every step t has row t."""
    same = len(rows) == n_rows
    for t in range(n_rows if same else 0):
        same &= rows[t] == t
    return same


@njit(cache=True, nogil=True)
def _gather(rows, known, log_emission, scaled, largest, likelihood):
    """Write the scaled likelihoods of one sequence; return the sum of the logarithms of the scales.

    `likelihood` may be the same memory as `log_emission` if step t has row t.
    """
    taken = 0.0
    n_states = likelihood.shape[1]
    for t in range(len(rows)):
        row, state = rows[t], known[t] if len(known) else -1
        if state >= 0:
            if row >= 0:  # the only possible state has 1, even if the observation is improbable
                taken += log_emission[row, state]
            for s in range(n_states):
                likelihood[t, s] = 1.0 if s == state else 0.0
        elif row >= 0 and len(scaled):
            for s in range(n_states):
                likelihood[t, s] = scaled[row, s]
            taken += largest[row]
        elif row >= 0:
            most = -np.inf
            for s in range(n_states):
                most = max(most, log_emission[row, s])
            for s in range(n_states):
                below = log_emission[row, s] - most
                likelihood[t, s] = 1.0 if below == 0.0 else np.exp(below)
            taken += most
        else:
            for s in range(n_states):
                likelihood[t, s] = 1.0
    return taken


def expect_sequences(
    rows, offsets, known, initial, transition, log_emission, evidence, starts, moves, emissions, beliefs
):
    """Write the log-evidence of every sequence, and add the expected counts of all: starts (K), moves (K × K), rows.

    With `emissions` (rows × K) empty, nothing is counted; with `beliefs` (steps × K) not empty, p(state | sequence) of
    every step is written to it. `log_emission` may be overwritten: if every step has its own row, likelihoods overwrite
    it and beliefs overwrite `emissions`, which halves the memory.
    """
    n_states = len(initial)
    matrices = packed(transition.reshape((1, 1, n_states, n_states)), n_states - 1, (n_states,))
    _expect(rows, offsets, known, initial, matrices, log_emission, evidence, starts, moves, emissions, beliefs)


@njit(cache=True, nogil=True)
def _expect(rows, offsets, known, initial, matrices, log_emission, evidence, starts, moves, emissions, beliefs):
    n_states = len(initial)
    sizes, band = np.full(1, n_states), n_states - 1
    count = len(emissions) > 0
    counted = moves.reshape((1, n_states, n_states)) if count else np.empty((0, n_states, n_states))
    n_scaled = len(log_emission) if len(log_emission) < len(rows) else 0  # rows that recur are exponentiated once
    scaled, largest = np.empty((n_scaled, n_states)), np.empty(n_scaled)
    scale_rows(log_emission[:n_scaled], scaled, largest)
    in_place = n_scaled == 0 and _in_order(rows, len(log_emission))
    longest = longest_sequence(offsets)
    room = np.empty((0 if in_place else longest, n_states))
    other = np.empty((0 if in_place and count else longest, n_states))
    message = np.empty(n_states)
    for d in range(len(offsets) - 1):
        begin, end = offsets[d], offsets[d + 1]
        evidence[d] = 0.0
        if begin == end:
            continue
        likelihood = log_emission[begin:end] if in_place else room[: end - begin]
        belief = emissions[begin:end] if in_place and count else other[: end - begin]
        part = rows[begin:end]
        taken = _gather(part, known[begin:end] if len(known) else known, log_emission, scaled, largest, likelihood)
        evidence[d] = taken + filter_steps(likelihood, initial, False, matrices, band, sizes, belief)
        if not count and len(beliefs) == 0:
            continue
        message[:] = 1.0
        backward_steps(belief, likelihood, initial, False, matrices, band, sizes, message, counted)
        for t in range(end - begin if len(beliefs) else 0):
            for s in range(n_states):
                beliefs[begin + t, s] = belief[t, s]
        if count:
            for s in range(n_states):
                starts[s] += belief[0, s]
            for t in range(0 if in_place else len(part)):
                if part[t] >= 0:
                    for s in range(n_states):
                        emissions[part[t], s] += belief[t, s]


@njit(cache=True, nogil=True)
def best_sequences(rows, offsets, log_initial, log_transition, log_emission, paths):
    """Write the most probable states of every sequence (Viterbi)."""
    n_states = len(log_initial)
    sizes = np.full(1, n_states)
    matrices = log_transition.reshape((1, 1, n_states, n_states))
    longest = longest_sequence(offsets)
    room, origins = np.empty((longest, n_states)), np.empty((longest, n_states), dtype=np.int32)
    for d in range(len(offsets) - 1):
        begin, end = offsets[d], offsets[d + 1]
        if begin == end:
            continue
        seen, origin = room[: end - begin], origins[: end - begin]
        for t in range(end - begin):
            for s in range(n_states):
                seen[t, s] = log_emission[rows[begin + t], s] if rows[begin + t] >= 0 else 0.0
        score = best_steps(seen, log_initial, False, matrices, n_states - 1, sizes, origin)
        trace_back(origin, np.argmax(score), paths[begin:end])


@njit(cache=True, nogil=True)
def gaussian_logs(values, means, spread, logs):
    """Write ln N(x; mean, spread) of every row of values (independent numbers) in every state into `logs`."""
    n_numbers, n_states = means.shape
    constants = np.zeros(n_states)
    for d in range(n_numbers):
        for s in range(n_states):
            constants[s] -= 0.5 * np.log(2 * np.pi * spread[d, s])
    half = 0.5 / spread
    for r in range(len(values)):
        for s in range(n_states):
            logs[r, s] = constants[s]
        for d in range(n_numbers):
            x = values[r, d]
            for s in range(n_states):
                away = x - means[d, s]
                logs[r, s] -= away * away * half[d, s]


@njit(cache=True, nogil=True)
def gaussian_sums(values, counts, centre, sums):
    """Add the counts of every state, and their products with the distances from the centre and with their squares.

    Without the centre, rounding would destroy small differences of large numbers.
    """
    n_states, n_numbers = counts.shape[1], values.shape[1]
    for r in range(len(values)):
        for s in range(n_states):
            sums[0, s] += counts[r, s]
        for d in range(n_numbers):
            x = values[r, d] - centre[d]
            for s in range(n_states):
                part = counts[r, s] * x
                sums[1 + d, s] += part
                sums[1 + n_numbers + d, s] += part * x
