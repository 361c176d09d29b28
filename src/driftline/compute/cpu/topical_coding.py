"""Sparse topical coding: codes of the words of a document under a Poisson loss, and their statistics for the topics.

A document minimises over word codes s_n ≥ 0 and its own code θ ≥ 0

    Σ_n [ s_n·β_n − w_n log(s_n·β_n) + γ ‖s_n − θ‖² + ρ Σ_k s_nk ] + λ Σ_k θ_k .

Given θ, words are independent, and each is one equation: with m = s·β and t = w / m − 1 the best code is s_k(t) =
max(0, θ_k − ρ/2γ + tβ_k/2γ), and t is the root of (1 + t) Σ_k β_k s_k(t) = w. Given the codes, the best θ_k is max(0,
mean_n s_nk − λ / 2γN). One alternation is a proximal gradient step for θ, whose length 1 / 2γN matches the curvature,
so momentum (restarted whenever it would increase the objective) accelerates it.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

SMALLEST = 1e-12
MOST_STEPS = 60


@njit(cache=True, nogil=True)
def code_counts(counts, topics, penalties, tol, most_rounds, theta, pulls, uses):
    """Improve the codes θ of all documents in place, and return the sum of their objectives.

    `counts` are (indptr, indices, data) of documents × words, `topics` words × topics, `theta` documents × topics: a
    row of zeros starts from equal codes. `penalties` are (λ, γ, ρ). Rounds end when one lowers the objective by less
    than `tol` of it. Σ_d w_dn s_dnk β_kn / (s_dn·β_n) is added to `pulls` and Σ_d s_dnk to `uses`, both words × topics.
    """
    lam, gamma, rho = penalties
    n_topics = topics.shape[1]
    total = 0.0
    code = np.empty(n_topics)
    ahead, sums, best, new = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for d in range(counts[0].shape[0] - 1):
        first, last = counts[0][d], counts[0][d + 1]
        length = last - first
        own = theta[d]
        if length == 0:
            own[:] = 0.0
            continue
        if np.sum(own) <= 0.0:
            own[:] = np.sum(counts[2][first:last]) / (length * n_topics)
        roots = np.zeros(length)
        ahead[:] = own
        best[:] = own
        least, before, momentum = np.inf, np.inf, 1.0
        for _ in range(most_rounds):
            fixed = 0.0
            sums[:] = 0.0
            squares = 0.0
            for p in range(first, last):
                beta, w = topics[counts[1][p]], counts[2][p]
                roots[p - first] = _best_code(beta, w, ahead, gamma, rho, roots[p - first], code)
                mixed = 0.0
                for k in range(n_topics):
                    s = code[k]
                    mixed += s * beta[k]
                    sums[k] += s
                    squares += s * s
                fixed += mixed - w * np.log(max(mixed, SMALLEST))
            value, uphill = fixed + gamma * squares, 0.0
            for k in range(n_topics):
                new[k] = max(0.0, sums[k] / length - lam / (2.0 * gamma * length))
                value += gamma * new[k] * (length * new[k] - 2.0 * sums[k]) + rho * sums[k] + lam * new[k]
                uphill += (ahead[k] - new[k]) * (new[k] - own[k])
            if value < least:
                least = value
                best[:] = new
            if abs(before - value) <= tol * (abs(value) + 1.0):
                break
            before = value
            faster = 0.5 + np.sqrt(0.25 + momentum * momentum)
            weight = 0.0 if uphill > 0.0 else (momentum - 1.0) / faster
            momentum = 1.0 if uphill > 0.0 else faster
            for k in range(n_topics):
                ahead[k] = new[k] + weight * (new[k] - own[k])
                own[k] = new[k]
        own[:] = best
        for p in range(first, last):
            word, w = counts[1][p], counts[2][p]
            beta = topics[word]
            _best_code(beta, w, own, gamma, rho, roots[p - first], code)
            mixed = 0.0
            for k in range(n_topics):
                mixed += code[k] * beta[k]
                total += gamma * (code[k] - own[k]) ** 2 + rho * code[k]
                uses[word, k] += code[k]
            total += mixed - w * np.log(max(mixed, SMALLEST))
            for k in range(n_topics):
                pulls[word, k] += w * code[k] * beta[k] / max(mixed, SMALLEST)
        total += lam * np.sum(own)
    return total


@njit(cache=True, nogil=True)
def _best_code(beta, w, theta, gamma, rho, t, code):
    """Put the best code of a word into `code` and return its t; the search begins at the t given.

    For the topics that are active at some t, the equation is the quadratic bu² + (a − b)u = w in u = 1 + t, whose left
    side is nowhere above the true one; its root is therefore to the right of the true root, and iterating with the
    topics active there converges to it exactly in a few steps.
    """
    n_topics = beta.shape[0]
    shift, scale = rho / (2.0 * gamma), 1.0 / (2.0 * gamma)
    for _ in range(MOST_STEPS):
        a, b = 0.0, 0.0
        for k in range(n_topics):
            rest = theta[k] - shift
            if rest + t * beta[k] * scale > 0.0:
                a += beta[k] * rest
                b += beta[k] * beta[k] * scale
        if a <= 0.0 and b <= 0.0:  # no topic is active: use all of them
            for k in range(n_topics):
                a += beta[k] * (theta[k] - shift)
                b += beta[k] * beta[k] * scale
        if a <= 0.0 and b <= 0.0:  # a word of no topic
            t = 0.0
            break
        linear = a - b
        root = np.sqrt(linear * linear + 4.0 * b * w)
        new = (2.0 * w / (linear + root) if linear > 0.0 else (root - linear) / (2.0 * b)) - 1.0
        done = abs(new - t) <= 1e-13 * (1.0 + abs(t))
        t = new
        if done:
            break
    for k in range(n_topics):
        code[k] = max(0.0, theta[k] - shift + t * beta[k] * scale)
    return t


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
        low, high = -least, total  # at ν = total the sum is at most one, and above −least it decreases
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
