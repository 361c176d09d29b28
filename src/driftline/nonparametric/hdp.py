r"""The hierarchical Dirichlet process: LDA whose number of topics is inferred."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, ClassVar

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Anything, Array, Each, Layout, Number, Optional, Text
from driftline.base.topic_model import TopicModel
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator, spawn
from driftline.core.results import Results
from driftline.engines.threads import Threads
from driftline.guidance.compile import compile_guide
from driftline.guidance.guide import Guide
from driftline.guidance.kept_topics import wished_names
from driftline.guidance.wish_report import WishReport, reported
from driftline.guidance.wishes import MergeWish, SpreadWish, TopicWish
from driftline.guidance.word_wishes import UnknownWordsWarning
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.franchise import Priors
from driftline.nonparametric.hdp_chains import FoundTopics, run_chain
from driftline.nonparametric.online_hdp import OnlineState, begin_online, learn_online
from driftline.nonparametric.whole_counts import check_whole
from driftline.persistence.classes import class_named
from driftline.text.vocabulary import WordList


class HDP(TopicModel):
    r"""Find topics in counted documents, and infer their number.

    Topics have the weights :math:`\beta \sim \mathrm{GEM}(\gamma)`, document d the shares :math:`\theta_d \sim
    \mathrm{DP}(\alpha_0, \beta)`, topic k the words :math:`\phi_k \sim \mathrm{Dir}(\eta)` (1). `fit` samples by direct
    assignment, with greedy merges and splits of topics during the burn-in; `partial_fit` learns from a stream.

    Parameters
    ----------
    start : int
        Number of topics of online LDA from which the first chain starts; the next starts with half as many, and so on.
        In `partial_fit`, the maximum number of topics.
    burn_in, n_samples : int
        Sweeps before the first sample, and the number of averaged samples (one per sweep after that).
    n_chains : int
        Number of chains, each with a different start; the topics are those of the chain that predicts its own tokens
        best.
    document_concentration, concentration : float or "learned"
        α₀ and γ; learned, they have Gamma(1, 1) priors.
    topic_word_prior : float or "learned"
        η; smaller values give more topics.
    restructure : bool
        Merge and split topics during the burn-in. Otherwise the number of topics stays near that of the start.
    n_jobs : int, optional
        Number of threads, one per chain; the result does not depend on it.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns.
    guide : Guide, optional
        Wishes for `fit`: after sampling, the topics of the guide and as many free ones as were sampled are learned by
        variational inference, with the sampled priors.
    random_state, verbose : the seed; show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words), the share of every word in every topic, the largest topic first.
    doc_topic_prior_ : ndarray of shape (n_topics,), α₀β: the prior of topics in a document.
    topic_ids_ : ndarray of shape (n_topics,), ids assigned at birth and never reused.
    n_topics_, n_topics_99_ : SampledNumber
        Median and 95 % interval, over samples and starts, of the number of topics, and of the smallest number that
        covers 99 % of all tokens. The second is more reliable, because small topics come and go.
    n_topics_samples_ : ndarray of shape (n_chains, n_samples, 2), both numbers in every sample.
    document_concentration_, concentration_, topic_word_prior_ : float, α₀, γ and η of the last sample.
    trace_ : ndarray of shape (n_chains, n_sweeps), the mean log-likelihood of a word given all others.
    words_seen_, documents_seen_ : float, int
    topic_names_ : list of str, the topics' names, with a guide.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> hdp = HDP(start=4, burn_in=20, n_samples=5, random_state=0, vocabulary=["war", "iraq", "sars", "virus"]).fit(X)
    >>> hdp.n_topics_99_.median, sorted(hdp.top_words(2)[:2])
    (2, [['sars', 'virus'], ['war', 'iraq']])
    """

    _changed_in_place: ClassVar[tuple[str, ...]] = ("_counts_",)
    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "_counts_": Array("topics", "words", kind="f4", least=0),
        "doc_topic_prior_": Array("topics", least=0),
        "_tables_": Array("topics", least=0),
        "topic_ids_": Array("topics", kind="i", least=0),
        "_next_id_": Number(least=0, whole=True),
        "n_topics_samples_": Array(None, None, 2, kind="i", least=0),
        "document_concentration_": Number(least=0),
        "concentration_": Number(least=0),
        "topic_word_prior_": Number(least=0),
        "trace_": Array(None, None, finite=False),
        "words_seen_": Number(least=0),
        "documents_seen_": Number(least=0, whole=True),
        "topic_names_": Optional(Each(Text(), "topics")),
        "_wish_reports_": Optional(Each(Anything())),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "start": [Interval(numbers.Integral, 1, None, closed="left")],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_chains": [Interval(numbers.Integral, 1, None, closed="left")],
        "document_concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "topic_word_prior": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "restructure": ["boolean"],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "guide": [None, Guide],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        start: int = 100,
        burn_in: int = 100,
        n_samples: int = 20,
        n_chains: int = 2,
        document_concentration: float | str = "learned",
        concentration: float | str = "learned",
        topic_word_prior: float | str = 0.02,
        restructure: bool = True,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
        guide: Guide | None = None,
    ) -> None:
        self.start = start
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.document_concentration = document_concentration
        self.concentration = concentration
        self.topic_word_prior = topic_word_prior
        self.restructure = restructure
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose
        self.guide = guide

    topic_names_: list[str]
    _wish_reports_: list[WishReport]
    _counts_: np.ndarray
    n_features_in_: int

    @property
    def components_(self) -> Floats:  # type: ignore[override]
        """The share of every word in every topic; rows sum to one."""
        counts = self._counts_.astype(np.float64) + self.topic_word_prior_
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @property
    def n_topics_(self) -> SampledNumber:
        """The number of topics over samples and starts."""
        return SampledNumber.of(self.n_topics_samples_[..., 0])

    @property
    def n_topics_99_(self) -> SampledNumber:
        """The smallest number of topics that covers 99 % of all tokens, over samples and starts."""
        return SampledNumber.of(self.n_topics_samples_[..., 1])

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> HDP:
        """Learn from documents × words counts, which must be integers; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        check_whole(X, "HDP")
        if self.guide:
            self._check_guide(X, self.guide)
        rngs = spawn(generator(self.random_state), self.n_chains)
        starts = [max(1, self.start >> number) for number in range(self.n_chains)]
        lengths = (self.burn_in, self.n_samples, self.restructure, self.verbose)
        with Threads(self.n_jobs) as engine:
            chains = engine.map(run_chain, [(X, n, self._priors(), rng, *lengths) for n, rng in zip(starts, rngs)])
        best: FoundTopics = max(chains, key=lambda chain: chain.likelihood)
        self._counts_, self.doc_topic_prior_, self._tables_, self.topic_ids_, self._next_id_ = best[:5]
        self.document_concentration_, self.concentration_, self.topic_word_prior_ = best[5:8]
        self.n_topics_samples_ = np.array([chain.n_topics for chain in chains])
        self.trace_ = np.array([chain.trace for chain in chains])
        self.words_seen_, self.documents_seen_ = float(X.sum()), X.shape[0]
        for name in ("topic_names_", "_wish_reports_"):
            vars(self).pop(name, None)
        if self.guide:
            self._learn_guided(X, self.guide)
        return self

    @property
    def guide_report_(self) -> Results[WishReport]:
        """The outcome of every wish of the guide; empty without a guide."""
        return reported(getattr(self, "_wish_reports_", []))

    def _check_guide(self, X: Counts, guide: Guide) -> None:
        """Refuse wishes that cannot hold, before sampling; those about numbers of topics are checked after it."""
        if guide.rules:
            raise InvalidInput("rules are for the decoding of sequences; HDP does not take them")
        if not X.nnz:
            raise InvalidInput(
                "the documents have no words, so no topics can be sampled in addition to those of the guide"
            )
        by_name = [wish for wish in guide.wishes if isinstance(getattr(wish, "topic", ""), str)]
        by_name = [wish for wish in by_name if not isinstance(wish, MergeWish | SpreadWish)]
        said = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
        requested = [wish.number + 1 for wish in by_name if isinstance(wish, TopicWish) and wish.number is not None]
        n_topics = max(Guide(tuple(by_name)).n_named + self.start, *requested, 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownWordsWarning)  # the fit warns
            compile_guide(Guide(tuple(by_name)), said, n_topics, vocabulary=self.vocabulary, X=X)

    def _learn_guided(self, X: Counts, guide: Guide) -> None:
        """Learn the topics of the guide, with the largest sampled prior, and as many free topics as were sampled."""
        names = list(dict.fromkeys(name for wish in guide.wishes for name in wished_names(wish)))
        found, new = self.doc_topic_prior_, len(names)
        lda = class_named("LDA")(
            n_topics=new + len(found),
            doc_topic_prior=np.concatenate([np.full(new, found.max()), found]),
            topic_word_prior=float(self.topic_word_prior_),
            vocabulary=self.vocabulary,
            guide=guide,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        ).fit(X)
        size = lda.topic_counts_.sum(axis=1, keepdims=True) + self.topic_word_prior_ * X.shape[1]
        self._counts_ = np.maximum(lda.components_ * size - self.topic_word_prior_, 0.0).astype(np.float32)
        self.doc_topic_prior_ = lda.doc_topic_prior_
        self._tables_ = np.concatenate([np.full(new, self._tables_.max()), self._tables_])
        self.topic_ids_ = self._next_id_ + np.arange(new + len(found))
        self._next_id_ += new + len(found)
        self.topic_names_, self._wish_reports_ = lda.topic_names_, list(lda.guide_report_)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Matrix, y: Labels | None = None) -> HDP:
        """Learn from more documents, each seen once, by online variational inference; `y` is ignored.

        The first call starts with `start` topics, of which the process uses as many as it needs.
        """
        if self.guide:
            raise InvalidInput("partial_fit of HDP takes no guide; use fit, or to_lda() and the partial_fit of LDA")
        first = not hasattr(self, "_counts_")
        X = self._check_counts(X, reset=first)
        check_whole(X, "HDP")
        state = begin_online(X, self.start, self._priors(), generator(self.random_state)) if first else self._online()
        if first:
            self.topic_ids_, self._next_id_ = np.arange(self.start), self.start
            self.trace_ = np.empty((1, 0))
        learned = (self.document_concentration == "learned", self.concentration == "learned")
        state = learn_online(state, X, learned, self.n_jobs)
        self._counts_, self.doc_topic_prior_, self._tables_ = state.counts, state.document_prior, state.tables
        self.document_concentration_, self.concentration_ = state.document_concentration, state.concentration
        self.topic_word_prior_ = state.word_prior
        self.words_seen_, self.documents_seen_ = state.words_seen, state.documents_seen
        numbers_found = np.array([[state.number(0.9999), state.number(0.99)]])
        self.n_topics_samples_ = numbers_found[None]
        return self

    def to_lda(self) -> Any:
        """Return these topics as a fitted `LDA`, which gives the same scores and can continue learning.

        >>> hdp = HDP(start=3, burn_in=5, n_samples=2, random_state=0).fit(np.eye(4, dtype=int) * 6)
        >>> bool(np.allclose(hdp.transform(np.eye(4)), hdp.to_lda().transform(np.eye(4)), atol=1e-3))
        True
        """
        n_topics = len(self.doc_topic_prior_)
        parameters: dict[str, object] = {"n_topics": n_topics, "doc_topic_prior": self.doc_topic_prior_.copy()}
        parameters |= {"topic_word_prior": float(self.topic_word_prior_), "vocabulary": self.vocabulary}
        lda = class_named("LDA")(**parameters, n_jobs=self.n_jobs, random_state=self.random_state)
        width = current_kernels().lda_memory.padded(n_topics)
        learned = {
            "n_features_in_": self.n_features_in_,
            "_slots_": np.arange(self.n_features_in_, dtype=np.int64),
            "_word_topic_": current_kernels().lda_memory.pad_columns(self._counts_.T, width),
            "doc_topic_prior_": self.doc_topic_prior_.copy(),
            "topic_word_prior_": float(self.topic_word_prior_),
            "n_epochs_": 0,
            "trace_": np.empty(0),
            "split_r_": 1.0,
            "words_seen_": self.words_seen_,
            "documents_seen_": self.documents_seen_,
            "_boldness_": 1.0,
        }
        for name, value in learned.items():
            setattr(lda, name, value)
        return lda

    def _priors(self) -> Priors:
        given = (self.document_concentration, self.concentration, self.topic_word_prior)
        document, topic, word = (0.0 if isinstance(value, str) else float(value) for value in given)
        return Priors(document, topic, 0.0, word)

    def _online(self) -> OnlineState:
        return OnlineState(
            self._counts_,
            self._tables_,
            self.document_concentration_,
            self.concentration_,
            self.topic_word_prior_,
            self.words_seen_,
            self.documents_seen_,
        )
