r"""Stories of a stream: documents are linked to earlier ones, in one pass and in bounded memory."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import fit_context
from driftline.base.state_layout import Layout
from driftline.core.arrays import Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.matrices import index_arrays
from driftline.core.randomness import seed_of
from driftline.core.results import Results
from driftline.core.times import Moment
from driftline.nonparametric.stories.known_groups import group_numbers
from driftline.nonparametric.stories.known_links import learn_links
from driftline.nonparametric.stories.link_finder import DocumentLinks, StorySeats
from driftline.nonparametric.stories.link_models import NO_KNOTS
from driftline.nonparametric.stories.story_book import StoryBook
from driftline.nonparametric.stories.story_learner import Learner
from driftline.nonparametric.stories.story_options import BINS_PER_MEMORY, StoryOptions
from driftline.nonparametric.stories.story_results import Story, StoryEvent, StoryShares, StoryUpdate
from driftline.nonparametric.stories.story_tables import events_of, shares_of, stories_of
from driftline.nonparametric.stories.stream_layout import STREAM
from driftline.nonparametric.stories.window import Window, weighed, word_weights
from driftline.text.vocabulary import WordList

CHUNK = 20_000
"""Number of documents that are linked at a time; it does not affect the result."""


class StoryStream(StoryOptions):
    r"""Group the documents of a stream into stories that begin, split, merge and end.

    Each document is compared with the documents of the last `memory` that have a word in common with it, and joins the
    story of the one that it most probably continues, if the probability is high enough; otherwise it starts a story.
    From time to time, the links between all of these documents are sampled, and stories are split or merged if nearly
    all samples agree.

    Parameters
    ----------
    memory : duration for which a document can be continued; a story that is silent for longer has ended. If times
        are numbers, a string such as "30d" counts as a number of days.
    max_live : int, maximum number of live stories; above it, the one that has been silent the longest is ended.
    link : {"cosine", "learned", "crp"}
        Odds from the decayed cosine; learned from known groups (`fit_links`, or `y` of `fit`), or the decayed cosine
        while none are known; or the textbook model, a decayed Chinese restaurant process with Dirichlet-multinomial
        words.
    threshold : float, for "cosine": minimum decayed cosine for a document to be continued; higher for short documents.
    decay : duration or None, τ of the decay :math:`e^{-\Delta/\tau}`; None means a third of the memory, or all of it
        for "learned", which has the time as a feature.
    concentration, prior_strength : float, for "crp": α, and the prior's number of words.
    n_particles : int, number of samples of the links, from which probabilities of events are estimated.
    min_size, min_probability : events are reported, and stories split or merged, with at least this probability and
        this many documents on each side.
    max_documents, max_ended : int, maximum number of documents that can be continued, and of ended stories to keep.
    reorder_within : duration by which a document may be older than an earlier one; it then counts as simultaneous.
    vocabulary : words of the columns, for `stories_`.
    random_state : seed of the samples.

    Attributes
    ----------
    labels_ : ndarray, the story of every document of the last call of `fit` or `partial_fit`; −1 if it has no words.
    link_documents_, link_probabilities_ : ndarray, of the same documents: the number of the earlier document that each
        most probably continues (−1 if there is none), and the probability that it continues any.
    stories_ : list of Story with `to_frame`: the live ones, and the ended ones of at least two documents.
    events_ : list of StoryEvent with `to_frame`: born, split, merged, revived, ended.
    share_ : StoryShares of the 20 largest stories, with 95 % bands; `shares(n)` returns those of any number.
    n_documents_, n_empty_, n_crowded_out_, n_uncertain_events_ : int
        Documents so far, those without words, stories ended because of `max_live`, and possible events that are less
        probable than `min_probability`.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0, 1], [0, 0, 5, 3, 0]], 6, axis=0)[[0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]]
    >>> model = StoryStream(memory=30, vocabulary=["war", "iraq", "sars", "virus", "said"]).fit(X, times=range(12))
    >>> model.labels_
    array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    >>> model.stories_[1].words, model.stories_[1].size
    (['sars', 'virus'], 6)
    >>> model.update([0, 0, 1, 2, 0], time=12).story
    1
    """

    _state_layout: ClassVar[Layout | None] = STREAM

    _stories_: dict[str, Any]
    _window_: dict[str, Any]
    _n_containing_: Ints
    _n_uses_: Floats
    _latest_: float
    n_documents_: int

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> StoryStream:
        """Start again with these documents, in time order; see `partial_fit`."""
        for name in [name for name in vars(self) if name.endswith("_") and name not in LINK]:
            delattr(self, name)
        return self._learn(X, y, times)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> StoryStream:
        """Continue with the next documents. A stream in parts gives the same stories as the whole.

        With ``link="learned"``, `y` contains known groups (−1 or None where unknown): the link is learned from them if
        `fit_links` has not been called, and then recalibrated on those known so far.
        """
        return self._learn(X, y, times)

    def fit_predict(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> Ints:
        """Fit, and return the story of every document."""
        found: Ints = self.fit(X, y, times=times).labels_
        return found

    def update(self, x: Matrix, time: Moment) -> StoryUpdate:
        """Process one document: a row of counts, and its time."""
        before = self._stories_["counters"]["next_id"] if hasattr(self, "_stories_") else 0
        row = x if sp.issparse(x) else np.atleast_2d(np.asarray(x))
        self.partial_fit(row, times=[time])
        story = int(self.labels_[0])
        linked, probability = int(self.link_documents_[0]), float(self.link_probabilities_[0])
        return StoryUpdate(self.n_documents_ - 1, story, story >= before, probability, linked)

    def predict(self, X: Matrix, *, times: Times = None) -> Ints:
        """Return the live story that each document would join now, or at a later time; −1 for none."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        now = self._latest_
        when = np.full(X.shape[0], now) if times is None else np.maximum(self._times(times, X.shape[0]), now)
        new = weighed(X, when, self._n_containing_.copy(), self._n_weighed, learn=False)
        held = Window(**self._window_)
        window, n_old = held.followed_by(new), len(held.times)
        finder = self._finder(window, n_old, StoryBook.restored(self._stories_), learn=False)
        if isinstance(finder, DocumentLinks):
            finder.lows = np.searchsorted(held.times, window.times - self._span(self.memory), side="left")
        finder.find(n_old, len(window.times), learn=False)
        return window.stories[n_old:]

    @fit_context(prefer_skip_nested_validation=True)
    def fit_links(self, X: Matrix, groups: Labels, *, times: Times = None) -> StoryStream:
        """Learn to recognise links from documents whose groups are known (−1 or None where unknown)."""
        if self.link != "learned":
            raise InvalidInput(f"link={self.link!r} is not learned; use link='learned'")
        X = self._check_counts(X, reset=True)
        when = self._ordered(self._check_times(times, X.shape[0], reset=True), -np.inf)
        window = weighed(X, when, np.zeros(X.shape[1], np.int64), 0, learn=True)
        settings = self._settings(None)._replace(decay=self._span(self.memory if self.decay is None else self.decay))
        found = learn_links(window, group_numbers(groups, X.shape[0]), settings, X.shape[1])
        self._coefficients_, self._calibration_, self._cut_ = found
        return self

    @property
    def stories_(self) -> Results[Story]:
        """The live stories, and the ended ones of at least two documents."""
        check_is_fitted(self)
        return stories_of(
            self._book, self._time_axis, word_weights(self._n_containing_, self._n_weighed), self.vocabulary
        )

    @property
    def events_(self) -> Results[StoryEvent]:
        """The events of stories of at least `min_size` documents, with at least `min_probability`, in order."""
        check_is_fitted(self)
        silent_since = self._latest_ - self._span(self.memory)
        return events_of(self._book, self._time_axis, silent_since, self.min_size, self.min_probability)

    @property
    def share_(self) -> StoryShares:
        """Shares of the 20 largest stories over time."""
        return self.shares(20)

    def shares(self, n: int = 20) -> StoryShares:
        """Return the shares of the `n` largest stories in the documents over time, and of all others together."""
        check_is_fitted(self)
        memory = self._span(self.memory)
        return shares_of(self._book, self._time_axis, n, self._origin_, memory / BINS_PER_MEMORY, memory / 3)

    @property
    def n_crowded_out_(self) -> int:
        """Number of stories that were ended because there were more than `max_live`."""
        return int(self._stories_["counters"]["n_crowded_out"])

    @property
    def n_uncertain_events_(self) -> int:
        """Number of splits, mergers and revivals with a probability of ½ or more, but less than `min_probability`."""
        return int(self._stories_["counters"]["n_uncertain"])

    @property
    def position(self) -> tuple[Any, int]:
        """The latest time, and the number of documents of exactly that time."""
        check_is_fitted(self)
        return self._time_axis.restore([self._latest_])[0], int((self._window_["times"] == self._latest_).sum())

    def widen(self, vocabulary: WordList) -> StoryStream:
        """Extend the vocabulary to a longer one, which begins with the current words."""
        check_is_fitted(self)
        held, n = self.n_features_in_, len(vocabulary)
        if self.vocabulary is not None and [*vocabulary][:held] != [*self.vocabulary]:
            raise InvalidInput("the longer vocabulary must begin with the words of the current one, in their order")
        if n < held or hasattr(self, "feature_names_in_"):
            raise InvalidInput(f"a model of {held} columns cannot be changed to {n}, nor one whose columns have names")
        self._n_containing_ = np.concatenate([self._n_containing_, np.zeros(n - held, np.int64)])
        self._n_uses_ = np.concatenate([self._n_uses_, np.zeros(n - held)])
        words = self._stories_["words"]
        wider = sp.csr_matrix((words.data, words.indices, words.indptr), shape=(words.shape[0], n))
        self._stories_ = {**self._stories_, "words": wider}
        self.n_features_in_, self.vocabulary = n, vocabulary
        return self

    def resolve(self, stories: Labels) -> Ints:
        """Return the current ids of stories: the one into which each was merged, or its own."""
        return self._book.resolved(np.asarray(stories, dtype=np.int64))

    def _learn(self, X: Matrix, y: Labels | None, times: Times) -> StoryStream:
        begun = hasattr(self, "_window_")
        X = self._check_counts(X, reset=not begun)
        first = 0 if not begun else self.n_documents_
        when = self._times(times, X.shape[0], first, reset=not begun)
        when = self._ordered(when, self._latest_ if begun else -np.inf)
        groups = group_numbers(y, X.shape[0]) if self.link == "learned" else np.full(X.shape[0], -1)
        if self.link == "learned" and (groups >= 0).any() and not hasattr(self, "_coefficients_"):
            self.fit_links(X, groups, times=times)
        if not begun:
            self._begin(X.shape[1], float(when[0]))
        labels, linked = np.full(X.shape[0], -1), np.full(X.shape[0], -1)
        probabilities = np.zeros(X.shape[0])
        for start in range(0, X.shape[0], CHUNK):
            part = slice(start, start + CHUNK)
            window = self._learn_chunk(X[part], when[part], groups[part])
            here = window.numbers >= first
            rows = window.numbers[here] - first
            labels[rows] = window.stories[here]
            best = window.links.argmax(axis=1)
            targets = window.targets[np.arange(len(best)), best]
            fresh = window.numbers >= first + start
            rows = window.numbers[fresh] - first
            linked[rows] = np.where(targets[fresh] >= 0, window.numbers[targets[fresh]], -1)
            probabilities[rows] = np.clip(window.links[fresh].sum(axis=1), 0.0, 1.0)
            self._keep_live(window)
        self.labels_ = self.resolve(labels)
        self.link_documents_, self.link_probabilities_ = linked, probabilities
        return self

    def _begin(self, n_words: int, origin: float) -> None:
        self._window_, self._stories_ = Window.empty()._asdict(), StoryBook(n_words).state()
        self._n_containing_, self._n_uses_ = np.zeros(n_words, np.int64), np.zeros(n_words)
        self._n_tokens_, self._origin_, self._period_ = np.zeros(1), origin, 0.0
        self._seed_, self.n_documents_, self.n_empty_ = seed_of(self.random_state), 0, 0
        self._known_odds_, self._known_same_ = np.empty(0), np.empty(0, np.bool_)
        if not hasattr(self, "_calibration_"):
            self._calibration_ = NO_KNOTS

    def _learn_chunk(self, X: sp.csr_matrix, when: Floats, groups: Ints) -> Window:
        """Learn some documents; return the window of the documents that they may be linked to, followed by them."""
        self._n_containing_ = self._n_containing_.copy()
        self._n_uses_, self._n_tokens_ = self._n_uses_.copy(), self._n_tokens_.copy()
        offsets, words = index_arrays(X)
        new = Window.of(offsets, words, X.data, np.zeros(X.nnz), when, self.n_documents_)._replace(groups=groups)
        held, book = Window(**self._window_), StoryBook.restored(self._stories_)
        window, n_old = held.followed_by(new), len(held.times)
        learner = Learner(
            book, self._settings(self._learned), self._rules, int(self.max_live), int(self._seed_), self._period_,
            self._calibration_, self._known_odds_, self._known_same_, self._n_containing_, self._n_weighed,
        )  # fmt: skip
        learner.learn(window, n_old, self._finder(window, n_old, book, learn=True))
        self._stories_, self._period_, self._calibration_ = book.state(), learner.period, learner.calibration
        self._known_odds_, self._known_same_ = learner.known_odds, learner.known_same
        self.n_documents_ += len(when)
        self.n_empty_ += int((np.diff(X.indptr) == 0).sum())
        self._latest_ = float(when[-1])
        return window

    def _keep_live(self, window: Window) -> None:
        low = int(np.searchsorted(window.times, self._latest_ - self._span(self.memory), side="left"))
        self._window_ = window.after(max(low, len(window.times) - int(self.max_documents)))._asdict()

    @property
    def _n_weighed(self) -> int:
        """Number of documents with words."""
        return int(self.n_documents_ - self.n_empty_)

    def _finder(self, window: Window, n_old: int, book: StoryBook, *, learn: bool) -> DocumentLinks | StorySeats:
        settings, n_words = self._settings(self._learned), len(self._n_containing_)
        if self.link == "crp":
            uses, tokens = self._n_uses_, self._n_tokens_
            if not learn:
                uses, tokens = uses.copy(), tokens.copy()
            return StorySeats(window, book, settings, uses, tokens, n_words)
        return DocumentLinks(window, book, settings, self._calibration_, n_old, n_words)

    @property
    def _book(self) -> StoryBook:
        return StoryBook.restored(self._stories_)


LINK = ("_coefficients_", "_calibration_", "_cut_")
"""Attributes that `fit_links` learns and `fit` keeps."""
