r"""Codes and topics under the Hellinger loss ‖√φ − √(Dβ)‖², by majorisation.

Topics sum to one, so the loss is 1 + Σ_k β_k − 2 Σ_v √(φ_v (Dβ)_v): it needs only the words of the context, and is
convex in β. With the current shares q_vk = D_vk β_k / (Dβ)_v, Jensen's inequality bounds every root from below by
Σ_k √(q_vk φ_v D_vk β_k), and the bound separates into one problem per topic. With s = √β_k it is

    (1 + λ) s² − 2 c_k s + ρ (s² − z_k)²,    c_k = √β_k Σ_v D_vk √(φ_v / (Dβ)_v),

whose minimum is c_k / (1 + λ) without ρ, and otherwise the positive root of 2ρs³ + (1 + λ − 2ρz_k) s = c_k.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.sparse_coding import codes_between, move_mean, packed_codes, with_capacity
from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def code_documents(contexts, offsets, postings, n_topics, start, penalties, tol, limits, threshold):
    """Return the codes (indptr, indices, data) of all contexts and the Hellinger loss of each.

    The arguments are those of `sparse_coding.code_documents`; `penalties` are (λ, ρ), `limits` the maximum numbers of
    rounds, steps and active topics. Steps end when one lowers the objective by less than `tol`. Codes below `threshold`
    times the sum of a context's codes, and those beyond the number allowed, are then dropped, and the others are
    optimised again. A context without a start begins with equal codes for all topics that share a word with it.
    """
    alpha, rho = penalties
    most_rounds, most_steps, most_active = limits
    n = contexts[0].shape[0] - 1
    indptr = np.zeros(n + 1, dtype=np.int64)
    indices = np.empty(max(4 * n, 16), dtype=np.int32)
    data = np.empty(indices.shape[0])
    losses = np.zeros(n)
    z = np.zeros(n_topics)
    place = np.full(n_topics, -1, dtype=np.int64)
    candidates = np.empty(n_topics, dtype=np.int64)
    beta = np.zeros(n_topics)
    factor = np.zeros(n_topics)
    size = 0
    for d in range(offsets.shape[0] - 1):
        first, last = offsets[d], offsets[d + 1]
        if first == last:
            continue
        base = size
        old_ptr, old_indices, old_data = codes_between(start[0], start[1], start[2], first, last)
        move_mean(old_indices, old_data, last - first, z)
        coupling = rho if old_indices.shape[0] else 0.0
        for turn in range(most_rounds):
            size = base
            for i in range(first, last):
                count = 0
                if old_ptr[i - first + 1] > old_ptr[i - first]:
                    for p in range(old_ptr[i - first], old_ptr[i - first + 1]):
                        candidates[count], beta[count] = old_indices[p], old_data[p]
                        place[old_indices[p]] = count
                        count += 1
                else:
                    for p in range(contexts[0][i], contexts[0][i + 1]):
                        for q in range(postings[0][contexts[1][p]], postings[0][contexts[1][p] + 1]):
                            if place[postings[1][q]] < 0:
                                candidates[count] = postings[1][q]
                                place[postings[1][q]] = count
                                count += 1
                    for c in range(count):
                        beta[c] = 1.0 / count
                here = (alpha, coupling)
                _settle(contexts, i, postings, place, candidates, beta, factor, count, z, here, tol, most_steps)
                if threshold > 0.0 or count > most_active:
                    count = _drop(candidates, beta, place, count, threshold, most_active)
                    _settle(contexts, i, postings, place, candidates, beta, factor, count, z, here, tol, most_steps)
                losses[i] = max(_loss(contexts, i, postings, place, beta, count), 0.0)
                indices, data = with_capacity(indices, data, size + count)
                for c in range(count):
                    place[candidates[c]] = -1
                    if beta[c] > 0.0:
                        indices[size] = candidates[c]
                        data[size] = beta[c]
                        size += 1
                indptr[i + 1] = size
            if rho == 0.0:
                break
            moved = rho * move_mean(indices[base:size], data[base:size], last - first, z)
            coupling = rho
            if moved <= tol or turn + 1 == most_rounds:
                break
            indptr[first] = base
            old_ptr, old_indices, old_data = codes_between(indptr, indices, data, first, last)
        indptr[last] = size
    return packed_codes(indptr, indices, data, size), losses


@njit(cache=True, nogil=True)
def _settle(contexts, i, postings, place, candidates, beta, factor, count, z, penalties, tol, most_steps):
    """Take majorised steps until the objective falls by less than `tol`."""
    alpha, rho = penalties
    before = np.inf
    for _ in range(most_steps):
        factor[:count] = 0.0
        value = 0.0
        for p in range(contexts[0][i], contexts[0][i + 1]):
            word, weight = contexts[1][p], contexts[2][p]
            mixed = 0.0
            for q in range(postings[0][word], postings[0][word + 1]):
                c = place[postings[1][q]]
                if c >= 0:
                    mixed += postings[2][q] * beta[c]
            if mixed <= 0.0:
                continue
            value -= 2.0 * np.sqrt(weight * mixed)
            ratio = np.sqrt(weight / mixed)
            for q in range(postings[0][word], postings[0][word + 1]):
                c = place[postings[1][q]]
                if c >= 0:
                    factor[c] += postings[2][q] * ratio
        for c in range(count):
            value += (1.0 + alpha) * beta[c] + rho * (beta[c] - z[candidates[c]]) ** 2
        if before - value < tol:
            break
        before = value
        for c in range(count):
            pull = np.sqrt(beta[c]) * factor[c]
            root = pull / (1.0 + alpha)
            if rho > 0.0:
                root = _positive_root(2.0 * rho, 1.0 + alpha - 2.0 * rho * z[candidates[c]], pull)
            beta[c] = root * root


@njit(cache=True, nogil=True)
def _positive_root(cubic, linear, constant):
    """Return the positive root of cubic·s³ + linear·s = constant ≥ 0, by Newton's method from its right."""
    if constant <= 0.0:
        return np.sqrt(max(-linear / cubic, 0.0)) if linear < 0.0 else 0.0
    s = max(constant ** (1.0 / 3.0) / cubic ** (1.0 / 3.0), 1e-150)
    if linear < 0.0:
        s += np.sqrt(-linear / cubic)
    elif linear > 0.0:
        s = min(s, constant / linear)
    for _ in range(100):
        step = (cubic * s**3 + linear * s - constant) / (3.0 * cubic * s**2 + linear)
        s -= step
        if abs(step) <= 1e-15 * s:
            break
    return max(s, 0.0)


@njit(cache=True, nogil=True)
def _drop(candidates, beta, place, count, threshold, most_active):
    total = np.sum(beta[:count])
    floor = threshold * total
    if count > most_active:
        floor = max(floor, np.sort(beta[:count])[count - most_active])
    kept = 0
    for c in range(count):
        j, value = candidates[c], beta[c]
        if value >= floor and value > 0.0 and kept < most_active:
            candidates[kept], beta[kept], place[j] = j, value, kept
            kept += 1
        else:
            place[j] = -1
    return kept


@njit(cache=True, nogil=True)
def _loss(contexts, i, postings, place, beta, count):
    loss = 0.0
    for c in range(count):
        loss += beta[c]
    for p in range(contexts[0][i], contexts[0][i + 1]):
        mixed = 0.0
        for q in range(postings[0][contexts[1][p]], postings[0][contexts[1][p] + 1]):
            c = place[postings[1][q]]
            if c >= 0:
                mixed += postings[2][q] * beta[c]
        loss += contexts[2][p] - 2.0 * np.sqrt(contexts[2][p] * mixed)
    return loss


@njit(cache=True, nogil=True)
def add_pulls(contexts, codes, n_topics, weights, postings, pulls):
    """Add Σ_i w_i √D_vk β_ik √(φ_iv / (Dβ)_iv) of these contexts to `pulls`, one number for each entry of `postings`.

    The topics that maximise the bound are D_vk ∝ (their entry)².
    """
    beta = np.zeros(n_topics)
    for i in range(contexts[0].shape[0] - 1):
        for p in range(codes[0][i], codes[0][i + 1]):
            beta[codes[1][p]] = codes[2][p]
        for p in range(contexts[0][i], contexts[0][i + 1]):
            word = contexts[1][p]
            mixed = 0.0
            for q in range(postings[0][word], postings[0][word + 1]):
                mixed += postings[2][q] * beta[postings[1][q]]
            if mixed <= 0.0:
                continue
            ratio = weights[i] * np.sqrt(contexts[2][p] / mixed)
            for q in range(postings[0][word], postings[0][word + 1]):
                if beta[postings[1][q]] > 0.0:
                    pulls[q] += ratio * beta[postings[1][q]] * np.sqrt(postings[2][q])
        for p in range(codes[0][i], codes[0][i + 1]):
            beta[codes[1][p]] = 0.0
