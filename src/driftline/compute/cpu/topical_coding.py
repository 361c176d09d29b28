"""Sparse topical coding: codes of the words of a document under a Poisson loss, and what they say about the topics.

A document minimises over word codes s_n ≥ 0 and its own code θ ≥ 0

    Σ_n [ s_n·β_n − w_n log(s_n·β_n) + γ ‖s_n − θ‖² + ρ Σ_k s_nk ] + λ Σ_k θ_k .

One s_k with the others fixed solves 2γβ s² + (2γc + gβ) s + gc − wβ = 0 with c = Σ_{l≠k} s_l β_l, g = β + ρ − 2γθ; the
best θ_k is max(0, mean_n s_nk − λ / (2γN)).
"""

from __future__ import annotations

import numpy as np
from numba import njit

SMALLEST = 1e-12


@njit(cache=True, nogil=True)
def code_counts(counts, topics, penalties, tol, most_rounds, pulls, uses):
    """Return the codes θ of all documents, dense, and the sum of their objectives.

    `counts` are (indptr, indices, data) of documents × words, `topics` words × topics; `penalties` are (λ, γ, ρ).
    Σ_d w_dn s_dnk β_kn / (s_dn·β_n) is added to `pulls` and Σ_d s_dnk to `uses`, both words × topics.
    """
    lam, gamma, rho = penalties
    n_topics = topics.shape[1]
    n = counts[0].shape[0] - 1
    theta = np.zeros((n, n_topics))
    total = 0.0
    for d in range(n):
        first, last = counts[0][d], counts[0][d + 1]
        length = last - first
        if length == 0:
            continue
        own = theta[d]
        codes = np.zeros((length, n_topics))
        mean = 0.0
        for p in range(first, last):
            mean += counts[2][p] / length
        for k in range(n_topics):
            own[k] = mean / n_topics
            codes[:, k] = own[k]
        before = np.inf
        for _ in range(most_rounds):
            value = 0.0
            for p in range(first, last):
                beta, s, w = topics[counts[1][p]], codes[p - first], counts[2][p]
                mixed = 0.0
                for k in range(n_topics):
                    mixed += s[k] * beta[k]
                for k in range(n_topics):
                    rest = max(mixed - s[k] * beta[k], 0.0)
                    wanted = _best_code(beta[k], rest, w, gamma, beta[k] + rho - 2.0 * gamma * own[k])
                    mixed = rest + wanted * beta[k]
                    s[k] = wanted
                value += mixed - w * np.log(max(mixed, SMALLEST))
            for k in range(n_topics):
                middle = 0.0
                for i in range(length):
                    middle += codes[i, k]
                own[k] = max(0.0, middle / length - lam / (2.0 * gamma * length))
                for i in range(length):
                    value += gamma * (codes[i, k] - own[k]) ** 2 + rho * codes[i, k]
                value += lam * own[k]
            if before - value <= tol * (abs(value) + 1.0):
                before = min(before, value)
                break
            before = value
        total += before
        for p in range(first, last):
            word = counts[1][p]
            mixed = 0.0
            for k in range(n_topics):
                mixed += codes[p - first, k] * topics[word, k]
            for k in range(n_topics):
                s = codes[p - first, k]
                pulls[word, k] += counts[2][p] * s * topics[word, k] / max(mixed, SMALLEST)
                uses[word, k] += s
    return theta, total


@njit(cache=True, nogil=True)
def _best_code(beta, rest, w, gamma, slope):
    """Return the s ≥ 0 that minimises s·slope + γs² − w log(rest + sβ)."""
    if beta <= 0.0:
        return max(0.0, -slope / (2.0 * gamma))
    linear = 2.0 * gamma * rest + slope * beta
    constant = slope * rest - w * beta
    square = linear * linear - 8.0 * gamma * beta * constant
    if constant >= 0.0 and linear >= 0.0:
        return 0.0
    root = np.sqrt(max(square, 0.0))
    # The form without cancellation.
    if linear > 0.0:
        return max(0.0, -2.0 * constant / (linear + root))
    return max(0.0, (root - linear) / (4.0 * gamma * beta))


@njit(cache=True, nogil=True)
def best_topics(topics, pulls, uses):
    """Replace every topic by the minimum of the bound −C log β + E β on the simplex: β = C / (E + ν), in place."""
    for k in range(topics.shape[1]):
        total = 0.0
        for v in range(topics.shape[0]):
            total += pulls[v, k]
        if total <= 0.0:
            continue
        least = np.inf
        for v in range(topics.shape[0]):
            if pulls[v, k] > 0.0:
                least = min(least, uses[v, k])
        low, high = -least, total  # at ν = total the sum is at most one, and above −least it falls
        for _ in range(200):
            middle = 0.5 * (low + high)
            mass = 0.0
            for v in range(topics.shape[0]):
                if pulls[v, k] > 0.0:
                    mass += pulls[v, k] / max(uses[v, k] + middle, 1e-300)
            if mass > 1.0:
                low = middle
            else:
                high = middle
        mass = 0.0
        for v in range(topics.shape[0]):
            topics[v, k] = pulls[v, k] / max(uses[v, k] + high, 1e-300) if pulls[v, k] > 0.0 else 0.0
            mass += topics[v, k]
        for v in range(topics.shape[0]):
            topics[v, k] /= mass
