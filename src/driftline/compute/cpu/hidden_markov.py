r"""Hidden Markov models of many token sequences: expected counts and best paths, by the recursions of `markov`.

Sequence d is ``tokens[offsets[d]:offsets[d + 1]]``; a token of −1 is a word that was not observed, and says nothing.
`log_emission` is words × states, so that the numbers of one word lie together.
"""

import numpy as np

from driftline.compute.cpu.markov import backward_steps, best_steps, forward_steps, trace_back
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def _seen(tokens, log_emission):
    """Return the log-likelihoods of one sequence, steps × states."""
    n_states = log_emission.shape[1]
    seen = np.zeros((len(tokens), n_states))
    for t in range(len(tokens)):
        if tokens[t] >= 0:
            seen[t] = log_emission[tokens[t]]
    return seen


@njit(cache=True, nogil=True)
def expect_sequences(tokens, offsets, initial, transition, log_emission, evidence, starts, moves, emissions):
    """Write the log-evidence of every sequence, and add the expected counts of all: starts (K), moves (K × K), words.

    With `emissions` (words × K) empty, only the evidence is written.
    """
    n_states = len(initial)
    sizes = np.full(1, n_states)
    matrices = transition.reshape((1, 1, n_states, n_states))
    counted = moves.reshape((1, n_states, n_states)) if len(emissions) > 0 else np.empty((0, n_states, n_states))
    for d in range(len(offsets) - 1):
        part = tokens[offsets[d] : offsets[d + 1]]
        evidence[d] = 0.0
        if len(part) == 0:
            continue
        seen = _seen(part, log_emission)
        likelihood, belief = np.empty_like(seen), np.empty_like(seen)
        evidence[d] = forward_steps(seen, initial, False, matrices, n_states - 1, sizes, likelihood, belief)
        if len(emissions) == 0:
            continue
        message = np.ones(n_states)
        backward_steps(belief, likelihood, initial, False, matrices, n_states - 1, sizes, message, counted)
        starts += belief[0]
        for t in range(len(part)):
            if part[t] >= 0:
                emissions[part[t]] += belief[t]


@njit(cache=True, nogil=True)
def best_sequences(tokens, offsets, log_initial, log_transition, log_emission, paths):
    """Write the most probable states of every sequence (Viterbi)."""
    n_states = len(log_initial)
    sizes = np.full(1, n_states)
    matrices = log_transition.reshape((1, 1, n_states, n_states))
    for d in range(len(offsets) - 1):
        part = tokens[offsets[d] : offsets[d + 1]]
        if len(part) == 0:
            continue
        origin = np.empty((len(part), n_states), dtype=np.int32)
        score = best_steps(_seen(part, log_emission), log_initial, False, matrices, n_states - 1, sizes, origin)
        trace_back(origin, np.argmax(score), paths[offsets[d] : offsets[d + 1]])
