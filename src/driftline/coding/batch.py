"""Topics from all contexts at once: every step lowers the objective."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.coding.codes import Codes, Dictionary, Penalties, objective
from driftline.coding.contexts import Contexts, arrays_of
from driftline.compute import kernels
from driftline.core.arrays import Floats
from driftline.core.progress import track
from driftline.engines.contract import Engine

STEPS = 5
"""Number of topic updates between two updates of the codes."""
FLOOR = 0.1
"""Share of every initial topic spread over all words under the Hellinger loss, where a zero would stay zero."""


class Learned(NamedTuple):
    """Topics with the codes of all contexts, and the objective after every iteration."""

    topics: sp.csr_matrix
    codes: Codes
    objectives: list[float]


def learn(
    contexts: Contexts,
    topics: sp.csr_matrix,
    penalties: Penalties,
    engine: Engine,
    *,
    max_iter: int,
    tol: float,
    verbose: bool = False,
) -> Learned:
    """Update codes and topics in turn until the relative decrease of the objective is below `tol`."""
    dense = topics.toarray()
    if penalties.loss == "hellinger":
        dense = (1 - FLOOR) * dense + FLOOR / dense.shape[1]
    penalties = penalties._replace(threshold=0.0)
    move = _projected_gradient if penalties.loss == "squared" else _majorised
    objectives: list[float] = []
    dictionary = Dictionary(sp.csr_matrix(dense))
    codes = dictionary.code(contexts, penalties, engine)
    for _ in track(range(max_iter), "Learning topics", verbose=verbose):
        for _ in range(STEPS):
            better = move(contexts, codes, dense)
            if better is dense:
                break
            dense = better
        dictionary = Dictionary(sp.csr_matrix(dense))
        codes = dictionary.code(contexts, penalties, engine, start=codes.matrix)
        objectives.append(objective(codes, contexts, penalties))
        if len(objectives) > 1 and objectives[-2] - objectives[-1] <= tol * abs(objectives[-2]):
            break
    return Learned(dictionary.topics, codes, objectives)


def _projected_gradient(contexts: Contexts, codes: Codes, topics: Floats) -> Floats:
    """Take the step (10) whose length a line search finds; the topics themselves come back if none is better."""
    weighted = sp.diags(contexts.weights) @ codes.matrix
    pairs = (codes.matrix.T @ weighted).toarray()
    context_words = (weighted.T @ contexts.matrix).toarray()
    gradient = 2 * (pairs @ topics - context_words)  # Eq. 9
    curvature = 2 * np.linalg.norm(pairs, 2)
    if curvature <= 0:
        return topics
    now = _loss(pairs, context_words, topics)
    best, best_loss = topics, now
    step = 4.0 / curvature
    for _ in range(40):
        moved = topics - step * gradient
        kernels().dictionary.project_rows(moved)
        loss = _loss(pairs, context_words, moved)
        if loss >= best_loss and best is not topics:
            break
        if loss < best_loss:
            best, best_loss = moved, loss
        step /= 2
    return best


def _loss(pairs: Floats, context_words: Floats, topics: Floats) -> float:
    """Return (8) but for what does not depend on the topics."""
    return float(np.einsum("kv,kv->", pairs @ topics - 2 * context_words, topics))


def _majorised(contexts: Contexts, codes: Codes, topics: Floats) -> Floats:
    """Return the topics that minimise the bound of the Hellinger loss; one that is never used stays as it is."""
    by_word = sp.csr_matrix(topics).tocsc()
    pulls = np.zeros(by_word.nnz)
    n_topics = topics.shape[0]
    kernels().hellinger.add_pulls(
        contexts.arrays, arrays_of(codes.matrix), n_topics, contexts.weights, arrays_of(by_word), pulls
    )
    moved: Floats = sp.csc_matrix((pulls**2, by_word.indices, by_word.indptr), shape=topics.shape).toarray()
    totals = moved.sum(axis=1)
    used = totals > math.ulp(0.0)
    moved[used] /= totals[used, None]
    moved[~used] = topics[~used]
    return moved
