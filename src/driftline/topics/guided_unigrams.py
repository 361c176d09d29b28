"""EM for a mixture of unigrams with the wishes of a guide: all documents at once, on the CPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.em import EM
from driftline.inference.guide_arrays import Bounds, GuideArrays, WordStart
from driftline.inference.guided_em import IMPOSSIBLE, EmWishes
from driftline.inference.projection import Projected, project

NOISE = 0.1
"""Random share in the initial topics of documents that use words of a guide."""
LOWEST = 500.0
"""Absolute value of the smallest log posterior that is projected."""


class GuidedMixture(NamedTuple):
    """The parameters: φ, topics × words, π, and the beliefs that links propagate."""

    components: Floats
    weights: Floats
    belief: Floats | None = None


class GuidedDocuments(NamedTuple):
    """The documents with their known topics (−1 if none), their weights, the prior, and the wishes of a guide.

    In a refit, `seeds` marks the words × topics that the guide requests.
    """

    X: Counts
    known: Ints
    mass: Floats
    n_topics: int
    smoothing: float
    power: float
    wishes: EmWishes
    start: WordStart | None
    additions: Floats | None
    links: Counts | None
    bounds: Bounds | None
    seeds: Floats | None = None

    @classmethod
    def of(
        cls,
        X: Counts,
        known: Ints,
        mass: Floats,
        n_topics: int,
        smoothing: float,
        power: float,
        arrays: GuideArrays,
        again: bool,
    ) -> GuidedDocuments:
        """Add the wishes of a guide to documents; labels are already in `known`, and `again` means a refit."""
        documents, additions = arrays.documents, None
        if documents.additions is not None:
            additions = documents.additions.toarray()
            if documents.known is not None:
                additions[documents.known >= 0] = 0.0
        return cls(
            X,
            known,
            mass,
            n_topics,
            smoothing,
            power,
            EmWishes.of(arrays, X.shape[1], n_topics),
            arrays.start,
            additions if additions is not None and additions.any() else None,
            documents.links,
            arrays.bounds,
            _seeds(X, n_topics, arrays) if again else None,
        )


def _seeds(X: Counts, n_topics: int, arrays: GuideArrays) -> Floats:
    """Return a mask of the words × topics that a guide requests."""
    found = np.zeros((X.shape[1], n_topics))
    for wish in arrays.placed:
        if wish.topic >= 0:
            found[wish.words, wish.topic] = 1.0
    return found


def _begin(problem: GuidedDocuments, rng: np.random.Generator) -> GuidedMixture:
    if problem.seeds is not None and problem.start is not None:
        return _begin_warm(problem, problem.start, problem.seeds)
    belief = rng.dirichlet(np.ones(problem.n_topics), problem.X.shape[0])
    known = problem.known >= 0
    belief[known] = np.eye(problem.n_topics)[problem.known[known]]
    if problem.start is not None:
        # Documents start in the topics of the guide's words that they use.
        used = (problem.X @ problem.start.counts).toarray()
        used = used / np.maximum(used.sum(axis=1, keepdims=True), IMPOSSIBLE)
        belief = np.where(known[:, None], belief, NOISE * belief + (1 - NOISE) * used)
    return _maximise(belief * problem.mass[:, None], None, problem)


def _begin_warm(problem: GuidedDocuments, start: WordStart, seeds: Floats) -> GuidedMixture:
    """Start a refit: documents keep their current topics, except for those that use words of a wish."""
    counts = start.counts.toarray()
    weights = counts.sum(axis=0) + 1.0
    shares = problem.wishes.word_shares(counts, problem.smoothing)
    present = GuidedMixture(np.ascontiguousarray(shares.T), weights / weights.sum())
    belief = np.exp(posterior(present, problem)[0])
    used = problem.X @ seeds
    total = used.sum(axis=1, keepdims=True)
    moved = np.where(problem.known[:, None] >= 0, 0.0, total / (total + 1.0))
    belief = (1 - moved) * belief + moved * used / np.maximum(total, IMPOSSIBLE)
    return _maximise(belief * problem.mass[:, None], None, problem)


def posterior(mixture: GuidedMixture, problem: GuidedDocuments) -> tuple[Floats, Floats]:
    """Return the log posterior of every document's topic, without bounds, and the log evidence."""
    joint, known = _log_joint(mixture, problem.X, problem.power), problem.known >= 0
    if problem.additions is not None:
        joint += np.log1p(problem.additions)
    if problem.links is not None and mixture.belief is not None:
        joint += np.log1p(problem.links @ mixture.belief)
    joint[known] = np.where(np.arange(problem.n_topics) == problem.known[known][:, None], joint[known], -np.inf)
    evidence = logsumexp(joint, axis=1)
    return joint - evidence[:, None], evidence


def projected(logs: Floats, problem: GuidedDocuments) -> Projected | None:
    """Return the posterior that satisfies the bounds on proportions; None without bounds."""
    if problem.bounds is None:
        return None
    return project(np.maximum(logs, -LOWEST), problem.bounds, problem.mass)


def _expect(mixture: GuidedMixture, problem: GuidedDocuments, rng: np.random.Generator) -> tuple[Floats, float]:
    logs, evidence = posterior(mixture, problem)
    prior = problem.smoothing * np.log(mixture.components).sum() + np.log(mixture.weights).sum()
    prior += problem.wishes.log_prior(mixture.components.T)
    found = projected(logs, problem)
    belief, gained = (np.exp(logs), 0.0) if found is None else (found.posterior, found.value)
    return belief * problem.mass[:, None], float(problem.mass @ evidence + prior - gained)


def _maximise(belief: Floats, before: GuidedMixture | None, problem: GuidedDocuments) -> GuidedMixture:
    counts, weights = problem.X.T @ belief, belief.sum(axis=0) + 1.0
    weights = weights / weights.sum()
    shares = np.ascontiguousarray(problem.wishes.word_shares(counts, problem.smoothing).T)
    return GuidedMixture(shares, weights, belief if problem.links is not None else None)


def _log_joint(mixture: GuidedMixture, X: Counts, power: float) -> Floats:
    """Return ln π_k + Σ c ln φ_kw of every document and topic (1), the second term times a power."""
    likelihood = X @ np.log(mixture.components).T
    return np.asarray((likelihood if power == 1.0 else power * likelihood) + np.log(mixture.weights))


GUIDED_EM = EM(_begin, _expect, _maximise)
"""EM for the mixture with a guide."""
