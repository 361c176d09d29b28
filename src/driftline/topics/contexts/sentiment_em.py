r"""EM for the topic–sentiment mixture (Mei et al. 2007).

.. math:: p(w|d) = \lambda_B\, p_B(w) + (1 - \lambda_B) \sum_k \theta_{dk}
          \bigl(\delta_d^0\, \phi_{kw} + \delta_d^+\, p_+(w) + \delta_d^-\, p_-(w)\bigr)                        \tag{1}

with positive and negative words that all topics share. The paper has a δ for every document and topic. However, because
the polar words of a document are the same for all topics, its likelihood does not depend on how they are divided among
topics, and EM leaves their initial division unchanged. Here the polar words of a document belong to its topics in
proportion to θ. With :math:`r_{dw} = c_{dw} (1 - \lambda_B)/p(w|d)`, expected counts are products of the sparse matrix
r with the parameters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats
from driftline.inference.em import EM

_BLOCK = 200_000


class Documents(NamedTuple):
    """The problem: counts, the background, the initial polar distributions, and the prior of both.

    `prior` is None if the polar distributions are fixed, otherwise the counts that are added to them, 2 × words.
    """

    X: Counts
    background: Floats
    polar: Floats
    prior: Floats | None
    n_topics: int
    background_weight: float
    smoothing: float


class Sentiments(NamedTuple):
    """The parameters: φ, topics × words; θδ, documents × topics × (neutral, positive, negative); p₊ and p₋."""

    topics: Floats
    shares: Floats
    polar: Floats


def begin(problem: Documents, rng: np.random.Generator) -> Sentiments:
    """Return random topics, and equal shares."""
    n_words = problem.X.shape[1]
    topics = 0.5 * rng.dirichlet(np.ones(n_words), problem.n_topics) + 0.5 * problem.background
    shares = np.full((problem.X.shape[0], problem.n_topics, 3), 1 / (3 * problem.n_topics))
    return Sentiments(topics, shares, problem.polar)


def expect(state: Sentiments, problem: Documents, rng: np.random.Generator) -> tuple[Sentiments, float]:
    """Return expected counts of every parameter, and the log-likelihood."""
    X, weight = problem.X, problem.background_weight
    neutral, polar = state.shares[:, :, 0], state.shares[:, :, 1:]
    both = polar.sum(axis=1)  # documents × (positive, negative)
    document = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    columns = np.ascontiguousarray(np.vstack([state.topics, state.polar]).T)
    mixing = np.hstack([neutral, both])
    mixed = np.empty(X.nnz)
    for first in range(0, X.nnz, _BLOCK):
        part = slice(first, first + _BLOCK)
        mixed[part] = np.einsum("ek,ek->e", mixing[document[part]], columns[X.indices[part]])
    total = weight * problem.background[X.indices] + (1 - weight) * mixed
    total = np.maximum(total, np.finfo(np.float64).tiny)
    ratio = sp.csr_array((X.data * (1 - weight) / total, X.indices, X.indptr), shape=X.shape)
    words = state.topics * (ratio.T @ neutral).T
    by_polarity = state.polar * (ratio.T @ both).T
    counts = np.empty_like(state.shares)
    counts[:, :, 0] = neutral * (ratio @ state.topics.T)
    counts[:, :, 1:] = polar * (ratio @ state.polar.T)[:, None, :]
    return Sentiments(words, counts, by_polarity), float(X.data @ np.log(total))


def maximise(counts: Sentiments, before: Sentiments, problem: Documents) -> Sentiments:
    """Return the optimal parameters for the expected counts."""
    topics = counts.topics + problem.smoothing
    theta, delta = _normalised(counts.shares.sum(axis=2)), _normalised(counts.shares.sum(axis=1))
    shares = theta[:, :, None] * delta[:, None, :]
    polar = before.polar
    if problem.prior is not None:
        polar = counts.polar + problem.prior + 1e-9
        polar = polar / polar.sum(axis=1, keepdims=True)
    return Sentiments(topics / topics.sum(axis=1, keepdims=True), shares, polar)


def _normalised(counts: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    found: Floats = np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[1]), where=total > 0)
    return found


METHOD = EM(begin, expect, maximise)
"""EM for (1)."""
