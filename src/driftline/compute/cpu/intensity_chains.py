r"""One topic's chain of levels if the documents' topics are known, fully or partly.

Given the labels the chains of IDA-IT separate: with weight w_t = 1 if document t belongs to the topic, else 0 (or in
between, its expectation), the input of the chain is

    site_t(l) = λ_l^{w_t} e^{-λ_l Δ_t}                                                      (1)

`steps` and `speeds` define the transitions of levels, as in `intensity_ep`: a constant matrix, or eigenvectors and
eigenvalues of Q.
"""

import numpy as np

from driftline.compute.cpu.resampling import draw
from driftline.compute.jit import njit

LEAST = 1e-300


@njit(cache=True, nogil=True)
def step_matrix(steps, speeds, gap, matrix):
    """Fill `matrix` with e^{QΔ}; with a constant matrix (no `speeds`) there is nothing to do."""
    n = len(speeds)
    for i in range(n):
        for j in range(n):
            total = 0.0
            for l in range(n):
                total += steps[i, l] * np.exp(speeds[l] * gap) * steps[j, l]
            matrix[i, j] = max(total, 0.0)


@njit(cache=True, nogil=True)
def _site(rates, weight, gap, site):
    """Fill `site` with Eq. 1, scaled; return the log of the scale."""
    largest = -np.inf
    for l in range(len(rates)):
        site[l] = weight * np.log(rates[l]) - rates[l] * gap
        largest = max(largest, site[l])
    for l in range(len(rates)):
        site[l] = np.exp(site[l] - largest)
    return largest


@njit(cache=True, nogil=True)
def filter_chain(weights, gaps, rates, steps, speeds, band, prior, filtered):
    """Write p(l_t | documents up to t) into `filtered` (documents × levels); return the log of the chain's evidence."""
    n, n_levels = len(gaps), len(rates)
    matrix, site, predicted = steps.copy(), np.empty(n_levels), prior.copy()
    evidence = 0.0
    for t in range(n):
        if t > 0:
            step_matrix(steps, speeds, gaps[t], matrix)
            for j in range(n_levels):
                total = 0.0
                for i in range(max(0, j - band), min(n_levels, j + band + 1)):
                    total += filtered[t - 1, i] * matrix[i, j]
                predicted[j] = max(total, LEAST)
        evidence += _site(rates, weights[t], gaps[t], site)
        total = 0.0
        for l in range(n_levels):
            filtered[t, l] = predicted[l] * site[l]
            total += filtered[t, l]
        for l in range(n_levels):
            filtered[t, l] /= total
        evidence += np.log(total)
    return evidence


@njit(cache=True, nogil=True)
def smooth_chain(weights, gaps, rates, steps, speeds, band, prior, levels, moves):
    """Write p(l_t | all documents) into `levels` and return the log-evidence.

    Expected transitions are added to `moves` unless it is empty.
    """
    n, n_levels = levels.shape
    evidence = filter_chain(weights, gaps, rates, steps, speeds, band, prior, levels)
    matrix, site = steps.copy(), np.empty(n_levels)
    message, behind = np.ones(n_levels), np.empty(n_levels)
    joint = np.empty((n_levels, n_levels))
    for t in range(n - 1, 0, -1):
        step_matrix(steps, speeds, gaps[t], matrix)
        _site(rates, weights[t], gaps[t], site)
        total = 0.0
        for l in range(n_levels):
            behind[l] = site[l] * message[l]
            levels[t, l] *= message[l]
            total += levels[t, l]
        for l in range(n_levels):
            levels[t, l] /= total
        scale, mass = 0.0, 0.0
        for i in range(n_levels):
            total = 0.0
            for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                total += matrix[i, j] * behind[j]
                if len(moves) > 0:
                    joint[i, j] = levels[t - 1, i] * matrix[i, j] * behind[j]
                    mass += joint[i, j]
            message[i] = total
            scale += total
        for i in range(n_levels):
            message[i] *= n_levels / scale
            if len(moves) > 0:
                for j in range(max(0, i - band), min(n_levels, i + band + 1)):
                    moves[i, j] += joint[i, j] / mass
    if n > 0:
        total = 0.0
        for l in range(n_levels):
            levels[0, l] *= message[l]
            total += levels[0, l]
        for l in range(n_levels):
            levels[0, l] /= total
    return evidence


@njit(cache=True, nogil=True)
def _draw(weights, uniform):
    """Return an index drawn in proportion to the weights."""
    total = 0.0
    for w in weights:
        total += w
    return draw(weights, uniform * total)


@njit(cache=True, nogil=True)
def sample_levels(weights, gaps, rates, steps, speeds, band, prior, uniforms, filtered, path):
    """Draw a whole path of levels from its posterior: forward filtering, backward sampling."""
    n, n_levels = filtered.shape
    filter_chain(weights, gaps, rates, steps, speeds, band, prior, filtered)
    matrix, chance = steps.copy(), np.empty(n_levels)
    for t in range(n - 1, -1, -1):
        if t == n - 1:
            path[t] = _draw(filtered[t], uniforms[t])
            continue
        step_matrix(steps, speeds, gaps[t + 1], matrix)
        for l in range(n_levels):
            chance[l] = filtered[t, l] * matrix[l, path[t + 1]]
        path[t] = _draw(chance, uniforms[t])


@njit(cache=True, nogil=True)
def sample_topics(text, rates, levels, uniforms, topics, proba):
    """Draw every document's topic given the levels, and add its probabilities to `proba`."""
    n, n_topics = text.shape
    chance = np.empty(n_topics)
    for t in range(n):
        total = 0.0
        for k in range(n_topics):
            chance[k] = text[t, k] * rates[levels[k, t]]
            total += chance[k]
        topics[t] = _draw(chance, uniforms[t])
        for k in range(n_topics):
            proba[t, k] += chance[k] / total


@njit(cache=True, nogil=True)
def expected_topics(text, log_rate, topics):
    """Write q(c_t = k) ∝ p_tk exp(E log λ_k) into `topics`; return Σ_t,k q (log p - log q)."""
    n, n_topics = text.shape
    gain = 0.0
    for t in range(n):
        largest = -np.inf
        for k in range(n_topics):
            if text[t, k] > 0:
                largest = max(largest, log_rate[t, k])
        total = 0.0
        for k in range(n_topics):
            topics[t, k] = text[t, k] * np.exp(log_rate[t, k] - largest) if text[t, k] > 0 else 0.0
            total += topics[t, k]
        for k in range(n_topics):
            topics[t, k] /= total
            if topics[t, k] > 0:
                gain += topics[t, k] * (np.log(text[t, k]) - np.log(topics[t, k]))
    return gain


@njit(cache=True, nogil=True)
def mean_field_chain(weights, gaps, rates, log_moves, log_prior, levels):
    """Update every q(l_t) of one chain in turn given its neighbours'; return the largest change of a probability.

    `log_moves` (1 or documents, L, L) contains log-probabilities, none of them infinite.
    """
    n, n_levels = levels.shape
    fresh = np.empty(n_levels)
    change = 0.0
    for t in range(n):
        for l in range(n_levels):
            value = weights[t] * np.log(rates[l]) - rates[l] * gaps[t]
            if t == 0:
                value += log_prior[l]
            else:
                into = log_moves[t if len(log_moves) > 1 else 0]
                for i in range(n_levels):
                    value += levels[t - 1, i] * into[i, l]
            if t + 1 < n:
                onward = log_moves[t + 1 if len(log_moves) > 1 else 0]
                for j in range(n_levels):
                    value += levels[t + 1, j] * onward[l, j]
            fresh[l] = value
        fresh -= fresh.max()
        fresh[:] = np.exp(fresh)
        fresh /= fresh.sum()
        for l in range(n_levels):
            change = max(change, abs(fresh[l] - levels[t, l]))
            levels[t, l] = fresh[l]
    return change
