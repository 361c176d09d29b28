r"""The hierarchical Dirichlet process from a stream: online variational inference, truncated at T topics.

After Wang, Paisley and Blei (2011): the weights of topics are sticks whose factors are updated by stochastic steps.
Unlike in their method, the shares of topics in a document are integrated out as in `driftline.inference.lda_online`,
with the prior :math:`\alpha_k = \alpha_0 E[\beta_k]` (1). The expected number of tables of topic k in a chunk of
documents,

.. math:: E[m_k] = \sum_d \alpha_k\, g(n_{dk}, \alpha_k)                                                           (2)

(g is `digamma_gain`), replaces their document sticks: it is added to the running tables with the step size of the
counts, and :math:`v_k \sim \mathrm{Beta}(1 + m_k, \gamma + \sum_{j > k} m_j)`, with topics ordered by size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import psi

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.engines.threads import Threads
from driftline.inference.lda_online import BOLDEST, STREAM_PASSES, OnlineLearner
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.stick_breaking import expected_weights, stick_posterior
from driftline.inference.topic_counts import STREAM_SPREADS, TopicCounts, nearly_even, spread_of
from driftline.inference.variational import digamma_gain
from driftline.nonparametric.franchise import FIRST_CONCENTRATION, FIRST_DOCUMENT_CONCENTRATION, Priors

CHUNK = 200
"""Number of documents per step."""
BOLD, YOUNG = 4.0, 15_000
"""Weight of the first documents relative to their share, and its half-life in documents."""


class OnlineState(NamedTuple):
    """Counts (topics × words), expected tables of topics, concentrations, η, and the words and documents seen."""

    counts: np.ndarray
    tables: Floats
    document_concentration: float
    concentration: float
    word_prior: float
    words_seen: float
    documents_seen: int

    @property
    def document_prior(self) -> Floats:
        """α₀E[β] of every topic (1)."""
        order = np.argsort(-self.tables, kind="stable")
        weights = np.empty(len(order))
        weights[order] = expected_weights(stick_posterior(self.tables[order], self.concentration))
        return self.document_concentration * weights

    def number(self, share: float) -> int:
        """Return the smallest number of topics that covers this share of all counts."""
        sizes = np.sort(self.counts.sum(axis=1, dtype=np.float64))[::-1]
        return min(int(np.searchsorted(sizes.cumsum(), share * sizes.sum())) + 1, len(sizes))


def begin_online(X: Counts, n_topics: int, priors: Priors, rng: np.random.Generator) -> OnlineState:
    """Start with random topics of equal weight."""
    said = np.asarray(X[:CHUNK].sum(axis=0)).ravel()
    counts = nearly_even(said, n_topics, rng, spread_of(n_topics, STREAM_SPREADS)).T
    first = (priors.document or FIRST_DOCUMENT_CONCENTRATION, priors.topic or FIRST_CONCENTRATION)
    return OnlineState(np.ascontiguousarray(counts), np.ones(n_topics), *first, priors.word or Priors().word, 0.0, 0)


def learn_online(state: OnlineState, X: Counts, learned: tuple[bool, bool], n_jobs: int | None) -> OnlineState:
    """Learn from documents, chunk by chunk; `learned` is whether α₀ and γ are learned."""
    topics = TopicCounts.starting(state.counts.T, state.document_prior, state.word_prior)
    with Threads(n_jobs) as engine:
        learner = OnlineLearner(topics, engine)
        for begin in range(0, X.shape[0], CHUNK):
            state = _learn_chunk(state, learner, Pairs.of(X[begin : begin + CHUNK]), learned)
    topics.settle()
    counts = np.ascontiguousarray(topics.values[:, : topics.n_topics].T)
    return state._replace(counts=counts)


def _learn_chunk(state: OnlineState, learner: OnlineLearner, pairs: Pairs, learned: tuple[bool, bool]) -> OnlineState:
    words, topics = float(pairs.counts.sum(dtype=np.float64)), learner.topics
    n_documents = state.documents_seen + pairs.n_documents
    if not words:
        return state._replace(documents_seen=n_documents)
    topics.set_priors(state.document_prior, state.word_prior)
    seen = state.words_seen + words
    step = min(max(1.0, BOLD / (1 + state.documents_seen / YOUNG)), BOLDEST * seen / words)
    held = float(topics.totals.sum())
    keep = min((seen - step * words) / held, 1.0) if held > 0 else 1.0
    rows = np.arange(pairs.n_documents)
    old, new = (current_kernels().lda_memory.aligned((len(rows), topics.width)) for _ in range(2))
    learner.warm(pairs, rows, STREAM_PASSES, old)
    topics.forget(keep)
    learner.learn(pairs, rows, old, new, step)
    counts, alpha = new[:, : topics.n_topics].astype(np.float64), topics.document_prior
    own = (alpha * digamma_gain(counts, alpha)).sum(axis=0)
    tables = keep * state.tables + step * own
    alpha_0, gamma = state.document_concentration, state.concentration
    if learned[0]:
        lengths = document_lengths(pairs)
        lengths = lengths[lengths > 0]
        gain = float((psi(alpha_0 + lengths) - psi(alpha_0)).sum())
        alpha_0 = _damped(alpha_0, (own.sum() + 1e-9) / gain, words / seen)
    if learned[1]:
        n_used = float((tables > 1.0).sum())
        gain = float(psi(gamma + tables.sum()) - psi(gamma))
        gamma = _damped(gamma, n_used / max(gain, 1e-9) if n_used else gamma, words / seen)
    return state._replace(
        tables=tables,
        document_concentration=alpha_0,
        concentration=gamma,
        words_seen=seen,
        documents_seen=n_documents,
    )


def _damped(value: float, better: float, share: float) -> float:
    """Move a concentration towards a better value, in steps that decrease with the number of documents seen."""
    step = min(1.0, 4.0 * share)
    return float(np.clip(np.exp((1 - step) * np.log(value) + step * np.log(better)), 1e-3, 1e3))
