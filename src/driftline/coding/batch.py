"""Topics from all contexts at once: every step decreases the objective."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.coding.codes import Codes, Dictionary, Penalties, objective
from driftline.coding.local_contexts import Contexts, arrays_of
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.run import run
from driftline.inference.stopping import SmallDecrease, Stop

STEPS = 5
"""Number of topic updates between two updates of the codes."""
FLOOR = 0.1
"""Share of every initial topic spread over all words under the Hellinger loss, where a zero would stay zero."""


class Learned(NamedTuple):
    """Topics with the codes of all contexts, and the objective after every iteration."""

    topics: sp.csr_matrix
    codes: Codes
    objectives: list[float]


class Problem(NamedTuple):
    """The contexts, the initial topics, the objective, and the engine."""

    contexts: Contexts
    topics: sp.csr_matrix
    penalties: Penalties
    engine: Engine


class Fit(NamedTuple):
    """The state: topics × words, and the codes of all contexts, by rows, with the loss of each."""

    topics: Floats
    indptr: Ints
    indices: Ints
    values: Floats
    losses: Floats

    def codes(self) -> Codes:
        """Return the codes as a matrix."""
        shape = (len(self.losses), len(self.topics))
        return Codes(sp.csr_matrix((self.values, self.indices, self.indptr), shape=shape), self.losses)


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
    """Update topics and codes in turn until the relative decrease of the objective is at most `tol`."""
    problem = Problem(contexts, topics, penalties._replace(threshold=0.0), engine)
    stop = Stop(max_iter, SmallDecrease(tol))
    done = run(METHOD, problem, stop=stop, progress="Learning topics", verbose=verbose)
    objectives = [-info.objective for info in done.infos[0]]
    return Learned(sp.csr_matrix(done.result.topics), done.result.codes(), objectives)


def _begin(problem: Problem, rng: np.random.Generator) -> Fit:
    dense = problem.topics.toarray()
    if problem.penalties.loss == "hellinger":
        dense = (1 - FLOOR) * dense + FLOOR / dense.shape[1]
    return _coded(dense, problem, None)


def _coded(dense: Floats, problem: Problem, start: sp.csr_matrix | None) -> Fit:
    dictionary = Dictionary(sp.csr_matrix(dense))
    matrix, losses = dictionary.code(problem.contexts, problem.penalties, problem.engine, start=start)
    return Fit(dense, matrix.indptr, matrix.indices, matrix.data, losses)


def _update_topics(fit: Fit, problem: Problem) -> Update[Fit]:
    better = _projected_gradient if problem.penalties.loss == "squared" else _majorised
    codes, dense = fit.codes(), fit.topics
    for _ in range(STEPS):
        before, dense = dense, better(problem.contexts, codes, dense)
        if dense is before:
            break
    return Update(fit._replace(topics=dense))


def _update_codes(fit: Fit, problem: Problem) -> Update[Fit]:
    fit = _coded(fit.topics, problem, fit.codes().matrix)
    return Update(fit, -objective(fit.codes(), problem.contexts, problem.penalties))


METHOD = CoordinateAscent(_begin, (_update_topics, _update_codes))
"""Coordinate ascent: topics given codes, then codes given topics; the bound is the negative of the objective."""


def _projected_gradient(contexts: Contexts, codes: Codes, topics: Floats) -> Floats:
    """Take the step (10) with a line search; return the topics unchanged if no step is better."""
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
        current_kernels().dictionary.project_rows(moved)
        loss = _loss(pairs, context_words, moved)
        if loss >= best_loss and best is not topics:
            break
        if loss < best_loss:
            best, best_loss = moved, loss
        step /= 2
    return best


def _loss(pairs: Floats, context_words: Floats, topics: Floats) -> float:
    """Return (8) without the terms that do not depend on the topics."""
    return float(np.einsum("kv,kv->", pairs @ topics - 2 * context_words, topics))


def _majorised(contexts: Contexts, codes: Codes, topics: Floats) -> Floats:
    """Return the topics that minimise the bound of the Hellinger loss; an unused one is unchanged."""
    by_word = sp.csr_matrix(topics).tocsc()
    pulls = np.zeros(by_word.nnz)
    n_topics = topics.shape[0]
    current_kernels().hellinger.add_pulls(
        contexts.arrays, arrays_of(codes.matrix), n_topics, contexts.weights, arrays_of(by_word), pulls
    )
    moved: Floats = sp.csc_matrix((pulls**2, by_word.indices, by_word.indptr), shape=topics.shape).toarray()
    totals = moved.sum(axis=1)
    used = totals > math.ulp(0.0)
    moved[used] /= totals[used, None]
    moved[~used] = topics[~used]
    return moved
