r"""Latent Dirichlet allocation: every document is a mixture of topics, every topic a distribution of words."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Labels, Matrix
from driftline.core.randomness import Seed, generator
from driftline.engines.choose import ENGINES
from driftline.engines.threads import Threads
from driftline.guidance.guide import Guide
from driftline.guidance.wishes import KeepWish
from driftline.inference.guide_arrays import GuideArrays
from driftline.inference.guided_start import start_seeds, start_words
from driftline.inference.lda_online import BOLDEST, OnlineLearner
from driftline.inference.learned_priors import Learned
from driftline.inference.topic_counts import SPREADS, STREAM_SPREADS, TopicCounts, nearly_even, spread_of
from driftline.text.vocabulary import WordList
from driftline.topics.guided import GUIDED
from driftline.topics.guided_learning import learn_guided
from driftline.topics.lda_state import LdaState
from driftline.topics.priors import document_prior
from driftline.topics.word_slots import NO_SLOT, drop_lightest, give_slots

STREAM_CHUNK = 200
"""Number of documents per step of `partial_fit`."""
BOLD_STREAM = 4.0
"""Weight of the first documents of a stream relative to their share, because little has been learned before them."""
YOUNG = 15_000
"""Half-life of that weight in documents."""
LEARN_PRIOR_AFTER = 5_000
"""Number of documents of a stream after which its document prior is learned; topics must have separated by then."""
START = 0.01
"""Initial word prior when it is learned."""


class LDA(LdaState):
    r"""Find topics in counted documents.

    Document d has topic shares :math:`\theta_d \sim \mathrm{Dir}(\alpha)`, topic k word shares
    :math:`\phi_k \sim \mathrm{Dir}(\beta)`; each word of d is drawn from a topic that is drawn from
    :math:`\theta_d`.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    inference : {"online", "gibbs", "vb"}
        ``"online"`` is collapsed variational inference in chunks: the fastest by far. ``"gibbs"`` continues from there
        by sampling and averages the samples: it recovers true topics more accurately. ``"vb"`` is textbook variational
        EM, as a reference.
    max_epochs : int
        Maximum number of passes over the documents (before sampling, with ``"gibbs"``).
    tolerance : float
        Stop when an epoch reassigns less than this share of the words to another topic (``"vb"``: increases the bound
        by less than this share).
    doc_topic_prior : float, array, "learned" or None
        α: one number, one per topic, or learned (one per topic; in a stream, after 5,000 documents). None means 5 /
        n_topics.
    topic_word_prior : float or "learned"
        β.
    seed_words : dict, optional
        Words that belong to a topic: ``{0: ["war", "iraq"]}``, or a prior for each of its words, as counts:
        ``{0: {"war": 200, "iraq": 10}}``; strings need a `vocabulary`.
    seed_weight : float
        Prior count, in its topic, of each seed word that has no weight of its own.
    guide : Guide, optional
        Wishes about topics, words and documents, instead of `seed_words`.
    burn_in, n_samples : int
        Sweeps of ``"gibbs"`` before the first sample, and the number of averaged samples (one per sweep after that).
    memory : int, optional
        Number of words that `partial_fit` remembers; older ones are discounted. None remembers all.
    max_words : int, optional
        Maximum number of words in the topics; in a stream with a growing vocabulary, the rarest are dropped.
    engine : {"threads", "dask", "gpu", "auto"}
        Where `fit` runs: in this process, on the workers of the current Dask client, or on a graphics processor, which
        is also used for `transform` and the scores. There, ``"online"`` learns from many documents at once, and the
        epochs after the first twenty are forty passes each, so the topics differ from those of threads; with at least
        ten tokens per word and topic, they are at most eight epochs of ten passes that sample. ``"auto"`` means
        ``"gpu"`` if there is one and the problem is large, otherwise ``"threads"``.
    n_partitions : int, optional
        Number of partitions of the documents that learn in parallel and are synchronised in every round. None means one
        per worker with ``"dask"``, and a finer-grained method without partitions with ``"threads"``. For the same
        number of partitions, both engines give the same result.
    synchronisation : {"average", "hierarchical"}
        Synchronisation of sampling partitions: AD-LDA or HD-LDA.
    deterministic : bool
        Whether the same seed must give the same bytes on a graphics processor, which then adds in fixed point. False
        adds floats in any order, small ones at random, so that two fits differ. Threads and Dask workers always give
        the same bytes.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    vocabulary, random_state, verbose
        The words of the columns; the seed; whether to show progress.

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
        (one if there are too few samples).
    topic_counts_ : ndarray of shape (n_topics, n_words)
        Expected counts of words in topics, without any prior.
    topic_names_, guide_report_ : list of str, Results
        With a guide: the names of the topics (their numbers where they have none), and the outcome of every wish.
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
        **GUIDED,
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
        "guide": [None, Guide],
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
        doc_topic_prior: npt.ArrayLike | None = None,
        topic_word_prior: float | str = 0.01,
        seed_words: Mapping[int, Sequence[str | int]] | None = None,
        seed_weight: float = 50.0,
        guide: Guide | None = None,
        burn_in: int = 30,
        n_samples: int = 20,
        memory: float | None = None,
        max_words: int | None = None,
        engine: str = "threads",
        n_partitions: int | None = None,
        synchronisation: str = "average",
        deterministic: bool = True,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
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
        self.guide = guide
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, document_prior: npt.ArrayLike | None = None) -> LDA:
        r"""Learn from documents × words counts; `y` is ignored.

        `document_prior` contains the rows α_d of documents × topics, dense or sparse: :math:`\theta_d \sim
        \mathrm{Dir}(\alpha_d)` instead of the same α for all; zero excludes a topic from a document. `doc_topic_prior`
        is then the prior of other documents only.
        """
        return self._learn(self._check_counts(X, reset=True), document_prior, None)

    @fit_context(prefer_skip_nested_validation=True)
    def refit(
        self,
        X: Matrix,
        y: Labels | None = None,
        *,
        guide: Guide | None = None,
        document_prior: npt.ArrayLike | None = None,
    ) -> LDA:
        """Continue from the current topics with another guide: inspect, correct, refit.

        Topics keep their numbers and names. A new name gets an additional topic, or one that a merger freed; `n_topics`
        and `guide` are replaced by those of the refit. `y` is ignored.
        """
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        return self._learn(X, document_prior, self._present_topics(guide))

    def _learn(self, X: Counts, document_prior: npt.ArrayLike | None, present: KeepWish | None) -> LDA:
        rng = generator(self.random_state)
        arrays = self._compiled(X, present)
        self._begin(X, rng, SPREADS, arrays)
        topics = self._topics()
        pairs, words = self._slot_pairs(X), {} if present is not None else self._words_of_topics(arrays)
        report = learn_guided(topics, pairs, rng, self, arrays, document_prior, warm=present is not None, words=words)
        self._keep(topics)
        self.n_epochs_, self.trace_, self.split_r_ = report.n_epochs, report.trace, report.split_r
        self.words_seen_ = float(X.sum(dtype=np.float64))
        self.documents_seen_, self._boldness_ = X.shape[0], 1.0
        if arrays is not None:
            self._report_wishes(arrays, self._evidence(X, arrays, report.multipliers))
        else:
            self._check_seeds()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Matrix, y: Labels | None = None) -> LDA:
        """Learn from more documents, each seen once, by the online method; `y` is ignored.

        `X` may have more columns than before if the vocabulary has grown; new words follow the known ones.
        """
        first = not hasattr(self, "_word_topic_")
        X = self._check_grown(X, first=first)
        if first:
            arrays = self._compiled(X, stream=True)
            self._begin(X[:STREAM_CHUNK], generator(self.random_state), STREAM_SPREADS, arrays)
            self.words_seen_, self.documents_seen_, self._boldness_ = 0.0, 0, BOLD_STREAM
            self.n_epochs_, self.trace_, self.split_r_ = 1, np.empty(0), 1.0
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
            learner.stream(pairs, step, keep, learn_prior=self.documents_seen_ >= LEARN_PRIOR_AFTER)
            self.words_seen_ += words
        self.documents_seen_ += X.shape[0]

    def _begin(
        self, X: Counts, rng: np.random.Generator, spreads: dict[int, float], arrays: GuideArrays | None
    ) -> None:
        """Assign slots to all words and start from random topics, with seed words and words of a guide in their own."""
        said = np.asarray(X.sum(axis=0)).ravel()
        seeds = self._seeds(by_column=True, n_words=X.shape[1])
        self._slots_ = np.arange(X.shape[1], dtype=np.int64)
        if self.max_words is not None and X.shape[1] > self.max_words:
            weight = said.copy()
            for column, extra in seeds.items():
                weight[column] += extra.sum()
            self._slots_, _ = drop_lightest(self._slots_, weight[:, None], self.max_words)
            said = said[self._slots_ != NO_SLOT]
        self.doc_topic_prior_ = document_prior(self.doc_topic_prior, self.n_topics)
        self.topic_word_prior_ = START if self.topic_word_prior == "learned" else float(self.topic_word_prior)
        counts = nearly_even(said, self.n_topics, rng, spread_of(self.n_topics, spreads))
        placed, rules = self._placed(seeds), self._word_rules().placed(self._slots_, said)
        if arrays is None:
            start_seeds(counts, said, placed)
        elif arrays.start is not None:
            start_words(counts, said, arrays.start, np.flatnonzero(self._slots_ != NO_SLOT))
        priors = (self.doc_topic_prior_, self.topic_word_prior_)
        values = TopicCounts.starting(counts, *priors, placed, rules).values
        self._word_topic_ = np.maximum(values, 0.0, out=values)

    @property
    def learned_priors(self) -> Learned:
        """The priors that are learned."""
        return Learned(isinstance(self.doc_topic_prior, str), isinstance(self.topic_word_prior, str))

    def _check_grown(self, X: Matrix, *, first: bool) -> Counts:
        """Check documents that may have more columns than earlier ones."""
        columns = getattr(X, "shape", (0, 0))[-1]
        if first or columns <= self.n_features_in_:
            return self._check_counts(X, reset=first)
        known = self.n_features_in_
        try:
            return self._check_counts(X, reset=True)
        except ValueError:
            self.n_features_in_ = known
            raise
