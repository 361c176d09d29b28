r"""EM for topics of linked documents: PLSA whose document shares are shrunk towards those of their neighbours.

The E step and the update of the topics are those of `PLSA`; they give every document counts :math:`n_{dk}` and shares
:math:`\theta_d`. Then

.. math:: \theta_d \leftarrow (1 - \gamma)\, \theta_d + \gamma \sum_j w_{dj} \theta_j, \quad \text{several times,}
\tag{1}

with weights of links in both directions (NetPLSA, Mei et al. 2008), or with the prior
α_d = λ Σ_j w_dj θ_j + μ l_d s_d of directed links

.. math:: \theta_{dk} \propto n_{dk} + \lambda \sum_j w_{dj}\, \theta_{jk} + \mu\, l_d\, s_{dk}
\tag{2}

(iTopicModel, Sun et al. 2009, for μ = 0), with the number of links :math:`l_d` of a document and its shares
:math:`s_d` in the start. Documents without links keep their own shares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.inference.em import EM
from driftline.inference.pairs import Pairs
from driftline.topics.networks.neighbour_start import Start


class Linked(NamedTuple):
    """The problem: documents, their lengths, row weights of links, the start, and the effect of links.

    `strength` is γ of (1), which is applied `inner_steps` times, or λ of (2) if `inner_steps` is zero. In the first
    `plain_steps` steps, links have no effect. `start_prior` is the term of the start in (2), documents × topics.
    """

    pairs: Pairs
    lengths: Floats
    weights: Counts
    start: Start
    strength: float
    inner_steps: int
    plain_steps: int
    smoothing: float
    start_prior: Floats | None = None


class LinkedTopics(NamedTuple):
    """The parameters: φ, words × topics, θ, documents × topics, the number of steps done, and of plain steps."""

    topics: Floats
    shares: Floats
    step: int
    plain_steps: int


def begin(problem: Linked, rng: np.random.Generator) -> LinkedTopics:
    """Return the initial state."""
    return LinkedTopics(*problem.start, 0, problem.plain_steps)


def expect(state: LinkedTopics, problem: Linked, rng: np.random.Generator) -> tuple[tuple[Floats, Floats], float]:
    """Return the shares of documents from their own words, the counts of words × topics, and the log-likelihood."""
    total = float(problem.lengths.sum())
    shares, sums = current_kernels().plsa.expect(state.shares, *problem.pairs, state.topics, 1.0, total)
    return (np.asarray(shares), np.asarray(sums.words)), float(sums.likelihood)


def maximise(statistics: tuple[Floats, Floats], before: LinkedTopics, problem: Linked) -> LinkedTopics:
    """Return the topics, and the shares shrunk towards those of linked documents by (1) or (2)."""
    shares, words = statistics
    counts = words + problem.smoothing
    if before.step >= problem.plain_steps:
        shares = smoothed(shares, before.shares, problem)
    return LinkedTopics(counts / counts.sum(axis=0), shares, before.step + 1, before.plain_steps)


def smoothed(shares: Floats, before: Floats, problem: Linked) -> Floats:
    """Return the shares after the effect of links; `before` are those of the previous step."""
    linked = np.diff(problem.weights.indptr) > 0
    if problem.inner_steps:
        for _ in range(problem.inner_steps):
            around = problem.weights @ shares
            shares = np.where(linked[:, None], (1 - problem.strength) * shares + problem.strength * around, shares)
        return shares
    counts = problem.lengths[:, None] * shares + problem.strength * (problem.weights @ before)
    if problem.start_prior is not None:
        counts += problem.start_prior
    total = counts.sum(axis=1, keepdims=True)
    found: Floats = np.divide(counts, total, out=shares.copy(), where=total > 0)
    return found


def change(before: LinkedTopics, after: LinkedTopics) -> float:
    """Return the mean total variation of a document's shares in a step; infinite before links take effect."""
    if after.step <= after.plain_steps:
        return np.inf
    return float(np.abs(after.shares - before.shares).sum(axis=1).mean() / 2)


METHOD = EM(begin, expect, maximise, change)
"""EM for topics of linked documents."""
