"""LDA, plain and slow: collapsed variational steps, textbook variational EM, the exact posterior by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import gammaln, psi


def online_pass(X, M, alpha, beta, n_documents, step, order):
    """Go once over the pairs in the given order, Eq. 1 to 3; return new document counts and changed M.

    `alpha` is one row, or one per document.
    """
    priors = np.broadcast_to(alpha, n_documents.shape)
    M, totals = M.copy(), M.sum(axis=0)
    new, seen = np.zeros_like(n_documents), np.zeros(len(X))
    for d, w in order:
        alpha = priors[d]
        current = new[d] + n_documents[d] * (1 - seen[d] / X[d].sum())
        a = (M[w] + beta) / (totals + len(M) * beta)
        first = a * (current + alpha)
        first /= first.sum()
        second = a * (np.maximum(current - first, 0) + alpha)
        second *= X[d, w] / second.sum()
        new[d] += second
        M[w] += step * second
        seen[d] += X[d, w]
    return new, M


def completion(given, asked, components, alpha, n_passes):
    """Return the log-likelihood of the requested words, document by document."""
    result = []
    for c, target in zip(given, asked):
        n = alpha / alpha.sum() * c.sum()
        for _ in range(n_passes):
            responsibility = components * (n + alpha)[:, None]
            responsibility /= responsibility.sum(axis=0)
            n = (responsibility * c).sum(axis=1)
        theta = (n + alpha) / (n + alpha).sum()
        result.append(float(target @ np.log(theta @ components)))
    return np.array(result)


def variational_em(X, lam, alpha, eta, n_epochs, n_passes=100, tolerance=1e-4):
    """Return λ (topics × words), γ and the bound of each epoch."""
    bounds = []
    for _ in range(n_epochs):
        e_beta = np.exp(psi(lam) - psi(lam.sum(axis=1, keepdims=True)))
        gamma = np.tile(alpha, (len(X), 1)) + X.sum(axis=1, keepdims=True) / len(alpha)
        statistics = np.zeros_like(lam)
        bound = 0.0
        for d, c in enumerate(X):
            for _ in range(n_passes):
                e_theta = np.exp(psi(gamma[d]))
                r = e_theta[:, None] * e_beta
                before = gamma[d].copy()
                gamma[d] = alpha + (r / r.sum(axis=0) * c).sum(axis=1)
                if np.abs(gamma[d] - before).sum() < tolerance * len(alpha):
                    break
            e_theta = np.exp(psi(gamma[d]) - psi(gamma[d].sum()))
            r = e_theta[:, None] * e_beta
            statistics += r / r.sum(axis=0) * c
            bound += float(c @ np.log(r.sum(axis=0)))
            bound -= dirichlet_divergence(gamma[d], alpha)
        bound -= sum(dirichlet_divergence(row, np.full(len(row), eta)) for row in lam)
        bounds.append(bound)
        lam = eta + statistics
    return lam, gamma, bounds


def dirichlet_divergence(p, q):
    """Return KL(Dir(p) || Dir(q))."""
    return float(
        gammaln(p.sum())
        - gammaln(q.sum())
        + (gammaln(q) - gammaln(p)).sum()
        + ((p - q) * (psi(p) - psi(p.sum()))).sum()
    )


def pair_posterior(documents, n_words, alpha, beta):
    """Return, for every pair of tokens, the exact probability that both have the same topic, by enumeration.

    `documents` are lists of words; `alpha` is one row, or one per document. The probability does not depend on how
    topics are numbered.
    """
    tokens = [(d, w) for d, words in enumerate(documents) for w in words]
    K = np.shape(alpha)[-1]
    same, total = np.zeros((len(tokens), len(tokens))), 0.0
    for z in itertools.product(range(K), repeat=len(tokens)):
        n_d, n_w = np.zeros((len(documents), K)), np.zeros((n_words, K))
        for (d, w), k in zip(tokens, z):
            n_d[d, k] += 1
            n_w[w, k] += 1
        log_p = gammaln(n_d + alpha).sum() + gammaln(n_w + beta).sum()
        log_p -= gammaln(n_w.sum(axis=0) + n_words * beta).sum()
        p = np.exp(log_p)
        z = np.array(z)
        same += p * (z[:, None] == z[None, :])
        total += p
    return same / total
