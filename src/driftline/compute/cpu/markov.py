r"""Forward, backward and best-path recursions of a Markov chain whose state may have several independent factors.

A joint state is a number with one digit per factor, the first factor's digit most significant; factor f has `sizes[f]`
levels. One matrix A_f[i, j] = p(j | i) is the transition of one factor, so a step of all factors costs O(F · S · (2 ·
band + 1)) for S joint states, not O(S²): the factors change one after the other. An ordinary hidden Markov model has
one factor (F = 1) and a full band; for it there are separate loops, in which the next state is innermost, so that they
vectorise.

`transition` has the shape (1 or n, 1 or F, L, L): one matrix for all steps or one per step, for all factors or each. L
is the largest of the sizes; a smaller factor uses the corner of its matrix. A chain that `small_chains` can do may have
its matrix alone, L × L (`packed`). The number of dimensions is known when a function is compiled, and the other
recursions, which take seconds, are then not compiled.

Messages sum to one; likelihoods are given as logarithms and scaled by their maximum, so that a million steps neither
underflow nor overflow.
"""

import numpy as np

from driftline.compute.cpu.small_chains import MOST_STATES, backward_small, filter_small
from driftline.compute.jit import njit

TINY = 1e-300
"""Lower bound of a predicted belief: a state that data or transitions exclude more strongly has this probability."""


def packed(transition, band, sizes):
    """Return the matrix of a chain that `small_chains` can do, and otherwise all matrices."""
    small = len(sizes) == 1 and band >= sizes[0] - 1 and sizes[0] <= MOST_STATES and transition.shape[0] == 1
    return transition[0, 0] if small else transition


@njit(cache=True, nogil=True)
def longest_sequence(offsets):
    """Return the number of steps of the longest of the sequences that begin at `offsets`."""
    longest = 0
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    return longest


@njit(cache=True, nogil=True)
def move_factor(message, matrix, size, stride, band, moved):
    """Write Σ_i message[i] · matrix[i, j] along one factor of `size` levels into `moved`."""
    for outer in range(0, len(message), stride * size):
        for inner in range(stride):
            at = outer + inner
            for j in range(size):
                total = 0.0
                for i in range(max(0, j - band), min(size, j + band + 1)):
                    total += message[at + i * stride] * matrix[i, j]
                moved[at + j * stride] = total


@njit(cache=True, nogil=True)
def move_factor_back(message, matrix, size, stride, band, moved):
    """Write Σ_j matrix[i, j] · message[j] along one factor of `size` levels into `moved`."""
    for outer in range(0, len(message), stride * size):
        for inner in range(stride):
            at = outer + inner
            for i in range(size):
                total = 0.0
                for j in range(max(0, i - band), min(size, i + band + 1)):
                    total += message[at + j * stride] * matrix[i, j]
                moved[at + i * stride] = total


@njit(cache=True, nogil=True)
def _matrix(transition, t, f):
    return transition[t if transition.shape[0] > 1 else 0, f if transition.shape[1] > 1 else 0]


@njit(cache=True, nogil=True)
def scale_rows(log_likelihood, likelihood, largest):
    """Write every row, scaled by its largest entry, into `likelihood`, and the logarithm of that entry to `largest`."""
    n, size = log_likelihood.shape
    for t in range(n):
        most = -np.inf
        for s in range(size):
            most = max(most, log_likelihood[t, s])
        for s in range(size):
            likelihood[t, s] = np.exp(log_likelihood[t, s] - most)
        largest[t] = most


@njit(cache=True, nogil=True)
def forward_steps(log_likelihood, entering, moves_first, transition, band, sizes, likelihood, filtered):
    """Filter a block of steps; return its log-evidence.

    `entering` is the belief before the first step, to which the transition of that step is applied unless `moves_first`
    is False (the first step of a chain). Scaled likelihoods go into `likelihood`, beliefs p(s_t | data up to t)
    into `filtered`.
    """
    largest = np.empty(len(log_likelihood))
    scale_rows(log_likelihood, likelihood, largest)
    taken = 0.0
    for t in range(len(largest)):
        taken += largest[t]
    return taken + filter_steps(likelihood, entering, moves_first, transition, band, sizes, filtered)


@njit(cache=True, nogil=True)
def filter_steps(likelihood, entering, moves_first, transition, band, sizes, filtered):
    """Filter a block of steps whose likelihoods are scaled already; return the logarithm of its evidence."""
    if transition.ndim == 2:
        return filter_small(likelihood, entering, moves_first, transition, filtered)
    n, size = likelihood.shape
    plain = _is_plain(band, sizes)
    if plain and size <= MOST_STATES and transition.shape[0] == 1:
        return filter_small(likelihood, entering, moves_first, transition[0, 0], filtered)
    one, other = entering.copy(), np.empty(size)
    n_factors = len(sizes)
    evidence, product = 0.0, 1.0
    for t in range(n):
        if t > 0 or moves_first:
            if plain:
                _move_all(one, _matrix(transition, t, 0), other)
                one, other = other, one
            else:
                stride = size
                for f in range(n_factors):
                    stride //= sizes[f]
                    move_factor(one, _matrix(transition, t, f), sizes[f], stride, band, other)
                    one, other = other, one
        total = 0.0
        for s in range(size):
            other[s] = max(one[s], TINY) * likelihood[t, s]
            total += other[s]
        share = 1.0 / total
        for s in range(size):
            other[s] *= share
            filtered[t, s] = other[s]
        one, other = other, one
        if not 1e-100 < total < 1e100:  # a product of these would underflow or overflow
            evidence += np.log(total)
        else:
            product *= total
            if not 1e-150 < product < 1e150:
                evidence += np.log(product)
                product = 1.0
    return evidence + np.log(product)


@njit(cache=True, nogil=True)
def _is_plain(band, sizes):
    """Return whether a chain has one factor, and every transition is possible."""
    return len(sizes) == 1 and band >= sizes[0] - 1


@njit(cache=True, nogil=True)
def _move_all(message, matrix, moved):
    """Write Σ_i message[i] · matrix[i, j] into `moved`, next state j innermost."""
    size = len(message)
    for j in range(size):
        moved[j] = 0.0
    for i in range(size):
        belief = message[i]
        for j in range(size):
            moved[j] += belief * matrix[i, j]


@njit(cache=True, nogil=True)
def backward_steps(filtered, likelihood, entering, moves_first, transition, band, sizes, message, moves):
    """Turn `filtered` into p(s_t | all data) in place, last step first; `message` is updated from end to begin.

    If `moves` (F, L, L) is not empty, the expected number of transitions of each factor is added to it.
    """
    if transition.ndim == 2:
        backward_small(filtered, likelihood, entering, moves_first, transition, message, moves)
        return
    if _is_plain(band, sizes) and filtered.shape[1] <= MOST_STATES and transition.shape[0] == 1:
        backward_small(filtered, likelihood, entering, moves_first, transition[0, 0], message, moves)
        return
    if _is_plain(band, sizes):
        _backward_plain(filtered, likelihood, entering, moves_first, transition, message, moves)
        return
    n, size = filtered.shape
    n_factors = len(sizes)
    behind = np.empty((n_factors + 1, size))
    one, other = np.empty(size), np.empty(size)
    for t in range(n - 1, -1, -1):
        total = 0.0
        for s in range(size):
            behind[n_factors, s] = likelihood[t, s] * message[s]
            other[s] = filtered[t, s] * message[s]
            total += other[s]
        for s in range(size):
            other[s] /= total
        if t > 0 or moves_first:
            stride = 1
            for f in range(n_factors - 1, -1, -1):
                move_factor_back(behind[f + 1], _matrix(transition, t, f), sizes[f], stride, band, behind[f])
                stride *= sizes[f]
            total, agreement = 0.0, 0.0
            for s in range(size):
                one[s] = filtered[t - 1, s] if t > 0 else entering[s]
                total += behind[0, s]
                agreement += one[s] * behind[0, s]
            for s in range(size):  # if the data contradict the matrix here, later steps are uninformative
                message[s] = behind[0, s] * (size / total) if agreement > 0 else 1.0
            if agreement > 0 and moves.shape[0] > 0:
                _add_moves(one, behind, transition, t, band, sizes, moves)
        for s in range(size):
            filtered[t, s] = other[s]


@njit(cache=True, nogil=True)
def _backward_plain(filtered, likelihood, entering, moves_first, transition, message, moves):
    """Do the same for a chain of one factor.

    If all steps have one matrix, the expected transitions are summed without it, and multiplied by it once at the end.
    """
    n, size = filtered.shape
    same, count = transition.shape[0] == 1, moves.shape[0] > 0
    behind, before = np.empty(size), np.empty(size)
    columns, joint = np.empty((size, size)), np.zeros((size, size))
    _transpose(transition[0, 0], columns)
    for t in range(n - 1, -1, -1):
        total = 0.0
        for s in range(size):
            behind[s] = likelihood[t, s] * message[s]
            filtered[t, s] *= message[s]
            total += filtered[t, s]
        share = 1.0 / total
        for s in range(size):
            filtered[t, s] *= share
        if t == 0 and not moves_first:
            continue
        if not same:
            _transpose(transition[t, 0], columns)
        _move_all(behind, columns, message)
        total, agreement = 0.0, 0.0
        for s in range(size):
            before[s] = filtered[t - 1, s] if t > 0 else entering[s]
            agreement += before[s] * message[s]
            total += message[s]
        if agreement <= 0:  # the data contradict the matrix here: later steps are uninformative about earlier ones
            message[:] = 1.0
            continue
        if count:
            if not same:
                joint[:] = 0.0
            share = 1.0 / agreement
            for i in range(size):
                weight = before[i] * share
                for j in range(size):
                    joint[i, j] += weight * behind[j]
            if not same:
                _add_products(joint, transition[t, 0], moves[0])
        share = size / total
        for s in range(size):
            message[s] *= share
    if count and same:
        _add_products(joint, transition[0, 0], moves[0])


@njit(cache=True, nogil=True)
def _transpose(matrix, columns):
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            columns[j, i] = matrix[i, j]


@njit(cache=True, nogil=True)
def _add_products(one, other, sums):
    """Add the products of the entries of two matrices to `sums`, which may be larger."""
    for i in range(len(one)):
        for j in range(len(one)):
            sums[i, j] += one[i, j] * other[i, j]


@njit(cache=True, nogil=True)
def _add_moves(belief, behind, transition, t, band, sizes, moves):
    """Add p(digit_f changes from i to j | all data) of one step; factors before f have changed, others not."""
    size = len(belief)
    one, other = belief.copy(), np.empty(size)
    stride = size
    joint = np.empty((transition.shape[2], transition.shape[3]))
    for f in range(len(sizes)):
        n_levels = sizes[f]
        stride //= n_levels
        matrix = _matrix(transition, t, f)
        joint[:] = 0.0
        total = 0.0
        for outer in range(0, size, stride * n_levels):
            for at in range(outer, outer + stride):
                for i in range(n_levels):
                    for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                        chance = one[at + i * stride] * matrix[i, j] * behind[f + 1, at + j * stride]
                        joint[i, j] += chance
                        total += chance
        for i in range(n_levels):
            for j in range(n_levels):
                moves[f, i, j] += joint[i, j] / total
        move_factor(one, matrix, n_levels, stride, band, other)
        one, other = other, one


@njit(cache=True, nogil=True)
def best_steps(log_likelihood, entering, moves_first, log_transition, band, sizes, origin):
    """Return the log-probability of the best path to each state at the end of a block; write the path to `origin`."""
    n, size = log_likelihood.shape
    one, other = entering.copy(), np.empty(size)
    source, chosen = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    for t in range(n):
        for s in range(size):
            source[s] = s
        if t > 0 or moves_first:
            stride = size
            for f in range(len(sizes)):
                n_levels = sizes[f]
                stride //= n_levels
                matrix = _matrix(log_transition, t, f)
                for outer in range(0, size, stride * n_levels):
                    for at in range(outer, outer + stride):
                        for j in range(n_levels):
                            best, winner = -np.inf, at + j * stride
                            for i in range(max(0, j - band), min(n_levels, j + band + 1)):
                                value = one[at + i * stride] + matrix[i, j]
                                if value > best:
                                    best, winner = value, at + i * stride
                            other[at + j * stride] = best
                            chosen[at + j * stride] = source[winner]
                one, other = other, one
                source, chosen = chosen, source
        for s in range(size):
            one[s] += log_likelihood[t, s]
            origin[t, s] = source[s]
    return one


@njit(cache=True, nogil=True)
def trace_back(origin, state, path):
    """Write the path that ends in `state` into `path`; return the state before its first step."""
    for t in range(len(origin) - 1, -1, -1):
        path[t] = state
        state = origin[t, state]
    return state


@njit(cache=True, nogil=True)
def sample_steps(filtered, entering, moves_first, transition, sizes, uniforms, states, paths):
    """Draw several paths backwards through a block, from p(s_{t-1} | s_t, data up to t - 1).

    `states` contains the paths' states at the last step of the block and afterwards those before its first step;
    `paths` and `uniforms` are steps × paths.
    """
    n, size = filtered.shape
    chance = np.empty(size)
    for t in range(n - 1, -1, -1):
        before = filtered[t - 1] if t > 0 else entering
        for m in range(len(states)):
            paths[t, m] = states[m]
            if t == 0 and not moves_first:
                continue
            for s in range(size):
                chance[s] = before[s]
            stride = size
            for f in range(len(sizes)):
                stride //= sizes[f]
                column = _matrix(transition, t, f)[:, (states[m] // stride) % sizes[f]]
                for s in range(size):
                    chance[s] *= max(column[(s // stride) % sizes[f]], TINY)
            states[m] = draw_state(chance, uniforms[t, m])


@njit(cache=True, nogil=True)
def draw_state(chance, uniform):
    """Return a state drawn in proportion to its probability."""
    left = uniform * chance.sum()
    last = 0
    for s in range(len(chance)):
        if chance[s] > 0:
            last = s
            left -= chance[s]
            if left < 0:
                return s
    return last
