"""Steps of EM for topics of linked documents, one word, document and link at a time."""

from __future__ import annotations

import numpy as np


def step(X, phi, theta, smoothing):
    """Return n_dk of documents and the new topics, words × topics, of one step of PLSA."""
    D, V = X.shape
    K = phi.shape[1]
    n_dk, n_wk = np.zeros((D, K)), np.full((V, K), smoothing)
    for d in range(D):
        for w in range(V):
            r = theta[d] * phi[w]
            n_dk[d] += X[d, w] * r / r.sum()
            n_wk[w] += X[d, w] * r / r.sum()
    return n_dk, n_wk / n_wk.sum(axis=0)


def averaged(theta, links, gamma, n):
    """Return shares averaged with those of linked documents in either direction, n times."""
    both = links + links.T
    for _ in range(n):
        old = theta.copy()
        for d in range(len(theta)):
            if both[d].sum():
                theta[d] = (1 - gamma) * old[d] + gamma * sum(both[d, j] * old[j] for j in range(len(theta))) / both[
                    d
                ].sum()
    return theta


def with_prior(n_dk, theta, links, strength):
    """Return shares with the prior α_d = λ Σ_j w_dj θ_j."""
    found = n_dk.copy()
    for d in range(len(theta)):
        if links[d].sum():
            found[d] += strength * sum(links[d, j] * theta[j] for j in range(len(theta))) / links[d].sum()
    return found / found.sum(axis=1, keepdims=True)
