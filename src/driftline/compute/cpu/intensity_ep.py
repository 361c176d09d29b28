r"""Expectation propagation for IDA-IT: one chain of levels per topic, coupled by the documents.

Summed over the other topics' cavity beliefs, the site of document t for chain k is

    f_tk(l) = e^{-λ_l Δ} (λ_l p_tk + Σ_{j≠k} p_tj m_tj)                                        (1)
    m_tj    = Σ_l q_tj(l) e^{-λ_l Δ} λ_l / Σ_l q_tj(l) e^{-λ_l Δ}                              (2)

where q_tj is chain j's belief without document t (from the left times from the right) and p_tk = p(w_t | k). The
topic's posterior is proportional to p_tk m_tk (3). A sweep runs every chain forward and backward on the sites (1) and
then moves log m halfway to (2); without this damping it oscillates. S_t = Σ_j p_tj m_tj is stored; chains need no other
information about each other.

Layout: a message is [level, topic] with contiguous topics, so that one instruction processes several topics. All arrays
have the type of `text` (float32 or float64). `steps` is a matrix A[i, j] = p(j | i) for all documents if `speeds` is
empty; otherwise it contains the eigenvectors and `speeds` the eigenvalues of Q, and the matrix before document t is
e^{QΔ}.
"""

import numpy as np

from driftline.compute.cpu.intensity_chains import step_matrix
from driftline.compute.jit import njit

SEGMENT = 512
LEAST = 1e-30  # keeps products of two such numbers within float32, where denormals would be slow


@njit(cache=True, nogil=True)
def _decay_of(rates, gap, least, decay):
    """Fill `decay` with e^{-(λ_l - λ_0) Δ}: relative to the lowest level, to avoid underflow in long gaps."""
    for l in range(len(rates)):
        value = np.exp(-(rates[l] - rates[0]) * gap)
        decay[l] = value if value > least else least


@njit(cache=True, nogil=True)
def move(message, matrix, band, moved):
    """Write Σ_i A[i, l] message[i] of every topic into `moved`."""
    n_levels, width = message.shape
    for l in range(n_levels):
        row = moved[l]
        stay = matrix[l, l]
        here = message[l]
        if band == 1 and 0 < l < n_levels - 1:  # the common case, in one pass
            up, down = matrix[l - 1, l], matrix[l + 1, l]
            below, above = message[l - 1], message[l + 1]
            for k in range(width):
                row[k] = stay * here[k] + up * below[k] + down * above[k]
            continue
        for k in range(width):
            row[k] = stay * here[k]
        for i in range(max(0, l - band), min(n_levels, l + band + 1)):
            if i != l:
                weight = matrix[i, l]
                there = message[i]
                for k in range(width):
                    row[k] += weight * there[k]


@njit(cache=True, nogil=True)
def absorb(predicted, text, others, rates, decay, floor, message, total):
    """Write the belief after a document, Eq. 1 times `predicted`, into `message`; it sums to one over the levels."""
    n_levels, width = predicted.shape
    for l in range(n_levels):
        rate, fade = rates[l], decay[l]
        row, before = message[l], predicted[l]
        for k in range(width):
            row[k] = before[k] * fade * (rate * text[k] + others[k])
    _sum_levels(message, total)
    _invert(floor, total)
    least = floor[0]
    for l in range(n_levels):
        row = message[l]
        for k in range(width):
            value = row[k] * total[k]
            row[k] = value if value > least else least


@njit(cache=True, nogil=True)
def _invert(floor, total):
    """Replace totals by their inverses: one division per topic, then products."""
    one = floor[0] / floor[0]
    for k in range(len(total)):
        total[k] = one / total[k]


@njit(cache=True, nogil=True)
def _sum_levels(message, total):
    n_levels, width = message.shape
    first = message[0]
    for k in range(width):
        total[k] = first[k]
    for l in range(1, n_levels):
        row = message[l]
        for k in range(width):
            total[k] += row[k]


@njit(cache=True, nogil=True)
def mean_rates(cavity, rates, decay, mass, mean):
    """Write Eq. 2 into `mean`, and the belief's mass at the gap, Σ_l q(l) e^{-λ_l Δ}, into `mass`."""
    n_levels, width = cavity.shape
    for k in range(width):
        mass[k] = cavity[0, k] * decay[0]
        mean[k] = mass[k] * rates[0]
    for l in range(1, n_levels):
        rate, fade = rates[l], decay[l]
        row = cavity[l]
        for k in range(width):
            part = row[k] * fade
            mass[k] += part
            mean[k] += part * rate
    for k in range(width):
        mean[k] /= mass[k]


@njit(cache=True, nogil=True)
def filter_stream(text, gaps, rates, steps, speeds, band, message, moves_first, means, mixed):
    """Run all chains forward once; write m_t from the past alone into `means`, S_t into `mixed`.

    This is the online filter. `message` (levels × topics) contains the belief before the first document and, on return,
    that after the last one. With `moves_first` it is not a prior but an earlier belief, and the first document applies
    a transition to it. Returns the logarithm of p(Δ, w of all documents) as predicted one document ahead.
    """
    n, width = text.shape
    n_levels = len(rates)
    kind = text.dtype
    matrix, decay = steps.copy(), np.empty(n_levels, kind)
    predicted = np.empty((n_levels, width), kind)
    total, mass, others = np.empty(width, kind), np.empty(width, kind), np.empty(width, kind)
    floor = np.full(1, LEAST).astype(kind)
    evidence = 0.0
    for t in range(n):
        step_matrix(steps, speeds, gaps[t], matrix)
        _decay_of(rates, gaps[t], LEAST, decay)
        if t > 0 or moves_first:
            move(message, matrix, band, predicted)
        else:
            predicted[:] = message
        mean = means[t]
        mean_rates(predicted, rates, decay, mass, mean)
        sum_mixed, factor = 0.0, 1.0
        for k in range(width):
            sum_mixed += text[t, k] * mean[k]
            factor *= mass[k]
            if factor < 1e-200:
                evidence += np.log(factor)
                factor = 1.0
        mixed[t] = sum_mixed
        for k in range(width):
            rest = mixed[t] - text[t, k] * mean[k]
            others[k] = rest if rest > 0 else floor[0] * 0
        evidence += np.log(factor) + np.log(sum_mixed) - width * rates[0] * gaps[t]
        absorb(predicted, text[t], others, rates, decay, floor, message, total)
    return evidence


@njit(cache=True, nogil=True)
def mix(text, means, mixed):
    """Write S_t = Σ_j p_tj m_tj into `mixed`."""
    n, width = text.shape
    for t in range(n):
        total = 0.0
        for k in range(width):
            total += text[t, k] * means[t, k]
        mixed[t] = total


def as_shares(topics):
    """Divide rows by their sums, in place."""
    topics /= topics.sum(axis=1, keepdims=True)


@njit(cache=True, nogil=True)
def _rest_of(mixed, text, mean, zero, others):
    for k in range(len(text)):
        rest = mixed - text[k] * mean[k]
        others[k] = rest if rest > zero else zero


@njit(cache=True, nogil=True)
def decays_of(gaps, rates):
    """Return e^{-(λ_l - λ_0) Δ} of every document and level, in the type of `rates`."""
    decays = np.empty((len(gaps), len(rates)), rates.dtype)
    for t in range(len(gaps)):
        _decay_of(rates, gaps[t], LEAST, decays[t])
    return decays


@njit(cache=True, nogil=True)
def sweep(
    text, decays, gaps, rates, steps, speeds, band, prior, means, mixed, begin, end, tail, results, moves, counts
):
    """Run the chains `begin` to `end` forward and backward and move their `means` halfway to Eq. 2.

    Returns the largest change of a topic's posterior. Beliefs are stored only at the beginning of every block; a block
    is run forward again when the backward pass reaches it. `decays` are those of `decays_of`: computing them here would
    cost every group of chains as much as a third of a hundred chains.

    With `results` (topics' posteriors up to a factor per document, intensities, three levels) not empty, this is the
    last sweep, which only writes its results there; the first two may be `text` and `means` themselves. With `moves`
    (topics × L × L) not empty it also counts the transitions of the levels, and in `counts` (topics × 3 × L) first
    levels, events, exposure: by topic, so that sums over topics do not depend on their grouping.
    """
    n = len(text)
    width, n_levels = end - begin, len(rates)
    kind = text.dtype
    shape = (n_levels, width)
    matrix = steps.copy()
    message, behind, scratch = np.empty(shape, kind), np.ones(shape, kind), np.empty(shape, kind)
    total, mass, others, fresh = (
        np.empty(width, kind),
        np.empty(width, kind),
        np.empty(width, kind),
        np.empty(width, kind),
    )
    change, held = np.zeros(width, kind), np.empty(width, kind)
    floor = np.full(1, LEAST).astype(kind)
    zero = floor[0] * 0
    n_segments = (n + SEGMENT - 1) // SEGMENT
    beliefs = np.empty((n_segments, n_levels, width), kind)
    predicted = np.empty((SEGMENT, n_levels, width), kind)
    last, counting = len(results[0]) > 0, len(moves) > 0
    for l in range(n_levels):
        message[l, :] = prior[l]
    for t in range(n):
        if t % SEGMENT == 0:
            beliefs[t // SEGMENT] = message
        step_matrix(steps, speeds, gaps[t], matrix)
        decay = decays[t]
        if t > 0:
            move(message, matrix, band, scratch)
        else:
            scratch[:] = message
        here = text[t, begin:end]
        _rest_of(mixed[t], here, means[t, begin:end], zero, others)
        absorb(scratch, here, others, rates, decay, floor, message, total)
    for number in range(n_segments - 1, -1, -1):
        start = number * SEGMENT
        stop = min(n, start + SEGMENT)
        message[:] = beliefs[number]
        for t in range(start, stop):
            step_matrix(steps, speeds, gaps[t], matrix)
            if t > 0:
                move(message, matrix, band, predicted[t - start])
            else:
                predicted[0] = message
            if t + 1 < stop:
                decay = decays[t]
                here = text[t, begin:end]
                _rest_of(mixed[t], here, means[t, begin:end], zero, others)
                absorb(predicted[t - start], here, others, rates, decay, floor, message, total)
        for t in range(stop - 1, start - 1, -1):
            decay = decays[t]
            before = predicted[t - start]
            here, mean = text[t, begin:end], means[t, begin:end]
            if last:  # the results may be written over the text
                held[:] = here
                here = held
            _rest_of(mixed[t], here, mean, zero, others)
            for l in range(n_levels):
                row, right, left = scratch[l], behind[l], before[l]
                for k in range(width):
                    row[k] = left[k] * right[k]
            mean_rates(scratch, rates, decay, mass, fresh)
            if last:
                _write_results(scratch, here, others, rates, decay, gaps[t], fresh, tail, t, begin, results, counts)
            else:
                share = mixed[t]
                for k in range(width):
                    old = mean[k]
                    new = np.sqrt(old * fresh[k])
                    step = abs(new - old) * here[k] / share
                    change[k] = step if step > change[k] else change[k]
                    mean[k] = new
            # The message to the previous document: site times message, after a backward transition, on the scale of the
            # evidence
            for k in range(width):
                total[k] = mass[k] * (here[k] * fresh[k] + others[k])
            _invert(floor, total)
            least = floor[0]
            for l in range(n_levels):
                rate, fade = rates[l], decay[l]
                row, right = scratch[l], behind[l]
                for k in range(width):
                    value = right[k] * fade * (rate * here[k] + others[k]) * total[k]
                    row[k] = value if value > least else least
            if t > 0:
                step_matrix(steps, speeds, gaps[t], matrix)
                move(scratch, matrix.T, band, behind)
                if counting:
                    if t > start:
                        _belief_after(t - 1, predicted[t - 1 - start], text, gaps, means, mixed, rates, begin, message)
                    else:
                        message[:] = beliefs[number]
                    _count_moves(message, matrix, band, scratch, moves[begin:end])
            elif counting:
                for l in range(n_levels):
                    for k in range(width):
                        counts[begin + k, 0, l] += before[l, k] * scratch[l, k]
    largest = 0.0
    for k in range(width):
        largest = max(largest, change[k])
    return largest


@njit(cache=True, nogil=True)
def _belief_after(t, predicted, text, gaps, means, mixed, rates, begin, message):
    """Write the belief after document t, given the one before it, into `message`."""
    n_levels, width = predicted.shape
    for k in range(width):
        p, mean = text[t, begin + k], means[t, begin + k]
        rest = max(mixed[t] - p * mean, 0.0)
        total = 0.0
        for l in range(n_levels):
            fade = max(np.exp(-(rates[l] - rates[0]) * gaps[t]), LEAST)
            value = predicted[l, k] * fade * (rates[l] * p + rest)
            message[l, k] = value
            total += value
        for l in range(n_levels):
            message[l, k] /= total


@njit(cache=True, nogil=True)
def _count_moves(belief, matrix, band, behind, moves):
    n_levels, width = belief.shape
    for k in range(width):
        total = 0.0
        for i in range(n_levels):
            for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                total += belief[i, k] * matrix[i, j] * behind[j, k]
        for i in range(n_levels):
            for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                moves[k, i, j] += belief[i, k] * matrix[i, j] * behind[j, k] / total


@njit(cache=True, nogil=True)
def _write_results(cavity, text, others, rates, decay, gap, mean, tail, t, begin, results, counts):
    """Write posterior, intensity and quantile levels of one document; count events and exposure of the levels."""
    topics, intensity, lower, middle, upper = results
    n_levels, width = cavity.shape
    for k in range(width):
        total, event_total = 0.0, 0.0
        for l in range(n_levels):
            total += cavity[l, k] * decay[l] * (rates[l] * text[k] + others[k])
            event_total += cavity[l, k] * decay[l] * rates[l]
        below, average = 0.0, 0.0
        low, mid, high = 0, 0, 0
        share = text[k] * mean[k] / (text[k] * mean[k] + others[k])
        for l in range(n_levels):
            part = cavity[l, k] * decay[l] * (rates[l] * text[k] + others[k]) / total
            average += part * rates[l]
            below += part
            if l < n_levels - 1:
                low += below < tail
                mid += below < 0.5
                high += below < 1.0 - tail
            if len(counts) > 0:
                counts[begin + k, 1, l] += share * cavity[l, k] * decay[l] * rates[l] / event_total
                counts[begin + k, 2, l] += part * gap
        topics[t, begin + k] = text[k] * mean[k]
        intensity[t, begin + k] = average
        lower[t, begin + k], middle[t, begin + k], upper[t, begin + k] = low, mid, high
