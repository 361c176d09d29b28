"""Initial topics: contexts drawn in proportion to the loss under the topics so far."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.coding.codes import Dictionary, Penalties
from driftline.coding.local_contexts import Contexts
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine

ROUNDS = 6


def first_topics(
    contexts: Contexts, n_topics: int, penalties: Penalties, least: float, engine: Engine, rng: np.random.Generator
) -> sp.csr_matrix:
    """Return topics × words, drawn in six rounds; in the first, the loss of a context is its squared norm."""
    squared = penalties._replace(loss="squared", rho=0.0, tol=1e-4)
    n_contexts = contexts.matrix.shape[0]
    losses = np.asarray(contexts.matrix.multiply(contexts.matrix).sum(axis=1)).ravel()
    topics = sp.csr_matrix((0, contexts.matrix.shape[1]))
    for part in np.array_split(np.arange(n_topics), ROUNDS):
        if len(part) == 0:
            continue
        if topics.shape[0]:
            losses = Dictionary(topics).code(contexts, squared, engine).losses
        drawn = draw(losses, min(len(part), n_contexts), rng)
        drawn = np.concatenate([drawn, rng.integers(0, n_contexts, len(part) - len(drawn))])
        topics = sp.vstack([topics, pruned(contexts.matrix[drawn], least)], format="csr")
    return topics


def draw(weights: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Return `n` different numbers drawn in proportion to their weights; those with zero weight last."""
    waits = rng.exponential(size=len(weights)) / np.maximum(weights, 1e-12)
    return np.argsort(waits, kind="stable")[:n]


def pruned(topics: sp.csr_matrix, least: float) -> sp.csr_matrix:
    """Return topics without the shares below `least` (except a topic's largest), renormalised."""
    topics = topics.tocsr(copy=True)
    topics.data[(topics.data < least) & (topics.data < row_maxima(topics))] = 0.0
    topics.eliminate_zeros()
    totals = np.asarray(topics.sum(axis=1)).ravel()
    topics.data /= np.repeat(totals, np.diff(topics.indptr))
    topics.sort_indices()
    return topics


def row_maxima(matrix: sp.csr_matrix) -> Floats:
    """Return for every entry the largest entry of its row."""
    sizes = np.diff(matrix.indptr)
    filled = matrix.indptr[:-1][sizes > 0]
    largest = np.maximum.reduceat(matrix.data, filled) if len(filled) else np.empty(0)
    return np.repeat(largest, sizes[sizes > 0])
