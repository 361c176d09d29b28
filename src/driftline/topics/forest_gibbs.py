"""Gibbs sampling for LDA whose words belong together or apart: topics of tokens, then the sets of every topic.

The prior is that of `driftline.inference.dirichlet_forest`. Every draw computes the weights of all topics, and the
counts of documents are dense, so the sampler suits corpora of moderate size; it runs in one thread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.dirichlet_forest import Forest, draw_sets, forest_of, forest_shares, vertex_counts
from driftline.inference.gibbs import Gibbs
from driftline.inference.own_priors import prior_rows
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts, TopicSum
from driftline.topics.lda_gibbs import expanded_tokens


class ForestProblem(NamedTuple):
    """Tokens (words, documents, weights), α_d, the seeds' counts of words × topics, the initial shares, and bans.

    `banned` contains the position in `bans` at which the excluded topics of each word begin.
    """

    words: Ints
    documents: Ints
    weights: Floats
    priors: Floats
    seeds: Floats
    start: Floats
    forest: Forest
    banned: Ints
    bans: Ints


class ForestState(NamedTuple):
    """The topic of every token, the sets of the topics (vertices × topics), and Σ ln p / n."""

    topics: Ints
    chosen: Bools
    likelihood: float


def forest_problem(pairs: Pairs, topics: TopicCounts, own: Pairs | None) -> ForestProblem:
    """Return the problem of documents whose topics have rules about groups of words."""
    groups, k, n = topics.rules.groups, topics.n_topics, pairs.n_documents
    if groups is None:
        raise ValueError("there are no groups of words")
    documents = np.repeat(np.arange(n, dtype=np.int64), np.diff(pairs.indptr))
    words, documents, weights = expanded_tokens(pairs.words.astype(np.int64), documents, pairs.counts)
    alpha = prior_rows(topics.alpha, own, np.arange(n)).astype(np.float64)
    priors = np.ascontiguousarray(np.broadcast_to(alpha[..., :k], (n, k)))
    seeds = np.zeros((topics.n_words, k))
    for row, extra in topics.seeds.items():
        seeds[row] += extra[:k]
    with topics.as_seen():
        counts = np.maximum(topics.values[:, :k].astype(np.float64) * topics.scale, 0.0) + topics.beta
    rows = topics.rules.banned[np.argsort(topics.rules.banned[:, 0], kind="stable")]
    counts[rows[:, 0], rows[:, 1]] = 0.0
    return ForestProblem(
        words,
        documents,
        weights.astype(np.float64),
        priors,
        seeds,
        counts / counts.sum(axis=0),
        forest_of(groups, topics.n_words, topics.beta),
        np.searchsorted(rows[:, 0], np.arange(topics.n_words + 1)).astype(np.int64),
        rows[:, 1].astype(np.int64),
    )


def forest_counts(state: ForestState, problem: ForestProblem) -> Floats:
    """Return the counts of words × topics, with the seeds."""
    found = problem.seeds.copy()
    np.add.at(found, (problem.words, state.topics), problem.weights)
    return found


def _begin(problem: ForestProblem, rng: np.random.Generator) -> ForestState:
    """Draw the topic of every token given its word alone, then the sets."""
    weights = problem.start / problem.start.sum(axis=1, keepdims=True)
    sums = np.cumsum(weights, axis=1)[problem.words]
    topics = (rng.random((len(sums), 1)) * sums[:, -1:] >= sums).sum(axis=1).clip(0, sums.shape[1] - 1)
    last = sums.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)  # rounding never leads to an excluded topic
    state = ForestState(np.minimum(topics, last[problem.words]).astype(np.int64), np.empty(0, dtype=np.bool_), np.nan)
    return _draw_sets(state, problem, rng)


def _draw_sets(state: ForestState, problem: ForestProblem, rng: np.random.Generator) -> ForestState:
    counts = vertex_counts(forest_counts(state, problem), problem.forest)
    return state._replace(chosen=draw_sets(counts, problem.forest, rng))


def _draw_topics(state: ForestState, problem: ForestProblem, rng: np.random.Generator) -> ForestState:
    forest, topics = problem.forest, state.topics.copy()
    counts = forest_counts(state, problem)
    documents = problem.priors.copy()
    np.add.at(documents, (problem.documents, topics), problem.weights)
    members = [component.vertices for component in forest.components]
    likelihood = current_kernels().lda_gibbs.sweep_forest(
        *(problem.words, problem.documents, problem.weights, topics),
        *(counts, counts.sum(axis=0), forest.beta, forest.vertex, forest.within, forest.strength),
        *(vertex_counts(counts, forest), forest.beta * forest.sizes, forest.in_component),
        np.concatenate([*members, np.empty(0, dtype=np.int64)]).astype(np.int64),
        np.cumsum([0, *map(len, members)]).astype(np.int64),
        *(state.chosen, problem.banned, problem.bans, documents, documents.sum(axis=1)),
        *(seed_of(rng), np.empty(documents.shape[1])),
    )
    return state._replace(topics=topics, likelihood=float(likelihood) / max(float(problem.weights.sum()), 1e-300))


FOREST_GIBBS: Gibbs[ForestProblem, ForestState] = Gibbs(
    _begin, (_draw_topics, _draw_sets), lambda state, problem: state.likelihood
)
"""The sampler."""


def add_forest_sample(
    problem: ForestProblem, width: int, document_prior: Floats, kept: TopicSum | None, state: ForestState
) -> TopicSum:
    """Add a sample, as counts whose sum with β is proportional to the shares under the forest."""
    counts = forest_counts(state, problem)
    totals = counts.sum(axis=0) + problem.forest.beta * len(counts)
    shares = forest_shares(counts, state.chosen, problem.forest)
    values = np.zeros((len(counts), width), dtype=np.float32)
    values[:, : len(totals)] = shares * totals - problem.forest.beta
    return (
        TopicSum(values, 1, document_prior, problem.forest.beta)
        if kept is None
        else kept.added(values, document_prior, problem.forest.beta)
    )
