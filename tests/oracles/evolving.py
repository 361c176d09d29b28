"""Evolutionary classification done plainly: dense matrices, every pair, every frame at once, general minimisers."""

from __future__ import annotations

import numpy as np
import scipy.optimize


def nearest(X, k):
    """The k nearest rows of each row by cosine, the nearest first, from all pairs; only positive cosines."""
    lengths = np.linalg.norm(X, axis=1)
    found = []
    for i in range(len(X)):
        cosines = []
        for j in range(len(X)):
            if i != j and lengths[i] > 0 and lengths[j] > 0:
                cosine = float(X[i] @ X[j] / (lengths[i] * lengths[j]))
                if cosine > 0:
                    cosines.append((cosine, j))
        cosines.sort(key=lambda pair: (-pair[0], pair[1]))
        found.append(cosines[:k])
    return found


def graph(X, k, weights, width=None):
    """The dense symmetric weight matrix, Gaussian of the angle (3), (19) or squared cosine."""
    n = len(X)
    cosines = np.zeros((n, n))
    for i, neighbours in enumerate(nearest(X, k)):
        for cosine, j in neighbours:
            cosines[i, j] = cosines[j, i] = min(cosine, 1.0)
    if weights == "cosine_squared":
        return cosines**2
    angles = np.arccos(cosines)
    if width is None:
        width = np.median(angles[cosines > 0])
    return np.where(cosines > 0, np.exp(-(angles**2) / (2 * width**2)), 0.0)


def laplacian(W):
    """L = D − W."""
    return np.diag(W.sum(axis=1)) - W


def expansion(K, L, labelled, y, gamma_a, gamma_i, cross=None, previous=None):
    """α_t of (18), by the pseudo-inverse; y is 0 where unlabelled."""
    n = len(K)
    C = np.diag(labelled.astype(float))
    left = K.T @ (C + gamma_i / n**2 * L) @ K + gamma_a * K
    right = K @ C @ y + (0.0 if cross is None else gamma_a * cross @ previous)
    return np.linalg.pinv(left, hermitian=True, rcond=1e-13) @ right


def weights(X, L, labelled, y, gamma_a, gamma_i, previous):
    """w_t of the primal form for the squared loss, by a dense solve."""
    n, v = X.shape
    C = np.diag(labelled.astype(float))
    left = X.T @ (C + gamma_i / n**2 * L) @ X + gamma_a * np.eye(v)
    return np.linalg.solve(left, X.T @ C @ y + gamma_a * previous)


def objective(w, X, L, rows, targets, gamma_a, gamma_i, previous, loss):
    """J of (12) at w."""
    f = X @ w
    margins = targets * f[rows]
    losses = {
        "squared": lambda: (targets - f[rows]) ** 2,
        "hinge": lambda: np.maximum(0.0, 1 - margins),
        "logistic": lambda: np.log1p(np.exp(-margins)),
    }
    spatial = gamma_i / len(X) ** 2 * f @ L @ f
    return float(losses[loss]().sum() + spatial + gamma_a * (w - previous) @ (w - previous))


def hinge_weights(X, L, rows, targets, gamma_a, gamma_i, previous):
    """w_t for the hinge loss from its dual, a quadratic program in a box, by a general minimiser."""
    n, v = X.shape
    Q = gamma_i / n**2 * X.T @ L @ X + gamma_a * np.eye(v)
    centre = np.linalg.solve(Q, gamma_a * previous)
    signed = targets[:, None] * X[rows]
    half = np.linalg.solve(Q, signed.T) / 2

    def negative_dual(beta):
        gradient = 1 - signed @ centre - signed @ (half @ beta)
        return 0.5 * beta @ (signed @ half) @ beta - beta @ (1 - signed @ centre), -gradient

    best = scipy.optimize.minimize(
        negative_dual,
        np.full(len(rows), 0.5),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(rows),
        options={"maxiter": 20_000, "ftol": 1e-16, "gtol": 1e-12},
    )
    return centre + half @ best.x


def joint_weights(frames, gamma_a, gamma_i):
    """All w_t that minimise (6) for the squared loss: one dense system. A frame is (X, L, labelled, y)."""
    v, T = frames[0][0].shape[1], len(frames)
    left, right = np.zeros((T * v, T * v)), np.zeros(T * v)
    for t, (X, L, labelled, y) in enumerate(frames):
        here = slice(t * v, (t + 1) * v)
        C = np.diag(labelled.astype(float))
        if len(X):
            left[here, here] += X.T @ (C + gamma_i / len(X) ** 2 * L) @ X
            right[here] = X.T @ C @ y
        left[here, here] += gamma_a * np.eye(v)
        if t:
            before = slice((t - 1) * v, t * v)
            left[before, before] += gamma_a * np.eye(v)
            left[here, before] -= gamma_a * np.eye(v)
            left[before, here] -= gamma_a * np.eye(v)
    return np.linalg.solve(left, right).reshape(T, v)


def pairs_left_out(gram, offsets, curvature, working, positive):
    """Placements of all documents from one weighted least-squares fit per pair, to the documents outside the pair."""
    n = len(offsets)
    right = np.full((n, n), np.nan)
    for a in np.flatnonzero(positive):
        for b in np.flatnonzero(~positive):
            rest = np.setdiff1d(np.arange(n), [a, b])
            system = gram[np.ix_(rest, rest)] + np.diag(1 / curvature[rest])
            duals = np.linalg.solve(system, working[rest] - offsets[rest])
            f_a, f_b = (offsets[i] + gram[i, rest] @ duals for i in (a, b))
            right[a, b] = right[b, a] = float(f_a > f_b) + 0.5 * float(abs(f_a - f_b) < 1e-12)
    return np.nanmean(right, axis=1)


def area_under_curve(scores, positive):
    """The share of pairs ranked rightly, by counting; ties count one half."""
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[positive] for b in scores[~positive]]
    return float(np.mean(pairs))


def pair_evidence(placements, plain, positive):
    """z₁ of one member against the plain one, in words: documents × columns of placements and of classes."""
    gain = variance = 0.0
    for c in range(positive.shape[1]):
        own, other = positive[:, c], ~positive[:, c]
        if own.sum() < 4 or other.sum() < 4:
            continue
        p, q = (placements - plain)[own, c], (placements - plain)[other, c]
        gain += p.mean()
        variance += p.var(ddof=1) / len(p) + q.var(ddof=1) / len(q) + 1 / (2 * len(p) * len(q))
    return gain / np.sqrt(variance)
