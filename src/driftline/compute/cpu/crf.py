r"""Linear-chain conditional random fields: losses, gradients and stochastic steps, by the recursions of `markov`.

.. math:: p(y \mid x) = \frac1Z \exp \sum_t \Big(\sum_{a \in x_t} w_{a y_t} + v_{y_{t-1} y_t}\Big)

Token t has the attributes ``attributes[t]`` (−1: none, or unknown). Only some pairs of an attribute and a tag have a
weight: attribute a has the pairs ``pointers[a]`` to ``pointers[a + 1]``, whose tags are ``pair_tags``. `allowed` is 1
where a transition is possible, and `starts` where a tag may be the first. A tag of −1 is unknown: the loss is then
the negative logarithm of the probability of all tag sequences that agree with the known ones.
"""

import numpy as np

from driftline.compute.cpu.markov import (
    backward_steps,
    best_steps,
    filter_steps,
    longest_sequence,
    scale_rows,
    trace_back,
)
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def score_tokens(attributes, pointers, pair_tags, weights, scale, scores):
    """Write Σ_a w[a, y] of every token and tag into `scores`; the weights are `scale` times those given."""
    n, n_templates = attributes.shape
    for t in range(n):
        for y in range(scores.shape[1]):
            scores[t, y] = 0.0
        for k in range(n_templates):
            a = attributes[t, k]
            if a >= 0:
                for pair in range(pointers[a], pointers[a + 1]):
                    scores[t, pair_tags[pair]] += weights[pair]
        if scale != 1.0:
            for y in range(scores.shape[1]):
                scores[t, y] *= scale


@njit(cache=True, nogil=True)
def chain_marginals(scores, matrix, starts, room, counted):
    """Return log Z of a sentence; write p(tag | sentence) to ``room[1]``, and add expected transitions to `counted`."""
    n, n_tags = scores.shape
    likelihood, belief = room[0, :n], room[1, :n]
    largest = np.empty(n)
    sizes, message = np.full(1, n_tags), np.ones(n_tags)
    matrices = matrix.reshape((1, 1, n_tags, n_tags))
    scale_rows(scores, likelihood, largest)
    evidence = filter_steps(likelihood, starts, False, matrices, n_tags - 1, sizes, belief)
    backward_steps(belief, likelihood, starts, False, matrices, n_tags - 1, sizes, message, counted)
    return evidence + largest.sum()


@njit(cache=True, nogil=True)
def _observed(scores, tags, transition, matrix, starts, room, marked, counted):
    """Return the score of the known tags; write their expectations to `marked`, and add transitions to `counted`."""
    n, n_tags = scores.shape
    unknown = 0
    for t in range(n):
        unknown += tags[t] < 0
    if unknown == 0:
        total = 0.0
        for t in range(n):
            for y in range(n_tags):
                marked[t, y] = 0.0
            marked[t, tags[t]] = 1.0
            total += scores[t, tags[t]]
            if t > 0:
                total += transition[tags[t - 1], tags[t]]
                counted[0, tags[t - 1], tags[t]] += 1.0
        return total
    limited = scores.copy()
    for t in range(n):
        if tags[t] >= 0:
            for y in range(n_tags):
                if y != tags[t]:
                    limited[t, y] = -np.inf
    total = chain_marginals(limited, matrix, starts, room, counted)
    for t in range(n):
        for y in range(n_tags):
            marked[t, y] = room[1, t, y]
    return total


@njit(cache=True, nogil=True)
def _add_pairs(attributes, pointers, pair_tags, change, factor, values):
    """Add `factor` times ``change[t, y]`` to the value of every pair of every token."""
    for t in range(len(attributes)):
        for k in range(attributes.shape[1]):
            a = attributes[t, k]
            if a >= 0:
                for pair in range(pointers[a], pointers[a + 1]):
                    values[pair] += factor * change[t, pair_tags[pair]]


@njit(cache=True, nogil=True)
def loss_and_gradient(
    attributes, offsets, tags, counts_of, pointers, pair_tags, weights, transition, allowed, starts, gradient, moves
):
    """Return Σ_d counts_of[d] · (log Z_d − score of the known tags); write its gradient into `gradient` and `moves`."""
    n_tags = len(transition)
    longest = longest_sequence(offsets)
    room, scores, marked = np.empty((2, longest, n_tags)), np.empty((longest, n_tags)), np.empty((longest, n_tags))
    matrix = np.exp(transition) * allowed
    gradient[:] = 0.0
    moves[:] = 0.0
    expected, observed = np.empty((1, n_tags, n_tags)), np.empty((1, n_tags, n_tags))
    loss = 0.0
    for d in range(len(offsets) - 1):
        begin, end = offsets[d], offsets[d + 1]
        if begin == end or counts_of[d] == 0.0:
            continue
        part, seen, mark = attributes[begin:end], scores[: end - begin], marked[: end - begin]
        score_tokens(part, pointers, pair_tags, weights, 1.0, seen)
        expected[:] = 0.0
        observed[:] = 0.0
        found = _observed(seen, tags[begin:end], transition, matrix, starts, room, mark, observed)
        loss += counts_of[d] * (chain_marginals(seen, matrix, starts, room, expected) - found)
        for t in range(end - begin):
            for y in range(n_tags):
                mark[t, y] = room[1, t, y] - mark[t, y]
        _add_pairs(part, pointers, pair_tags, mark, counts_of[d], gradient)
        moves += counts_of[d] * (expected[0] - observed[0])
    return loss


@njit(cache=True, nogil=True)
def learn_sentences(
    order,
    attributes,
    offsets,
    tags,
    counts_of,
    pointers,
    pair_tags,
    weights,
    transition,
    trained,
    allowed,
    starts,
    state,
):
    """Take one stochastic step per sentence, in this order; return the loss of each before its step, summed.

    `state` has the scale of `weights`, the number of steps so far, the first rate η₀ and the penalty λ of a step; the
    rate is η₀ / (1 + η₀ λ t). Transitions that are not `trained` keep their weight.
    """
    n_tags = len(transition)
    longest = longest_sequence(offsets)
    room, scores, marked = np.empty((2, longest, n_tags)), np.empty((longest, n_tags)), np.empty((longest, n_tags))
    expected, observed, matrix = (
        np.empty((1, n_tags, n_tags)),
        np.empty((1, n_tags, n_tags)),
        np.empty((n_tags, n_tags)),
    )
    loss = 0.0
    for d in order:
        begin, end = offsets[d], offsets[d + 1]
        rate = state[2] / (1.0 + state[2] * state[3] * state[1])
        state[1] += 1.0
        if begin == end or counts_of[d] == 0.0:
            continue
        for i in range(n_tags):
            for j in range(n_tags):
                matrix[i, j] = np.exp(transition[i, j]) * allowed[i, j]
                expected[0, i, j] = 0.0
                observed[0, i, j] = 0.0
        part, seen, mark = attributes[begin:end], scores[: end - begin], marked[: end - begin]
        score_tokens(part, pointers, pair_tags, weights, state[0], seen)
        found = _observed(seen, tags[begin:end], transition, matrix, starts, room, mark, observed)
        loss += counts_of[d] * (chain_marginals(seen, matrix, starts, room, expected) - found)
        for t in range(end - begin):
            for y in range(n_tags):
                mark[t, y] -= room[1, t, y]
        shrink, step = 1.0 - rate * state[3], rate * counts_of[d]
        state[0] *= shrink
        _add_pairs(part, pointers, pair_tags, mark, step / state[0], weights)
        for i in range(n_tags):
            for j in range(n_tags):
                if trained[i, j]:
                    transition[i, j] = shrink * transition[i, j] + step * (observed[0, i, j] - expected[0, i, j])
        if state[0] < 1e-9:  # before the scale underflows
            weights *= state[0]
            state[0] = 1.0
    return loss


@njit(cache=True, nogil=True)
def best_tags(attributes, offsets, pointers, pair_tags, weights, log_transition, log_starts, paths):
    """Write the most probable tags of every sentence (Viterbi)."""
    n_tags = len(log_starts)
    longest = longest_sequence(offsets)
    scores, origins = np.empty((longest, n_tags)), np.empty((longest, n_tags), dtype=np.int32)
    sizes, matrices = np.full(1, n_tags), log_transition.reshape((1, 1, n_tags, n_tags))
    for d in range(len(offsets) - 1):
        begin, end = offsets[d], offsets[d + 1]
        if begin == end:
            continue
        seen, origin = scores[: end - begin], origins[: end - begin]
        score_tokens(attributes[begin:end], pointers, pair_tags, weights, 1.0, seen)
        last = best_steps(seen, log_starts, False, matrices, n_tags - 1, sizes, origin)
        trace_back(origin, np.argmax(last), paths[begin:end])


@njit(cache=True, nogil=True)
def tag_marginals(attributes, offsets, tags, pointers, pair_tags, weights, matrix, starts, marginals, evidence):
    """Write p(tag | sentence) of every token, and log Z of every sentence; `tags` may be known in part, or empty."""
    n_tags = len(matrix)
    longest = longest_sequence(offsets)
    room, scores = np.empty((2, longest, n_tags)), np.empty((longest, n_tags))
    nothing = np.empty((0, n_tags, n_tags))
    for d in range(len(offsets) - 1):
        begin, end = offsets[d], offsets[d + 1]
        evidence[d] = 0.0
        if begin == end:
            continue
        seen = scores[: end - begin]
        score_tokens(attributes[begin:end], pointers, pair_tags, weights, 1.0, seen)
        if len(tags):
            for t in range(begin, end):
                for y in range(n_tags):
                    if tags[t] >= 0 and y != tags[t]:
                        seen[t - begin, y] = -np.inf
        evidence[d] = chain_marginals(seen, matrix, starts, room, nothing)
        if len(marginals):
            marginals[begin:end] = room[1, : end - begin]


@njit(cache=True, nogil=True)
def several_best(scores, log_transition, log_starts, n_best, paths, totals):
    """Write the `n_best` best tag sequences of one sentence, the best first; return their number.

    For every tag and position, the best `n_best` ways to reach it are kept, each with the previous tag and its rank.
    """
    n, n_tags = scores.shape
    best = np.full((n_tags, n_best), -np.inf)
    later = np.empty((n_tags, n_best))
    origin = np.zeros((n, n_tags, n_best), dtype=np.int64)
    best[:, 0] = log_starts + scores[0]
    candidates = np.empty(n_tags * n_best)
    for t in range(1, n):
        for y in range(n_tags):
            for i in range(n_tags):
                for r in range(n_best):
                    candidates[i * n_best + r] = best[i, r] + log_transition[i, y]
            order = np.argsort(-candidates)
            for r in range(n_best):
                origin[t, y, r] = order[r]
                later[y, r] = candidates[order[r]] + scores[t, y]
        best[:] = later
    ends = best.ravel()
    order = np.argsort(-ends)
    found = 0
    for r in range(n_best):
        place = order[r]
        if ends[place] == -np.inf:
            break
        totals[r] = ends[place]
        for t in range(n - 1, -1, -1):
            paths[r, t] = place // n_best
            place = origin[t, place // n_best, place % n_best]
        found += 1
    return found
