"""Base of all topic models: topics × words, documents → shares, and scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Labels, Matrix
from driftline.engines.choose import DEFAULT_ENGINE, choose_engine, engine_of, traits_of
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, completion, document_shares
from driftline.inference.own_priors import divided_priors
from driftline.inference.pairs import Pairs
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at


class TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TakesCounts, DriftEstimator):
    """Base of the topic models; subclasses give `components_`, `doc_topic_prior_`, `vocabulary`, `engine`, `n_jobs`.

    `transform` and the scores depend only on `components_` and `doc_topic_prior_`, so models of all kinds are
    comparable.
    """

    components_: Floats
    doc_topic_prior_: Floats
    vocabulary: WordList | None
    engine: str = "threads"
    n_jobs: int | None

    def transform(self, X: Matrix) -> Floats:
        """Return the topic shares of every document, documents × topics; rows sum to one."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        with self._scoring_engine(X) as engine:
            return document_shares(self._known_topics(), Pairs.of(X), engine)

    def score_samples(self, X: Matrix) -> Floats:
        """Return the log-likelihood of the second half of each document, given its first half.

        Words are divided between the halves at random, identically in every call.
        """
        check_is_fitted(self)
        return self._completed(self._check_counts(X, reset=False))[0]

    def score(self, X: Matrix, y: Labels | None = None) -> float:
        """Return the mean log-likelihood, in nats, of a word in the second half of a document given the first half."""
        check_is_fitted(self)
        likelihoods, words = self._completed(self._check_counts(X, reset=False))
        return float(likelihoods.sum() / words.sum()) if words.sum() else 0.0

    def perplexity(self, X: Matrix) -> float:
        """Return exp(−score): the equivalent number of equally probable words."""
        return float(np.exp(-self.score(X)))

    def top_words(self, n: int = 10) -> list[list[str | int]]:
        """Return the `n` most probable words of every topic; column numbers if there is no vocabulary."""
        check_is_fitted(self)
        order = np.argsort(-self.components_, axis=1, kind="stable")[:, :n]
        return [words_at(row, self.vocabulary) for row in order]

    @property
    def _n_features_out(self) -> int:
        return len(self.doc_topic_prior_)

    def _known_topics(self) -> KnownTopics:
        return KnownTopics.of(self.components_, self.doc_topic_prior_)

    def _completed(self, X: Counts) -> tuple[Floats, Floats]:
        with self._scoring_engine(X) as engine:
            return completion(self._known_topics(), X, engine)

    def _scoring_engine(self, X: Counts) -> Engine:
        """Return the engine for documents whose topics are known: remote workers would mostly wait for the data."""
        name = choose_engine(self.engine, float(X.nnz) * self._n_features_out).name
        return engine_of(name if traits_of(name).one_memory else DEFAULT_ENGINE, self.n_jobs)


class AdmixtureModel(TopicModel):
    """Base of the models in which a document has several topics, and may have its own prior."""

    def transform(self, X: Matrix, *, document_prior: npt.ArrayLike | None = None) -> Floats:
        """Return the topic shares of every document, documents × topics; rows sum to one.

        `document_prior` contains a prior of the topics for each document, documents × topics, instead of
        `doc_topic_prior_` for all.
        """
        if document_prior is None:
            return super().transform(X)
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        topics = self._known_topics()
        shared, own = divided_priors(document_prior, X.shape[0], topics.n_topics)
        with Threads(self.n_jobs) as engine:
            prior = current_kernels().lda_memory.pad_columns(shared, topics.shares.shape[1])
            return document_shares(topics._replace(prior=prior), Pairs.of(X), engine, own)
