r"""Gibbs sampling of binary features of rows under an Indian buffet process, with their effects integrated out.

A row is :math:`x_i = z_i A + \varepsilon` with normal effects A (variance :math:`\sigma_A^2`) and noise (variance
:math:`\sigma_X^2`). Given all other rows, effects have the mean μ (features × columns) and the covariance
:math:`\sigma_X^2 M` (the same for every column), :math:`M = (Z^\top Z + \sigma_X^2 / \sigma_A^2)^{-1}` (1), so that

.. math:: x_i \mid z_i \sim \mathcal{N}\bigl(z_i \mu,\; \sigma_X^2 (1 + z_i M z_i^\top + s\, \sigma_A^2 /
          \sigma_X^2)\bigr)                                                                                       (2)

in every column, where s is the number of features that only row i has. A feature that :math:`m_k` other rows have is
drawn with prior odds :math:`m_k / (N - m_k)`, s with the prior Poisson(α / N) (3). Removing or adding a row is a
rank-one update of M and μ (4).
"""

import math

import numpy as np

from driftline.compute.cpu.lda_gibbs import begin_random
from driftline.compute.cpu.ngram_seating import next_uniform
from driftline.compute.cpu.resampling import draw
from driftline.compute.jit import njit

MOST_NEW = 20
"""Largest number of features of a row alone."""


@njit(cache=True, nogil=True)
def _log_density(square, n_columns, variance):
    """Return the log-density of residuals with this sum of squares, without constants."""
    return -0.5 * (n_columns * math.log(variance) + square / variance)


@njit(cache=True, nogil=True)
def _change_row(z, x, K, M, mu, gain, residual, sign):
    """Add a row to M and μ (sign 1) or remove it (sign -1) (4); `gain` and `residual` are scratch."""
    spread = 0.0
    for k in range(K):
        gain[k] = 0.0
        for j in range(K):
            if z[j]:
                gain[k] += M[k, j]
        if z[k]:
            spread += gain[k]
    for d in range(len(x)):
        residual[d] = x[d]
        for k in range(K):
            if z[k]:
                residual[d] -= mu[k, d]
    scale = sign / (1.0 + sign * spread)
    for k in range(K):
        for d in range(len(x)):
            mu[k, d] += scale * gain[k] * residual[d]
        for j in range(K):
            M[k, j] -= scale * gain[k] * gain[j]


@njit(cache=True, nogil=True)
def _drop(k, K, Z, uses, M, mu):
    """Replace feature k by the last feature."""
    last = K - 1
    if k < last:
        Z[:, k] = Z[:, last]
        uses[k] = uses[last]
        mu[k] = mu[last]
        M[k, :K] = M[last, :K]
        M[:K, k] = M[:K, last]
        M[k, k] = M[last, last]
    Z[:, last] = 0
    uses[last] = 0


@njit(cache=True, nogil=True)
def _flip_features(z, K, uses, n, M, residual, mu, noise, effect, own, state):
    """Draw the features of a row that other rows have, one after the other; return z M z'."""
    D, spread = len(residual), 0.0
    for k in range(K):
        if z[k]:
            for j in range(K):
                if z[j]:
                    spread += M[k, j]
    for k in range(K):
        cross = 0.0  # the other features with feature k
        for j in range(K):
            if z[j] and j != k:
                cross += M[k, j]
        without = spread - (2.0 * cross + M[k, k] if z[k] else 0.0)
        square, other = 0.0, 0.0
        for d in range(D):
            plain = residual[d] + (mu[k, d] if z[k] else 0.0)
            square += plain * plain
            other += (plain - mu[k, d]) ** 2
        lone = own * effect
        off = _log_density(square, D, noise * (1.0 + without) + lone)
        on = _log_density(other, D, noise * (1.0 + without + 2.0 * cross + M[k, k]) + lone)  # Eq. 2
        odds = math.log(uses[k] / (n - uses[k])) + on - off if uses[k] < n else math.inf
        u, state = next_uniform(state)
        chosen = u < 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else False
        if chosen != (z[k] > 0):
            sign = -1.0 if chosen else 1.0
            for d in range(D):
                residual[d] += sign * mu[k, d]
            z[k] = 1 if chosen else 0
        spread = without + (2.0 * cross + M[k, k] if chosen else 0.0)
    return spread, state


@njit(cache=True, nogil=True)
def _flip_pairs(z, K, uses, n, M, residual, mu, noise, effect, own, state):
    """Draw the features of a row two at a time, every pair once; return z M z'."""
    D, spread, logs = len(residual), 0.0, np.empty(4)
    for k in range(K):
        if z[k]:
            for j in range(K):
                if z[j]:
                    spread += M[k, j]
    for j in range(K):
        for k in range(j + 1, K):
            cross_j, cross_k = 0.0, 0.0  # the other features with features j and k
            for i in range(K):
                if z[i] and i != j and i != k:
                    cross_j += M[j, i]
                    cross_k += M[k, i]
            more_j, more_k, both = 2 * cross_j + M[j, j], 2 * cross_k + M[k, k], 2 * M[j, k]
            without = spread - z[j] * more_j - z[k] * more_k - z[j] * z[k] * both
            for choice in range(4):
                zj, zk = choice & 1, choice >> 1
                square = 0.0
                for d in range(D):
                    square += (residual[d] + (z[j] - zj) * mu[j, d] + (z[k] - zk) * mu[k, d]) ** 2
                total = without + zj * more_j + zk * more_k + zj * zk * both
                logs[choice] = _log_density(square, D, noise * (1.0 + total) + own * effect)  # Eq. 2
                logs[choice] += math.log(uses[j] if zj else n - uses[j]) + math.log(uses[k] if zk else n - uses[k])
            u, state = next_uniform(state)
            choice = _draw(logs, u)
            zj, zk = choice & 1, choice >> 1
            for d in range(D):
                residual[d] += (z[j] - zj) * mu[j, d] + (z[k] - zk) * mu[k, d]
            z[j], z[k] = zj, zk
            spread = without + zj * more_j + zk * more_k + zj * zk * both
    return spread, state


@njit(cache=True, nogil=True)
def _draw(logs, u):
    """Draw an index in proportion to the exponentials, which are written over the logarithms."""
    largest, total = logs.max(), 0.0
    for s in range(len(logs)):
        logs[s] = math.exp(logs[s] - largest)
        total += logs[s]
    return draw(logs, u * total)


@njit(cache=True, nogil=True)
def _draw_own(square, D, variance, effect, rate, state):
    """Draw the number of features that only this row has (3)."""
    logs = np.empty(MOST_NEW + 1)
    prior = 0.0
    for s in range(MOST_NEW + 1):
        if s:
            prior += math.log(rate / s)
        logs[s] = prior + _log_density(square, D, variance + s * effect)
    u, state = next_uniform(state)
    return _draw(logs, u), state


@njit(cache=True, nogil=True)
def sweep_features(begin, X, Z, uses, K, M, mu, noise, effect, mass, pairs, seed):
    """Draw the features of rows starting at `begin`; return the next row (len(X), or the capacity was reached) and K.

    The first K columns of Z, entries of `uses`, rows of `mu` and of M are in use. With `pairs`, features are drawn two
    at a time, which costs K times as much, and leaves states in which single draws get stuck.
    """
    state = begin_random(seed, begin)
    N, D = X.shape
    room = len(uses)
    gain, residual = np.empty(room), np.empty(D)
    for i in range(begin, N):
        if room < K + MOST_NEW:
            return i, K
        _change_row(Z[i], X[i], K, M, mu, gain, residual, -1.0)
        own = 0
        for k in range(K - 1, -1, -1):
            uses[k] -= Z[i, k]
            if uses[k] == 0:
                _drop(k, K, Z, uses, M, mu)
                own += 1
                K -= 1
        for d in range(D):
            residual[d] = X[i, d]
            for k in range(K):
                if Z[i, k]:
                    residual[d] -= mu[k, d]
        if pairs and K > 1:
            spread, state = _flip_pairs(Z[i], K, uses, N, M, residual, mu, noise, effect, own, state)
        else:
            spread, state = _flip_features(Z[i], K, uses, N, M, residual, mu, noise, effect, own, state)
        square = 0.0
        for d in range(D):
            square += residual[d] * residual[d]
        own, state = _draw_own(square, D, noise * (1.0 + spread), effect, mass / N, state)
        for k in range(K):
            uses[k] += Z[i, k]
        for k in range(K, K + own):
            Z[i, k] = 1
            uses[k] = 1
            mu[k] = 0.0
            M[k, : K + own] = 0.0
            M[: K + own, k] = 0.0
            M[k, k] = effect / noise
        K += own
        _change_row(Z[i], X[i], K, M, mu, gain, residual, 1.0)
    return N, K


@njit(cache=True, nogil=True)
def expect_features(X, uses, n, M, mu, noise, n_sweeps, seed, found):
    """Add the mean features of new rows over Gibbs sweeps to `found`; every row uses the same random numbers."""
    K, D = mu.shape
    z, residual = np.zeros(K, np.int64), np.empty(D)
    for i in range(len(X)):
        z[:] = 0
        residual[:] = X[i]
        state = begin_random(seed, 0)
        for sweep in range(2 * n_sweeps):
            _, state = _flip_features(z, K, uses, n, M, residual, mu, noise, 0.0, 0, state)
            if sweep >= n_sweeps:
                for k in range(K):
                    found[i, k] += z[k] / n_sweeps
