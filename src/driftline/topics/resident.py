"""LDA that stays in memory between small batches: the cost of a call depends on its documents, not the vocabulary.

`LDA.partial_fit` checks, extends and sums whole arrays in every call, which at 200,000 words takes longer than learning
a document. Here the arrays are kept with spare capacity, and the topic shares of the documents are by-products of the
pass that learns them. The steps are those of `LDA.partial_fit` after `fit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.threads import Threads
from driftline.inference.lda_online import BOLDEST, STREAM_PASSES, OnlineLearner
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import SPREADS, TopicCounts, TopicState, nearly_even, spread_of
from driftline.topics.lda import LDA, STREAM_CHUNK

SETTLE_EVERY = 512
"""Number of chunks after which the totals, which are updated by differences, are summed again."""
SCORED = 4
"""Number of documents per scored document; for smaller chunks, number of chunks per scored chunk."""

CONTINUED = 0.1
"""Weight of the current topics in the start of a refit; the rest is as uniform as the start of a first fit."""
TOLERANCE = 1e-4
"""Share of words reassigned in an epoch below which a refit stops."""


class LearnedDocuments(NamedTuple):
    """The topic shares of documents, and the score of some of them before they were learned.

    The score is the log-likelihood of their words under the topics before learning, with the best-fitting shares of
    each document, and the number of these words.
    """

    shares: np.ndarray
    log_likelihood: float
    n_words: float


class ResidentLDA:
    """Topics that learn from documents as they arrive.

    >>> X = sp.csr_matrix(np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0))
    >>> topics = ResidentLDA.fitted(X, n_topics=2, random_state=0)
    >>> learned = topics.learn(Pairs.of(sp.csr_matrix([[2, 2, 0, 0], [0, 0, 3, 1]])), n_words=4)
    >>> learned.shares.shape, bool(learned.shares[0].argmax() != learned.shares[1].argmax())
    ((2, 2), True)
    """

    def __init__(
        self, state: TopicState, n_topics: int, *, words_seen: float, documents_seen: int, n_chunks: int, memory: float
    ) -> None:
        self.n_topics = n_topics
        self.words_seen, self.documents_seen, self.n_chunks = words_seen, documents_seen, n_chunks
        self.memory = memory
        self._counts = TopicCounts.of(state, n_topics)
        self._room = self._counts.values

    @classmethod
    def fitted(
        cls, X: sp.csr_matrix, n_topics: int, *, random_state: int, memory: float = 2e6, max_epochs: int = 30
    ) -> ResidentLDA:
        """Start with topics fitted to some documents, counted."""
        model = LDA(n_topics, random_state=random_state, max_epochs=max_epochs).fit(X)
        counts = model._topics()
        return cls(
            counts.state(),
            n_topics,
            words_seen=model.words_seen_,
            documents_seen=model.documents_seen_,
            n_chunks=0,
            memory=memory,
        )

    def refitted(self, X: sp.csr_matrix, *, random_state: int, max_epochs: int = 30) -> ResidentLDA:
        """Return topics fitted to documents, counted, that continue these.

        `X` has a column for every word that the topics know. A tenth of the start of topic k is topic k, the rest is
        random: a fit from a random start alone would divide the same documents differently, and no topic would persist.
        """
        rng = np.random.default_rng(random_state)
        said = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
        counts = self._counts
        belongs = counts.values[:, : self.n_topics].astype(np.float64) * counts.scale + counts.beta
        belongs *= (said / belongs.sum(axis=1))[:, None]
        start = (1 - CONTINUED) * nearly_even(said, self.n_topics, rng, spread_of(self.n_topics, SPREADS))
        topics = TopicCounts.starting(start + CONTINUED * belongs, counts.document_prior, counts.beta)
        with Threads(1) as engine:
            OnlineLearner(topics, engine).fit(Pairs.of(X), max_epochs, rng, tolerance=TOLERANCE)
        return ResidentLDA(
            topics.state(),
            self.n_topics,
            words_seen=float(said.sum()),
            documents_seen=X.shape[0],
            n_chunks=0,
            memory=self.memory,
        )

    @property
    def n_words(self) -> int:
        """The number of words that the topics know."""
        return len(self._counts.values)

    def learn(self, pairs: Pairs, n_words: int) -> LearnedDocuments:
        """Learn from documents whose words are rows of the topics; there are now `n_words` rows."""
        self.grow(n_words)
        with Threads(1) as engine:
            return self._learn(OnlineLearner(self._counts, engine), pairs)

    def _learn(self, learner: OnlineLearner, pairs: Pairs) -> LearnedDocuments:
        shares = np.empty((pairs.n_documents, self.n_topics), dtype=np.float32)
        log_likelihood = scored = 0.0
        for start in range(0, pairs.n_documents, STREAM_CHUNK):
            end = min(start + STREAM_CHUNK, pairs.n_documents)
            part = pairs.part(start, end)
            found = self._learn_chunk(learner, part)
            shares[start:end] = found.shares
            log_likelihood += found.log_likelihood
            scored += found.n_words
        return LearnedDocuments(shares, log_likelihood, scored)

    def _learn_chunk(self, learner: OnlineLearner, pairs: Pairs) -> LearnedDocuments:
        counts, rows = self._counts, np.arange(pairs.n_documents)
        old, new = (current_kernels().lda_memory.aligned((len(rows), counts.width)) for _ in range(2))
        words = float(pairs.counts.sum(dtype=np.float64))
        scored = (0.0, 0.0)
        if words:
            learner.warm(pairs, rows, STREAM_PASSES, old)
            if len(rows) >= SCORED or self.n_chunks % SCORED == 0:
                scored = self._score(pairs, old)
            remembered = min(self.words_seen + words, self.memory)
            step = min(1.0, BOLDEST * remembered / words)
            total = float(counts.totals.sum())
            counts.forget(min((remembered - step * words) / total, 1.0) if total > 0 else 1.0)
            learner.learn(pairs, rows, old, new, step)
            self.words_seen += words
        self.documents_seen += pairs.n_documents
        self.n_chunks += 1
        if self.n_chunks % SETTLE_EVERY == 0:
            counts.settle()
        found = new[:, : self.n_topics] + counts.document_prior.astype(np.float32)
        return LearnedDocuments(found / found.sum(axis=1, keepdims=True), *scored)

    def _score(self, pairs: Pairs, documents: np.ndarray) -> tuple[float, float]:
        """Return Σ n_dw ln Σ_k θ_dk φ_kw of one document in four, and the number of their words."""
        counts = self._counts
        chosen = np.arange(0, pairs.n_documents, SCORED)
        part = pairs.take(chosen)
        shares = documents[chosen, : self.n_topics] + counts.document_prior.astype(np.float32)
        shares /= shares.sum(axis=1, keepdims=True)
        topics = counts.values[part.words, : self.n_topics] * np.float32(counts.scale)
        topics += np.float32(counts.beta)
        topics *= counts.inverse()[: self.n_topics]
        topics *= np.repeat(shares, np.diff(part.indptr), axis=0)
        likely = np.log(np.maximum(topics.sum(axis=1, dtype=np.float64), 1e-30))
        return float(likely @ part.counts.astype(np.float64)), float(part.counts.sum(dtype=np.float64))

    def grow(self, n_words: int) -> None:
        """Extend the topics to `n_words` words; new ones have not occurred in any topic."""
        if n_words <= self.n_words:
            return
        if n_words > len(self._room):
            room = current_kernels().lda_memory.aligned((max(n_words, 2 * len(self._room)), self._counts.width))
            room[: self.n_words] = self._counts.values
            self._room = room
        self._counts.values = self._room[:n_words]

    def keep(self, rows: Ints) -> None:
        """Keep only these words, in this order."""
        values = self._counts.values[rows]
        room = current_kernels().lda_memory.aligned((max(2 * len(rows), 1), self._counts.width))
        room[: len(rows)] = values
        self._room = room
        self._counts.values = room[: len(rows)]
        self._counts.settle()

    def weights(self) -> Floats:
        """Return the total count of every word."""
        found: Floats = self._counts.values.sum(axis=1, dtype=np.float64) * self._counts.scale
        return found

    def word_shares(self, rows: Ints | None = None) -> Floats:
        """Return the share of words (all by default) in every topic: topics × words."""
        counts = self._counts
        values = counts.values if rows is None else counts.values[rows]
        found = values[:, : self.n_topics].astype(np.float64) * counts.scale + counts.beta
        shares: Floats = (found / (counts.totals[: self.n_topics] + self.n_words * counts.beta)).T
        return shares

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the whole state as arrays; `of_tensors` continues from it with the same bytes."""
        counts = self._counts
        return {
            "values": np.ascontiguousarray(counts.values[:, : self.n_topics]),
            "totals": counts.totals.copy(),
            "document_prior": counts.document_prior.copy(),
            "numbers": np.array(
                [counts.scale, counts.beta, self.words_seen, self.documents_seen, self.n_chunks, self.memory]
            ),
        }

    @classmethod
    def of_tensors(cls, tensors: dict[str, np.ndarray]) -> ResidentLDA:
        """Continue from the state that `tensors` returned."""
        scale, beta, words_seen, documents_seen, n_chunks, memory = tensors["numbers"].tolist()
        n_topics = tensors["values"].shape[1]
        width = current_kernels().lda_memory.padded(n_topics)
        values = current_kernels().lda_memory.pad_columns(tensors["values"], width)
        state = TopicState(values, tensors["totals"].copy(), scale, tensors["document_prior"], beta)
        return cls(
            state,
            n_topics,
            words_seen=words_seen,
            documents_seen=int(documents_seen),
            n_chunks=int(n_chunks),
            memory=memory,
        )
