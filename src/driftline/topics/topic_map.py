"""Topics for readers: the model is chosen by validation, and every topic has a name, words, a state and a position."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Each, Layout, Number, Text, Together
from driftline.base.topic_model import TopicModel
from driftline.core.arrays import Bools, Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.core.results import Results
from driftline.engines.threads import Threads
from driftline.streams.units import units_of
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import word_at
from driftline.topics.embedding_view import EmbeddingView, checked_embeddings, view_of_fit
from driftline.topics.map_candidates import (
    BASELINE,
    CANDIDATES,
    LDA_PRIOR,
    Documents,
    TopicFit,
    Trial,
    Validation,
    choose_model,
    fit_all,
    row_keys,
    split_documents,
    starts,
)
from driftline.topics.shown_words import shown_columns
from driftline.topics.topic_cards import (
    NAMING_WORDS,
    REST,
    Texts,
    TopicCard,
    TopicGroup,
    example_rows,
    near_duplicates,
    rest_notes,
    share_bands,
    topic_names,
)
from driftline.topics.topic_layout import TopicTree, topic_distances, topic_places, topic_tree
from driftline.topics.topic_number import fewer_found, supported_topics
from driftline.topics.topic_states import STATES, State, left_out_words, reading_order, topic_states, without_general
from driftline.topics.view_mixture import Views, ViewTopics, topics_of_clusters

CHOSEN_ON = 20_000
"""Maximum number of documents, drawn at random, on which the model is chosen; it is then fitted to all."""
UNSURE = 0.5
"""Share of the main topic below which a document is unsure."""
LEAST_VALIDATED = 20
"""Minimum number of words in second halves for validation; with fewer, nothing is validated."""
MODELS = {"auto": tuple(CANDIDATES), "lda": ("lda", "lda, idf"), "mixture": ("mixture",), "merged": ("merged",)}
"""The candidates of each value of the parameter `model`."""


class TopicMap(TopicModel):
    """Find topics that people can read, with or without embeddings of the documents.

    LDA, a mixture of unigrams and a merged mixture are started from clusters of documents, and the one that predicts
    documents best is chosen (`driftline.topics.map_candidates` has the rule). With embeddings, each topic also has a
    centre among them, and only mixtures are candidates.

    Parameters
    ----------
    n_topics : int, optional
        K. By default 20, or one per 100 distinct documents if these are fewer than 2,000. A given number is kept,
        unless there are fewer than five distinct documents per topic.
    model : {"auto", "lda", "mixture", "merged"}
        The candidates: all, LDA alone, or one of the mixtures.
    n_words : int
        Words shown per topic.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns.
    random_state : int, RandomState, Generator or None
        The seed.

    Attributes
    ----------
    topics_ : list of TopicCard
        Name, words, share with a 95 % band, examples, near duplicates, and state of every topic. Clear topics come
        first, then mixed ones, then junk; among each, the largest first.
    rest_ : TopicGroup or None
        The junk topics together.
    model_ : str
        The chosen model: "lda", "lda, idf", "mixture" or "merged"; "one topic" if there is only one.
    trial_ : list of Trial
        All models that were tried: validated nats per word, coherence, largest share of a topic, outcome. The last
        is "no topics", the frequencies of words in all documents.
    components_ : ndarray of shape (n_topics, n_words)
        The share of every word in every topic; rows sum to one.
    weights_ : ndarray of shape (n_topics,)
        π, the shares of the topics.
    labels_ : ndarray of shape (n_documents,)
        The main topic of every document.
    unsure_, empty_ : ndarray of int
        Documents without a topic of half their words or more, and documents without words. Both have labels.
    hierarchy_ : TopicTree
        The mergers of the topics.
    xy_ : ndarray of shape (n_topics, 2)
        Positions of the topics on a map.
    notes_ : list of str
        What was done differently from what was requested, and why.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 20, axis=0) + np.random.default_rng(0).integers(0, 2, (40, 4))
    >>> words = ["war", "iraq", "sars", "virus"]
    >>> topics = TopicMap(n_topics=2, model="mixture", vocabulary=words, random_state=0, n_words=2).fit(X)
    >>> sorted(sorted(card.words) for card in topics.topics_)
    [['iraq', 'war'], ['sars', 'virus']]
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "components_": Array("topics", "words", least=0),
        "weights_": Array("topics", least=0),
        "model_": Text((*CANDIDATES, "one topic")),
        "labels_": Array("documents", kind="i", below="topics"),
        "unsure_": Array(None, kind="i", below="documents"),
        "empty_": Array(None, kind="i", below="documents"),
        "xy_": Array("topics", 2),
        "notes_": Each(Text()),
        "_trial_": Each(
            Together({"name": Text(), "nats": Number(), "coherence": Number(), "largest": Number(), "outcome": Text()})
        ),
        "_shown_": Array("topics", None, kind="i", below="words"),
        "_bands_": Array(3, "topics", least=0, most=1),
        "_states_": Each(Text(STATES), "topics"),
        "_names_": Each(Text(), "topics"),
        "_examples_": Array("topics", None, kind="i", least=-1),
        "_near_": Array("topics", "topics", kind="b"),
        "_merges_": Array(None, 2, kind="i", least=0),
        "_lost_": Array(None, least=0),
        "_centres_": Array("topics", "reduced"),
        "_variance_": Number(least=0),
        "_mean_": Array("dimensions"),
        "_basis_": Array("dimensions", "reduced"),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "model": [StrOptions(set(MODELS))],
        "n_words": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
    }

    def __init__(
        self,
        n_topics: int | None = None,
        model: str = "auto",
        n_words: int = 10,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_topics = n_topics
        self.model = model
        self.n_words = n_words
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Matrix,
        y: Labels | None = None,
        *,
        texts: Texts | None = None,
        times: Times | None = None,
        embeddings: npt.ArrayLike | None = None,
    ) -> TopicMap:
        """Learn from documents × words counts; `y` is ignored.

        Parameters
        ----------
        X : sparse or dense counts
            Documents × words.
        y : ignored
        texts : sequence of str or Arrow array, optional
            The documents, from which the topics get their names.
        times : array, optional
            One per document; the bands of the shares then treat documents of the same day as dependent.
        embeddings : array of shape (n_documents, n_dimensions), optional
            A vector for each document, from any language model.
        """
        X = self._check_counts(X, reset=True)
        n = X.shape[0]
        if texts is not None and len(texts) != n:
            raise InvalidInput(f"there are {len(texts)} texts for {n} documents; give one per document")
        units = units_of(times, n=n, unit="document" if times is None else "auto")
        if embeddings is not None and self.model == "lda":
            raise InvalidInput("LDA cannot use embeddings; model must be 'auto', 'mixture' or 'merged' with them")
        (self._mean_, self._basis_), vectors, self.notes_ = view_of_fit(embeddings, n)
        rng = generator(self.random_state)
        with Threads(self.n_jobs) as engine:
            views = Views.of(X, vectors)
            n_topics, fewer = supported_topics(X, self.n_topics)
            self.notes_ += fewer
            fit, rows, validates = self._choose(views, n_topics, rng, engine)
            self.notes_ += fewer_found(len(fit.topics.weights), n_topics)
            self._keep(fit, np.arange(len(fit.topics.weights)))
            shares = self._shares(views, engine)
        read = sp.csr_array(X[rows])
        self._shown_: Ints = shown_columns(self.components_, read, self.n_words)
        states = self._judge(read, shares[rows], validates, rng)
        order = reading_order(states, shares.mean(axis=0))
        self._keep(fit, order)
        shares, self._shown_ = shares[:, order], self._shown_[order]
        self._states_ = [states[k] for k in order.tolist()]
        self.weights_ = shares.mean(axis=0)
        self.notes_ += rest_notes(self._states_, self.weights_)
        self.labels_ = shares.argmax(axis=1)
        lengths = np.asarray(X.sum(axis=1)).ravel()
        self.empty_ = np.flatnonzero(lengths == 0)
        self.unsure_ = np.flatnonzero((shares.max(axis=1) < UNSURE) & (lengths > 0))
        self._describe(X, shares, read, texts)
        self._bands_ = np.array(share_bands(shares, units))
        return self

    def transform(self, X: Matrix, embeddings: npt.ArrayLike | None = None) -> Floats:
        """Return the topic shares of every document, documents × topics; rows sum to one.

        `embeddings`, if the map was fitted with some, are one vector per document; without them, words alone decide. A
        document with neither words nor an embedding has the shares of the topics in all documents.
        """
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        vectors = None
        if embeddings is not None:
            if not self.uses_embeddings_:
                raise InvalidInput("this map was fitted without embeddings and cannot use any")
            checked = checked_embeddings(embeddings, X.shape[0], len(self._mean_))
            vectors = EmbeddingView(self._mean_, self._basis_).vectors(checked)
        with Threads(self.n_jobs) as engine:
            return self._shares(Views.of(X, vectors), engine)

    @property
    def uses_embeddings_(self) -> bool:
        """Whether the map was fitted with embeddings."""
        return len(self._mean_) > 0

    @property
    def doc_topic_prior_(self) -> Floats:  # type: ignore[override]
        """The prior of a document's topics in `score`: α of LDA, the shares of a mixture."""
        return np.full(len(self.weights_), LDA_PRIOR) if self.model_.startswith("lda") else self.weights_

    @property
    def topics_(self) -> Results[TopicCard]:
        """The topics: clear ones, mixed ones, junk (the rest); the largest first."""
        check_is_fitted(self)
        cards = (
            TopicCard(
                self._names_[k],
                [word_at(column, self.vocabulary) for column in self._shown_[k]],
                float(self._bands_[0, k]),
                float(self._bands_[1, k]),
                float(self._bands_[2, k]),
                self._states_[k],
                [int(row) for row in self._examples_[k] if row >= 0],
                np.flatnonzero(self._near_[k]).tolist(),
            )
            for k in range(len(self.components_))
        )
        return Results(TopicCard, cards, name="name", quantity="share")

    @property
    def rest_(self) -> TopicGroup | None:
        """The junk topics together, with the words that they use most; None if there are none."""
        check_is_fitted(self)
        topics = [k for k, state in enumerate(self._states_) if state == "junk"]
        return self._group(topics, REST) if topics else None

    @property
    def trial_(self) -> list[Trial]:
        """The models that were tried."""
        check_is_fitted(self)
        return [Trial(name, nats, coherence, largest, how) for name, nats, coherence, largest, how in self._trial_]

    @property
    def hierarchy_(self) -> TopicTree:
        """The mergers of the topics."""
        check_is_fitted(self)
        return TopicTree(self._merges_, self._lost_)

    def cut(self, n_groups: int) -> Results[TopicGroup]:
        """Return the topics in `n_groups` groups, by the tree and without another fit; largest first."""
        groups = self.hierarchy_.cut(n_groups)
        found = [self._group(np.flatnonzero(groups == group).tolist()) for group in range(n_groups)]
        return Results(TopicGroup, sorted(found, key=lambda one: -one.share), name="name", quantity="share")

    def _group(self, topics: list[int], name: str | None = None) -> TopicGroup:
        """Return topics together, named after the largest unless a name is given."""
        share = self._bands_[0, topics]
        pooled = share @ self.components_[topics]
        shown = np.unique(self._shown_[topics])
        best = shown[np.argsort(-pooled[shown], kind="stable")][: self._shown_.shape[1]]
        words = [word_at(column, self.vocabulary) for column in best]
        return TopicGroup(name or self._names_[topics[np.argmax(share)]], topics, words, float(share.sum()))

    def _choose(
        self, views: Views, n_topics: int, rng: np.random.Generator, engine: Threads
    ) -> tuple[TopicFit, Ints, Bools | None]:
        """Return the model fitted to all documents, the rows of those that it was chosen on, and which validated it.

        The last is None if the model predicts these better than word frequencies do.
        """
        X = views.X
        self._trial_: list[tuple[str, float, float, float, str]] = []
        used = np.flatnonzero(np.diff(X.indptr) > 0)
        if len(used) > CHOSEN_ON:
            used = np.sort(rng.choice(used, CHOSEN_ON, replace=False))
        if n_topics == 1:
            self.model_ = "one topic"
            one = topics_of_clusters(views, np.zeros(X.shape[0], dtype=np.int64), 1)
            return TopicFit(one, 0.0), used, None
        chosen_on = Views(X[used], views.vectors[used])
        fitted, validates = split_documents(chosen_on.X, rng)
        validation = Validation.of(Views(chosen_on.X[validates], chosen_on.vectors[validates]))
        names = [name for name in MODELS[self.model] if not (self.uses_embeddings_ and name.startswith("lda"))]
        if np.asarray(chosen_on.X.sum(axis=1)).max(initial=0) < 2:
            names = ["mixture"]
            self.notes_.append("a mixture, as no document has two words")
        everything = Documents(views, n_topics, rng, engine)
        if validation.asked.sum() < LEAST_VALIDATED:
            self.model_ = "merged" if "merged" in names else names[0]
            self.notes_.append("nothing was validated: there are too few different documents of two words or more")
            few = Documents(chosen_on, n_topics, rng, engine)
            return fit_all(self.model_, CANDIDATES[self.model_](few, starts(few)), everything, chosen_on), used, None
        documents = Documents(Views(chosen_on.X[fitted], chosen_on.vectors[fitted]), n_topics, rng, engine)
        fit, trials = choose_model(documents, validation, names)
        self.model_ = next(trial.name for trial in trials if trial.outcome == "chosen")
        self._trial_ = [(one.name, one.nats, one.coherence, one.largest, one.outcome) for one in trials]
        known = {one.outcome: one.nats for one in trials}
        better = known["chosen"] > known[BASELINE]
        if not better:
            self.notes_.append(
                "the topics predict words no better than the frequencies of all words do: they may be arbitrary"
            )
        return fit_all(self.model_, fit, everything, chosen_on), used, None if better else validates

    def _keep(self, fit: TopicFit, order: Ints) -> None:
        topics = fit.topics
        self.components_, self.weights_ = topics.components[order], topics.weights[order]
        self._centres_, self._variance_ = topics.centres[order], float(topics.variance)

    def _shares(self, views: Views, engine: Threads) -> Floats:
        prior = LDA_PRIOR if self.model_.startswith("lda") else 0.0
        topics = ViewTopics(self.components_, self.weights_, self._centres_, self._variance_)
        shares = TopicFit(topics, prior).shares(views, engine)
        if not views.vectors.shape[1]:
            shares[np.diff(views.X.indptr) == 0] = self.weights_
        return shares

    def _judge(self, read: Counts, shares: Floats, validates: Bools | None, rng: np.random.Generator) -> list[State]:
        """Return the states of the topics. A single topic is clear if all documents are equal.

        Documents in the parts of `left_out_words` still contribute to the division into topics. If that division
        predicts nothing, the words are tested in documents that did not contribute to it at all.
        """
        if len(self.components_) == 1:
            return ["clear" if len(np.unique(row_keys(read))) <= 1 else "mixed"]
        if validates is not None:
            chosen = shown_columns(self.components_, read[np.flatnonzero(~validates)], self.n_words)
            return topic_states(self._shown_, read, [(chosen, read[np.flatnonzero(validates)])], rng)
        by_word = self.model_.startswith("lda")
        tests = left_out_words(self.components_, shares, read, self.n_words, rng, by_word=by_word)
        states = topic_states(self._shown_, read, tests, rng)
        return without_general(states, self.components_, self._shown_)

    def _describe(self, X: Counts, shares: Floats, read: Counts, texts: Texts | None) -> None:
        """Set what readers see of the topics, except for words, states and bands."""
        self._near_ = near_duplicates(self._shown_)
        self._examples_ = example_rows(shares, X, self._shown_)
        many = shown_columns(self.components_, read, max(self.n_words, NAMING_WORDS))
        words = [[word_at(column, self.vocabulary) for column in row] for row in many]
        self._names_ = topic_names(words, shares, X, texts)
        self.xy_ = topic_places(topic_distances(self.components_)).xy
        tree = topic_tree(self.components_, self.weights_)
        self._merges_, self._lost_ = tree.merges, tree.lost
