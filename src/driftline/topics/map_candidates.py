"""The candidate models of a topic map, all started from clusters of documents, and the choice among them.

Without embeddings: a mixture from k-means; *merged*, a mixture of 80 clusters whose topics are merged; LDA from the
merged clusters; and the same LDA first on counts weighted by idf. With embeddings: mixtures of both views, from k-means
of the embeddings, plain and merged. The candidates are fitted without the validation documents, and predict the second
half of each validation document from its first half (and from its embedding). Models with a topic of more than 35 % of
the documents are rejected; if all are rejected, clusters are drawn again, at most twice. The merged mixture is chosen
if it is within 0.1 nats per word of the best: where it predicts nearly as well, its seeds agree more and its words are
more coherent (`benchmarks/topics/map_constants.py`). Otherwise, of the models within 0.04 nats of the best, the one
whose shown words are most coherent in the validation documents is chosen. The mixture from k-means is chosen only if no
other is that close: its words are the least coherent, and with few validation documents it may be best by chance. With
embeddings, the merged mixture must be within 0.04 nats, too: it is better where classes differ in size, and worse where
they do not.

Of at most 2,000 documents, the merged clusters are drawn eight times, and the most typical ones are used; the chosen
model is then fitted again, from clusters of all documents, whereas with more documents its fit only continues. Seeds
then agree more (`benchmarks/topics/few_documents.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.document_completion import KnownTopics, document_shares, halves
from driftline.inference.lda_online import OnlineLearner
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.cluster_merging import merged_labels
from driftline.topics.cluster_start import RESTARTS, clusters, document_vectors, memberships, most_typical
from driftline.topics.shown_words import associations, shown_columns
from driftline.topics.view_mixture import (
    WORD_PRIOR,
    Views,
    ViewTopics,
    fit_views,
    posterior,
    topics_of_clusters,
)

LDA_PRIOR, LDA_WORD_PRIOR = 0.1, 0.05
"""α and β of LDA."""
LDA_EPOCHS, RAW_EPOCHS, LAST_EPOCHS = 15, 3, 5
"""Epochs on counts, on counts after weighted counts, and on all documents once the model is chosen."""
LAST_STEPS = 5
FINE_CLUSTERS = 80
FEW_DOCUMENTS, DRAWS = 2000, 8
"""Maximum number of documents whose merged clusters are drawn repeatedly, and the number of draws."""
LARGEST = 0.35
"""Largest share of the documents in one topic (twice an equal share, if that is more)."""
ATTEMPTS = 3
"""Maximum number of times that clusters are drawn if every model started from them has a topic that is too large."""
NEAR, NEAR_MERGED = 0.04, 0.1
"""Nats per word from the best within which coherence decides, and within which the merged mixture is preferred (with
embeddings, the first)."""
VALIDATED = 8
"""Number of documents per validation document."""
N_SHOWN = 10
BASELINE = "for comparison"
"""Outcome of the last trial, the frequencies of words without topics."""


class TopicFit(NamedTuple):
    """Topics of LDA, with a prior of the topics in a document (α), or of a mixture, without one (0)."""

    topics: ViewTopics
    prior: float

    def shares(self, views: Views, engine: Engine) -> Floats:
        """Return the shares of the topics in every document."""
        if self.prior:
            known = KnownTopics.of(self.topics.components, np.full(len(self.topics.weights), self.prior))
            return document_shares(known, Pairs.of(sp.csr_matrix(views.X)), engine)
        return posterior(self.topics, views)


class Trial(NamedTuple):
    """One model that was tried: validated nats per word, coherence of its words, largest share of a topic."""

    name: str
    nats: float
    coherence: float
    largest: float
    outcome: str


class Documents(NamedTuple):
    """The documents that the models are fitted to, and the settings."""

    views: Views
    n_topics: int
    rng: np.random.Generator
    engine: Engine

    @property
    def most(self) -> float:
        """The largest share of a topic."""
        return max(LARGEST, 2.0 / self.n_topics)


def starts(documents: Documents) -> dict[str, Ints]:
    """Return the clusters that the models start from: plain, and merged from many."""
    views, rng, n_topics = documents.views, documents.rng, documents.n_topics
    vectors = views.vectors if views.vectors.shape[1] else document_vectors(views.X, rng)
    plain = clusters(vectors, n_topics, rng)
    if len(vectors) > FEW_DOCUMENTS:
        return {"plain": plain, "merged": _merged_clusters(documents, vectors, RESTARTS)}
    return {"plain": plain, "merged": most_typical([_merged_clusters(documents, vectors, 1) for _ in range(DRAWS)])}


def _merged_clusters(documents: Documents, vectors: Floats, restarts: int) -> Ints:
    views, n_topics = documents.views, documents.n_topics
    n_fine = max(min(FINE_CLUSTERS, len(vectors) // 5), n_topics)
    fine = clusters(vectors, n_fine, documents.rng, restarts)
    topics = topics_of_clusters(views, fine, int(fine.max(initial=0)) + 1)
    settled = posterior(fit_views(views, topics), views).argmax(axis=1)
    return merged_labels(views, settled, n_topics, largest=documents.most)


def _mixture(start: str) -> Callable[[Documents, dict[str, Ints]], TopicFit]:
    def fit(documents: Documents, started: dict[str, Ints]) -> TopicFit:
        labels = started[start]
        topics = topics_of_clusters(documents.views, labels, int(labels.max(initial=0)) + 1)
        return TopicFit(fit_views(documents.views, topics), 0.0)

    return fit


def _lda(documents: Documents, started: dict[str, Ints]) -> TopicFit:
    member = memberships(started["merged"], int(started["merged"].max(initial=0)) + 1)
    counts = (documents.views.X.T @ member).toarray()
    return learned_lda(documents, counts, documents.views.X, LDA_EPOCHS)


def _weighted_lda(documents: Documents, started: dict[str, Ints]) -> TopicFit:
    X = documents.views.X
    member = memberships(started["merged"], int(started["merged"].max(initial=0)) + 1)
    weighted = idf_weighted(X)
    first = learned_counts(documents, (weighted.T @ member).toarray(), weighted, LDA_EPOCHS)
    return learned_lda(documents, first, X, RAW_EPOCHS)


CANDIDATES: dict[str, Callable[[Documents, dict[str, Ints]], TopicFit]] = {
    "mixture": _mixture("plain"),
    "merged": _mixture("merged"),
    "lda": _lda,
    "lda, idf": _weighted_lda,
}
"""Name → function that fits it; mixtures use the embeddings if there are any, LDA cannot."""


def idf_weighted(X: Counts) -> Counts:
    """Weight counts by ln(N / df), scaled so that the weights of all tokens have a mean of one."""
    in_documents = np.bincount(X.indices, minlength=X.shape[1])
    weights = np.log(X.shape[0] / np.maximum(in_documents, 1))
    total = float((X @ weights).sum())
    scaled = weights * (float(X.sum()) / total) if total > 0 else np.ones_like(weights)
    found = sp.csr_matrix(X @ sp.diags_array(scaled))
    found.eliminate_zeros()
    return found


def learned_counts(documents: Documents, start: Floats, X: Counts, epochs: int) -> Floats:
    """Learn LDA online from counts of words × topics; return them after the last epoch."""
    topics = TopicCounts.starting(start, np.full(start.shape[1], LDA_PRIOR), LDA_WORD_PRIOR)
    learner = OnlineLearner(topics, documents.engine)
    learner.fit(Pairs.of(sp.csr_matrix(X)), epochs, documents.rng, tolerance=1e-4, first_step=1.0)
    topics.settle()
    found: Floats = topics.values[:, : start.shape[1]].astype(np.float64)
    return found


def learned_lda(documents: Documents, start: Floats, X: Counts, epochs: int) -> TopicFit:
    """Learn LDA from counts of words × topics."""
    counts = learned_counts(documents, start, X, epochs).T + LDA_WORD_PRIOR
    sizes = counts.sum(axis=1)
    return TopicFit(
        ViewTopics(counts / sizes[:, None], sizes / sizes.sum(), np.zeros((len(counts), 0)), 1.0), LDA_PRIOR
    )


class Validation(NamedTuple):
    """Documents that no model was fitted to: their first halves with their vectors, second halves, and all words."""

    given: Views
    asked: Counts
    whole: Counts

    @classmethod
    def of(cls, views: Views) -> Validation:
        """Divide the words of every document into two halves."""
        given, asked = halves(sp.csr_matrix(views.X))
        return cls(Views(given, views.vectors), asked, views.X)

    def nats(self, fit: TopicFit, engine: Engine) -> float:
        """Return the mean log-likelihood of a word of the second halves."""
        shares, asked = fit.shares(self.given, engine), self.asked.tocoo()
        if not asked.nnz:
            return 0.0
        likelihood = np.einsum("nk,kn->n", shares[asked.row], fit.topics.components[:, asked.col])
        return float((asked.data * np.log(likelihood)).sum() / asked.data.sum())

    def word_nats(self, X: Counts) -> float:
        """Return the mean log-likelihood of these words under their frequencies in other documents."""
        counts = np.asarray(X.sum(axis=0)).ravel() + WORD_PRIOR
        asked = np.asarray(self.asked.sum(axis=0)).ravel()
        return float(asked @ np.log(counts / counts.sum()) / asked.sum())

    def coherence(self, columns: Ints) -> float:
        """Return the mean association of the shown words of a topic in these documents, over topics."""
        used, place = np.unique(columns, return_inverse=True)
        between = associations(sp.csr_array(self.whole), used)
        place = place.reshape(columns.shape)
        pairs = np.triu_indices(columns.shape[1], 1)
        return float(np.mean([between[np.ix_(row, row)][pairs].mean() if len(pairs[0]) else 0.0 for row in place]))


def split_documents(X: Counts, rng: np.random.Generator) -> tuple[Bools, Bools]:
    """Return masks of the documents for fitting and for validation; duplicates of fitted ones are not in the latter."""
    n = X.shape[0]
    held = np.zeros(n, dtype=np.bool_)
    held[rng.permutation(n)[: n // VALIDATED]] = True
    key = row_keys(X)
    lengths = np.diff(X.indptr)
    validates = held & ~np.isin(key, key[~held]) & (lengths > 0)
    return ~held, validates


def row_keys(X: Counts) -> Ints:
    """Return a number for every row, the same for equal rows."""
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 2**62, (X.shape[1], 2), dtype=np.int64)
    mixed = weights[X.indices, 0] * X.data.astype(np.int64) + weights[X.indices, 1]
    running = np.concatenate([[0], np.cumsum(mixed)])  # overflow wraps round, alike for equal rows
    found: Ints = running[X.indptr[1:]] - running[X.indptr[:-1]]
    return found


def choose_model(documents: Documents, validation: Validation, names: list[str]) -> tuple[TopicFit, list[Trial]]:
    """Fit the named candidates and return the chosen one, with a record of all."""
    views, engine = documents.views, documents.engine
    fits, largest = _fitted(documents, names)
    nats = np.array([validation.nats(fit, engine) for fit in fits])
    shown = [shown_columns(fit.topics.components, views.X, N_SHOWN) for fit in fits]
    coherence = np.array([validation.coherence(columns) for columns in shown])
    allowed = largest <= documents.most
    if not allowed.any():
        allowed = largest == largest.min()
    best = nats[allowed].max()
    near = allowed & (nats >= best - NEAR)
    is_merged = np.array([name == "merged" for name in names])
    has_vectors = views.vectors.shape[1] > 0
    merged = is_merged & (near if has_vectors else allowed & (nats >= best - NEAR_MERGED))
    considered = near & np.array([has_vectors or name != "mixture" for name in names])
    considered = considered if considered.any() else near
    chosen = int(np.argmax(merged) if merged.any() else np.argmax(np.where(considered, coherence, -np.inf)))
    trials = [
        Trial(name, float(nats[i]), float(coherence[i]), float(largest[i]), _outcome(i == chosen, allowed[i], near[i]))
        for i, name in enumerate(names)
    ]
    trials.append(Trial("no topics", validation.word_nats(views.X), 0.0, 1.0, BASELINE))
    return fits[chosen], trials


def _fitted(documents: Documents, names: list[str]) -> tuple[list[TopicFit], Floats]:
    """Fit the named candidates; return them with their largest shares, from new clusters if all are too large."""
    found: list[tuple[list[TopicFit], Floats]] = []
    for _ in range(ATTEMPTS):
        started = starts(documents)
        fits = [CANDIDATES[name](documents, started) for name in names]
        found.append((fits, np.array([largest_share(fit.shares(documents.views, documents.engine)) for fit in fits])))
        if found[-1][1].min() <= documents.most:
            break
    return min(found, key=lambda one: float(one[1].min()))


def _outcome(chosen: bool, allowed: bool, near: bool) -> str:
    if chosen:
        return "chosen"
    if not allowed:
        return "refused: a topic is too large"
    return "near the best" if near else "predicts worse"


def largest_share(shares: Floats) -> float:
    """Return the share of documents in the topic that is the main topic of the most documents."""
    return float(np.bincount(shares.argmax(axis=1)).max() / len(shares)) if len(shares) else 0.0


def fit_all(name: str, fit: TopicFit, documents: Documents, chosen_on: Views) -> TopicFit:
    """Fit a chosen model to all documents, again if they are few, unless only that fit has too large a topic."""
    views, engine = documents.views, documents.engine
    if views.X.shape[0] <= FEW_DOCUMENTS:
        last = CANDIDATES[name](documents, starts(documents))
    elif fit.prior:
        counts = fit.topics.components.T * (fit.topics.weights * float(views.X.sum()))
        last = learned_lda(documents, counts, views.X, LAST_EPOCHS)
    else:
        last = TopicFit(fit_views(views, fit.topics, max_steps=LAST_STEPS), 0.0)
    if largest_share(last.shares(chosen_on, engine)) <= documents.most:
        return last
    return fit if largest_share(fit.shares(chosen_on, engine)) <= documents.most else last
