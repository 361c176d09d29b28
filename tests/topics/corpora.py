"""Documents drawn from LDA itself, so that the topics are known."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def drawn(n_documents=200, n_words=60, n_topics=4, length=60, seed=0):
    """Return counts and the true topics × words."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    shares = rng.dirichlet(np.full(n_topics, 0.2), n_documents)
    X = np.array([rng.multinomial(length, row / row.sum()) for row in shares @ topics], dtype=np.float64)
    return sp.csr_matrix(X), topics


def matched(found, truth):
    """Return the mean total variation between the true topics and the found ones that fit them best."""
    from scipy.optimize import linear_sum_assignment

    distance = 0.5 * np.abs(truth[:, None] - found[None]).sum(axis=2)
    return distance[linear_sum_assignment(distance)].mean()
