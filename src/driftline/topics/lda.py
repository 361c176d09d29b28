r"""Latent Dirichlet allocation: every document is a mixture of topics, every topic a distribution of words."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints, Matrix
from driftline.core.randomness import Seed, generator
from driftline.engines.choose import ENGINES
from driftline.engines.threads import Threads
from driftline.topics.document_completion import KnownTopics, Pairs
from driftline.topics.fitting import FitReport, learn_topics
from driftline.topics.lda_online import BOLDEST, OnlineLearner
from driftline.topics.priors import Learned, document_prior, seed_counts
from driftline.topics.topic_counts import SPREADS, STREAM_SPREADS, TopicCounts, nearly_even, spread_of
from driftline.topics.topic_model import TopicModel
from driftline.topics.word_slots import NO_SLOT, drop_lightest, give_slots

STREAM_CHUNK = 200
"""Number of documents per step of `partial_fit`."""
BOLD_STREAM = 4.0
"""Weight of the beginning of a stream relative to its share, because little has been learned before it."""
YOUNG = 15_000
"""Half-life of that weight in documents."""
START = 0.01
"""Initial word prior when it is learned."""


class LDA(TopicModel):
    r"""Find topics in counted documents.

    Document d has topic shares :math:`\theta_d \sim \mathrm{Dir}(\alpha)`, topic k word shares
    :math:`\phi_k \sim \mathrm{Dir}(\beta)`; each word of d is drawn from a topic that is drawn from
    :math:`\theta_d`.

    Parameters
    ----------
    n_topics : int
        K.
    inference : {"online", "gibbs", "vb"}
        ``"online"`` is collapsed variational inference in chunks: the fastest by far. ``"gibbs"`` continues from there
        by sampling, and averages samples: more accurate in recovering true topics. ``"vb"`` is textbook variational EM,
        as a reference.
    max_epochs : int
        Maximum number of passes over the documents (before sampling, with ``"gibbs"``).
    tolerance : float
        Stop when an epoch reassigns less than this share of the words to another topic (``"vb"``: increases the bound
        by less than this share).
    doc_topic_prior : float, array, "learned" or None
        α: one number, one per topic, or learned (one per topic). None is 5 / n_topics.
    topic_word_prior : float or "learned"
        β.
    seed_words : dict, optional
        Words that belong to a topic: ``{0: ["war", "iraq"]}``, or a prior for each of its words, as counts:
        ``{0: {"war": 200, "iraq": 10}}``; strings need a `vocabulary`.
    seed_weight : float
        Prior count in its topic of each seed word without its own weight.
    burn_in, n_samples : int
        Sweeps of ``"gibbs"`` before the first sample, and the number of averaged samples (one per sweep after that).
    memory : int, optional
        Number of words that `partial_fit` remembers; older ones are discounted. None remembers all.
    max_words : int, optional
        Maximum number of words in the topics; in a stream with a growing vocabulary, the rarest are dropped.
    engine : {"threads", "dask", "gpu", "auto"}
        Where `fit` runs: in this process, on the workers of the current Dask client, or on a graphics processor, which
        also does `transform` and the scores. There, ``"online"`` learns from many documents at once, and the epochs
        after the first twenty are forty passes each: the topics differ from those of threads. ``"auto"`` is ``"gpu"``
        where there is one and the work is large, else ``"threads"``.
    n_partitions : int, optional
        Number of partitions of the documents that learn in parallel and are synchronised in every round. None is one
        per worker with ``"dask"``, and a finer method without partitions with ``"threads"``. For the same number of
        partitions both engines give the same result.
    synchronisation : {"average", "hierarchical"}
        Synchronisation of sampling partitions: AD-LDA or HD-LDA.
    deterministic : bool
        Whether the same seed must give the same bytes on a graphics processor, which then adds in fixed point. False
        adds floats in any order, which may change the last digits. Threads and Dask workers always give the same bytes.
    n_jobs : int, optional
        Threads. The result is the same for any number.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns.
    random_state : int, RandomState, Generator or None
        The seed.
    verbose : bool
        Show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        The share of every word in every topic; rows sum to one.
    doc_topic_prior_, topic_word_prior_ : ndarray, float
        α and β in use.
    n_epochs_ : int
        Number of passes of `fit` over the documents (before sampling).
    trace_ : ndarray
        With ``"gibbs"`` the mean log-likelihood of a word given all others after every sweep, with ``"vb"`` the bound
        after every epoch.
    split_r_ : float
        Convergence of the samples: the rank-normalised split R̂ of the kept trace, near one if its two halves agree
        (one, if there are too few samples).
    words_seen_, documents_seen_ : float, int
        The numbers of words and documents that the topics were learned from.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> lda = LDA(n_topics=2, doc_topic_prior=0.1, random_state=0, vocabulary=["war", "iraq", "sars", "virus"]).fit(X)
    >>> sorted(lda.top_words(2))
    [['sars', 'virus'], ['war', 'iraq']]
    >>> lda.transform([[2, 2, 0, 0]]).round(1).max()
    np.float64(1.0)
    """

    _changed_in_place: ClassVar[tuple[str, ...]] = ("_word_topic_",)
    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "_slots_": Array("words", kind="i", least=NO_SLOT, below="slots"),
        "_word_topic_": Array("slots", "padded", least=0),
        "doc_topic_prior_": Array("topics", least=0),
        "topic_word_prior_": Number(least=0),
        "n_epochs_": Number(least=0, whole=True),
        "trace_": Array(None, finite=False),
        "split_r_": Number(finite=False),
        "words_seen_": Number(least=0),
        "documents_seen_": Number(least=0, whole=True),
        "_boldness_": Number(least=0),
    }

    def _state_sizes(self) -> dict[str, int]:
        return {"topics": self.n_topics, "padded": current_kernels().lda_memory.padded(self.n_topics)}

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "inference": [StrOptions({"online", "gibbs", "vb"})],
        "max_epochs": [Interval(numbers.Integral, 1, None, closed="left")],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "doc_topic_prior": [
            None,
            StrOptions({"learned"}),
            Interval(numbers.Real, 0, None, closed="neither"),
            "array-like",
        ],
        "topic_word_prior": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "seed_words": [None, dict],
        "seed_weight": [Interval(numbers.Real, 0, None, closed="neither")],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "memory": [None, Interval(numbers.Real, 0, None, closed="neither")],
        "max_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "engine": [StrOptions(set(ENGINES))],
        "n_partitions": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "synchronisation": [StrOptions({"average", "hierarchical"})],
        "deterministic": ["boolean"],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 20,
        inference: str = "online",
        max_epochs: int = 30,
        tolerance: float = 1e-4,
        doc_topic_prior: Any = None,
        topic_word_prior: Any = 0.01,
        seed_words: Any = None,
        seed_weight: float = 50.0,
        burn_in: int = 30,
        n_samples: int = 20,
        memory: Any = None,
        max_words: int | None = None,
        engine: str = "threads",
        n_partitions: int | None = None,
        synchronisation: str = "average",
        deterministic: bool = True,
        n_jobs: int | None = None,
        vocabulary: Any = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.inference = inference
        self.max_epochs = max_epochs
        self.tolerance = tolerance
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.memory = memory
        self.max_words = max_words
        self.engine = engine
        self.n_partitions = n_partitions
        self.synchronisation = synchronisation
        self.deterministic = deterministic
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    n_features_in_: int
    _slots_: Ints
    _word_topic_: Any

    @property
    def components_(self) -> Floats:  # type: ignore[override]
        """The share of every word in every topic, topics × words; rows sum to one."""
        counts = np.zeros((self.n_features_in_, self.n_topics))
        placed = self._slots_ != NO_SLOT
        counts[placed] = self._word_topic_[self._slots_[placed], : self.n_topics]
        counts += self.topic_word_prior_
        found: Floats = (counts / counts.sum(axis=0)).T
        return found

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> LDA:
        """Learn from documents × words counts; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        rng = generator(self.random_state)
        self._begin(X, rng, SPREADS)
        pairs = self._slot_pairs(X)
        topics = self._topics()
        report = learn_topics(topics, pairs, rng, self)
        self._keep(topics)
        self.n_epochs_, self.trace_, self.split_r_ = report
        self.words_seen_ = float(pairs.counts.sum(dtype=np.float64))
        self.documents_seen_, self._boldness_ = X.shape[0], 1.0
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> LDA:
        """Learn from more documents, each seen once, by the online method; `y` is ignored.

        `X` may have more columns than before: the vocabulary has grown, and new words follow the known ones.
        """
        first = not hasattr(self, "_word_topic_")
        X = self._check_grown(X, first=first)
        if first:
            self._begin(X[:STREAM_CHUNK], generator(self.random_state), STREAM_SPREADS)
            self.words_seen_, self.documents_seen_, self._boldness_ = 0.0, 0, BOLD_STREAM
            self.n_epochs_, self.trace_, self.split_r_ = FitReport(1, np.empty(0), 1.0)
        self._slots_, n_used = give_slots(self._slots_, self.n_features_in_, X.indices, len(self._word_topic_))
        topics = self._topics()
        topics.grow(n_used)
        with Threads(self.n_jobs) as engine:
            learner = OnlineLearner(topics, engine, self.learned_priors)
            for start in range(0, X.shape[0], STREAM_CHUNK):
                self._stream(learner, X[start : start + STREAM_CHUNK])
        self._keep(topics)
        if self.max_words is not None and len(self._word_topic_) > self.max_words:
            self._slots_, self._word_topic_ = drop_lightest(self._slots_, self._word_topic_, self.max_words)
        return self

    def _stream(self, learner: OnlineLearner, X: Counts) -> None:
        pairs = self._slot_pairs(X)
        words = float(pairs.counts.sum(dtype=np.float64))
        if words:
            remembered = min(self.words_seen_ + words, self.memory or np.inf)
            boldness = max(1.0, self._boldness_ / (1 + self.documents_seen_ / YOUNG))
            step = min(boldness, BOLDEST * remembered / words)
            held = float(learner.topics.totals.sum()) - learner.topics.seed_mass
            keep = min((remembered - step * words) / held, 1.0) if held > 0 else 1.0
            learner.stream(pairs, step, keep)
            self.words_seen_ += words
        self.documents_seen_ += X.shape[0]

    def _begin(self, X: Counts, rng: np.random.Generator, spreads: dict[int, float]) -> None:
        """Assign slots to all words and start with random topics."""
        said = np.asarray(X.sum(axis=0)).ravel()
        seeds = seed_counts(self.seed_words, self.seed_weight, self.vocabulary, self.n_topics, X.shape[1])
        self._slots_ = np.arange(X.shape[1], dtype=np.int64)
        if self.max_words is not None and X.shape[1] > self.max_words:
            weight = said.copy()
            for column, extra in seeds.items():
                weight[column] += extra.sum()
            self._slots_, said = drop_lightest(self._slots_, weight[:, None], self.max_words)
            said = said.ravel()
        self.doc_topic_prior_ = document_prior(self.doc_topic_prior, self.n_topics)
        self.topic_word_prior_ = START if self.topic_word_prior == "learned" else float(self.topic_word_prior)
        counts = nearly_even(said, self.n_topics, rng, spread_of(self.n_topics, spreads))
        topics = TopicCounts.starting(counts, self.doc_topic_prior_, self.topic_word_prior_, self._placed(seeds))
        self._word_topic_ = topics.values

    def _placed(self, seeds: dict[int, Floats]) -> dict[int, Floats]:
        return {int(self._slots_[column]): extra for column, extra in seeds.items() if self._slots_[column] != NO_SLOT}

    def _seeds(self) -> dict[int, Floats]:
        return self._placed(
            seed_counts(self.seed_words, self.seed_weight, self.vocabulary, self.n_topics, self.n_features_in_)
        )

    def _topics(self) -> TopicCounts:
        return TopicCounts(
            self._word_topic_, self.n_topics, self.doc_topic_prior_, self.topic_word_prior_, self._seeds()
        )

    @property
    def learned_priors(self) -> Learned:
        """Which priors are learned."""
        return Learned(isinstance(self.doc_topic_prior, str), isinstance(self.topic_word_prior, str))

    def _keep(self, topics: TopicCounts) -> None:
        topics.settle()
        self._word_topic_ = topics.values
        self.doc_topic_prior_, self.topic_word_prior_ = topics.document_prior, topics.beta

    def _known_topics(self) -> KnownTopics:
        """Return the topics in single precision, without computing `components_`."""
        shares = current_kernels().lda_memory.aligned(
            (self.n_features_in_, current_kernels().lda_memory.padded(self.n_topics))
        )
        placed = self._slots_ != NO_SLOT
        shares[placed, : self.n_topics] = self._word_topic_[self._slots_[placed], : self.n_topics]
        shares[:, : self.n_topics] += np.float32(self.topic_word_prior_)
        shares[:, : self.n_topics] /= shares[:, : self.n_topics].sum(axis=0, dtype=np.float64).astype(np.float32)
        return KnownTopics(
            shares, current_kernels().lda_memory.pad_columns(self.doc_topic_prior_, shares.shape[1]), self.n_topics
        )

    def _slot_pairs(self, X: Counts) -> Pairs:
        """Return the pairs of documents × slots; words without a slot are ignored."""
        slots = self._slots_[X.indices]
        if (slots == NO_SLOT).any():
            X = X.copy()
            X.data[slots == NO_SLOT] = 0
            X.eliminate_zeros()
            slots = self._slots_[X.indices]
        return Pairs(X.indptr.astype(np.int64), slots.astype(np.int32), X.data.astype(np.float32))

    def _check_grown(self, X: Matrix, *, first: bool) -> Counts:
        """Check documents that may have more columns than those before."""
        columns = getattr(X, "shape", (0, 0))[-1]
        if first or columns <= self.n_features_in_:
            return self._check_counts(X, reset=first)
        known = self.n_features_in_
        try:
            return self._check_counts(X, reset=True)
        except ValueError:
            self.n_features_in_ = known
            raise
