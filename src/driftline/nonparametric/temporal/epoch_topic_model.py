"""Base of the topic models over epochs: epochs in order, topics with ids, and predictions at a time."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Each, Layout, Number
from driftline.base.topic_model import TopicModel
from driftline.core.arrays import Bools, Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import ModelFileError, NoWords
from driftline.core.randomness import Seed, generator, spawn
from driftline.core.results import Results
from driftline.core.times import Duration, Moment
from driftline.inference.document_completion import KnownTopics, completion, document_shares
from driftline.inference.pairs import Pairs
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.franchise import Carried, Priors
from driftline.nonparametric.temporal.cluster_history import ClusterHistory, ClusterLife, lives, share_band
from driftline.nonparametric.temporal.epoch_franchise import LIVE, EpochTopics, Schedule, carried_over, sample_epoch
from driftline.nonparametric.temporal.epoch_grid import EVERY, EpochGrid
from driftline.nonparametric.whole_counts import check_whole
from driftline.smoothing.curve import Curve
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at

SHOWN_WORDS = 6
SHORTEST = 1e-300
"""Smallest length of an epoch."""
POSITIVE = Interval(numbers.Real, 0, np.inf, closed="right")
LEARNED = [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")]
EPOCH_STATE: Layout = {
    **COLUMNS,
    **TIME_AXIS,
    "_origin_": Number(),
    "_width_": Number(least=SHORTEST),
    "_epochs_": Array("epochs", ordered=True),
    "_n_documents_": Array("epochs", kind="i", least=0),
    "_n_ids_": Number("ids", least=1),
    "_ids_": Each(Array(None, kind="i", below="ids"), "epochs"),
    "_counts_": Each(Array(None, "words", kind="f4", least=0), "epochs"),
    "_prior_": Each(Array("groups", None, kind="f8", least=0), "epochs"),
    "_own_": Each(Array(None, kind="f8", least=0), "epochs"),
    "_word_priors_": Array("epochs", least=0),
    "n_topics_samples_": Array("epochs", None, 3, kind="i", least=0),
    "trace_": Array("epochs", None, finite=False),
    "document_concentration_": Number(least=0),
    "concentration_": Number(least=0),
    "topic_word_prior_": Number(least=0),
}
"""State of both models."""
EPOCH_CONSTRAINTS: Constraints = {
    "every": EVERY,
    "start": [Interval(numbers.Integral, 1, None, closed="left")],
    "timescale": [POSITIVE],
    "word_timescale": [POSITIVE],
    "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
    "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
    "document_concentration": LEARNED,
    "concentration": LEARNED,
    "topic_word_prior": LEARNED,
    "restructure": ["boolean"],
    "n_jobs": [None, numbers.Integral],
    "vocabulary": "no_validation",
    "random_state": "no_validation",
    "verbose": ["verbose"],
}
"""Parameters of both models."""


class EpochTopicModel(TopicModel):
    """Base of `InfiniteDynamicTopics` and `EvolutionaryHDP`."""

    _state_layout: ClassVar[Layout | None] = None
    n_features_in_: int
    _epochs_: Floats
    _ids_: list[Ints]
    _counts_: list[np.ndarray]
    _prior_: list[Floats]
    _own_: list[Floats]

    def __init__(
        self,
        every: int | Duration = 10,
        start: int = 50,
        timescale: float = 2.0,
        word_timescale: float = 2.0,
        burn_in: int = 60,
        n_samples: int = 10,
        document_concentration: float | str = "learned",
        concentration: float | str = "learned",
        topic_word_prior: float | str = 0.02,
        restructure: bool = True,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.every = every
        self.start = start
        self.timescale = timescale
        self.word_timescale = word_timescale
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.document_concentration = document_concentration
        self.concentration = concentration
        self.topic_word_prior = topic_word_prior
        self.restructure = restructure
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @property
    def n_topics_(self) -> list[SampledNumber]:
        """The number of topics of every epoch, over samples."""
        check_is_fitted(self)
        return [SampledNumber.of(numbers_[:, 0]) for numbers_ in self.n_topics_samples_]

    @property
    def n_topics_99_(self) -> list[SampledNumber]:
        """The smallest number of topics that covers 99 % of the tokens of every epoch, over samples."""
        check_is_fitted(self)
        return [SampledNumber.of(numbers_[:, 1]) for numbers_ in self.n_topics_samples_]

    @property
    def topic_ids_(self) -> Ints:
        """The ids of the topics of the last epoch, largest first; the rows of `components_`."""
        return self._ids_[-1]

    @property
    def components_(self) -> Floats:  # type: ignore[override]
        """The share of every word in every topic of the last epoch; rows sum to one."""
        return self._shares_of_words(len(self._epochs_) - 1)

    @property
    def doc_topic_prior_(self) -> Floats:  # type: ignore[override]
        """The prior of these topics in a document of the last epoch, the mean of groups."""
        return np.asarray(self._prior_[-1].mean(axis=0))

    def components_at(self, time: Moment) -> tuple[Ints, Floats]:
        """Return the ids of the topics in the epoch of a time, and the share of every word, topics × words."""
        check_is_fitted(self)
        moment = self._check_times(np.atleast_1d(np.asarray(time)), 1, reset=False)
        place = int(self._places(moment)[0])
        return self._ids_[place], self._shares_of_words(place)

    @property
    def shares_(self) -> Curve:
        """The share of every topic, by id (rows), in the tokens of every epoch, with its 95 % interval."""
        check_is_fitted(self)
        sizes = self._sizes()
        return Curve(self._epoch_starts(), *share_band(sizes), np.broadcast_to(sizes.sum(axis=0), sizes.shape))

    @property
    def history_(self) -> ClusterHistory:
        """The number of topics that are live, begin and end in each epoch.

        A topic is live in an epoch in which it has 1 % of the tokens. The number of live topics has an interval over
        samples; births and ends are those of the averages, because no sample spans all epochs.
        """
        check_is_fitted(self)
        topics, places = np.nonzero(self._live())
        samples = np.repeat(lives(topics, places, len(self._epochs_))[None], self.n_topics_samples_.shape[1], axis=0)
        samples[:, 0] = self.n_topics_samples_[..., 2].T
        return ClusterHistory.of(self._epoch_starts(), self._n_documents_, samples)

    @property
    def lifetimes_(self) -> Results[ClusterLife]:
        """Each topic that was ever live: its id, first and last epoch with 1 % of the tokens, tokens and words."""
        check_is_fitted(self)
        sizes, live, starts, records = self._sizes(), self._live(), self._epoch_starts(), []
        for number in np.flatnonzero(live.any(axis=1)).tolist():
            places = np.flatnonzero(live[number])
            best = int(places[np.argmax(sizes[number, places])])
            row = int(np.flatnonzero(self._ids_[best] == number)[0])
            order = np.argsort(-self._counts_[best][row], kind="stable")[:SHOWN_WORDS]
            ends = starts[places[[0, -1]]]
            first, last = ends.tolist() if ends.dtype.kind == "f" else ends
            words = tuple(words_at(order, self.vocabulary))
            records.append(ClusterLife(number, first, last, round(float(sizes[number].sum())), words))
        return Results(ClusterLife, records, name="cluster", quantity="n_documents")

    def transform(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the shares of topics in every document, documents × ids, by the topics of its epoch; rows sum to one.

        Ids that have no topic in the epoch have no share. A time without documents uses the topics of the previous
        epoch.
        """
        check_is_fitted(self)
        counts, places = self._checked(X, times)
        found = np.zeros((counts.shape[0], self._n_ids_))
        for place in np.unique(places).tolist():
            rows = np.flatnonzero(places == place)
            with self._scoring_engine(counts) as engine:
                shares = document_shares(self._topics_of(place), Pairs.of(counts[rows]), engine)
            found[np.ix_(rows, self._ids_[place])] = shares
        return found

    def predict(self, X: Matrix, *, times: Times = None) -> Ints:
        """Return the id of the largest topic of every document; -1 for empty documents."""
        best = np.argmax(self.transform(X, times=times), axis=1)
        return np.where(np.asarray(self._check_counts(X, reset=False).sum(axis=1)).ravel() > 0, best, -1)

    def score_samples(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the log-likelihood of the second half of each document, given its first half and its time."""
        check_is_fitted(self)
        return self._completed_at(*self._checked(X, times))[0]

    def score(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> float:
        """Return the mean log-likelihood, in nats, of a word in the second half of a document given the first half."""
        check_is_fitted(self)
        likelihoods, words = self._completed_at(*self._checked(X, times))
        return float(likelihoods.sum() / words.sum()) if words.sum() else 0.0

    def perplexity(self, X: Matrix, *, times: Times = None) -> float:
        """Return exp(−score)."""
        return float(np.exp(-self.score(X, times=times)))

    def _fit_epochs(self, X: Matrix, times: Times, groups: Ints | None, n_groups: int) -> None:
        counts = self._check_counts(X, reset=True)
        check_whole(counts, type(self).__name__)
        moments = self._check_times(times, counts.shape[0], reset=True)
        some = np.flatnonzero(np.diff(counts.indptr) > 0)
        if not len(some):
            raise NoWords("no document has a word; count other words, or other documents")
        grid = EpochGrid.of(self.every, moments[some], self._time_axis)
        self._origin_, self._width_ = grid
        numbers_ = grid.numbers(moments[some])
        self._epochs_ = np.unique(numbers_)
        schedule, carried = self._schedule(), Carried.nothing(counts.shape[1], n_groups)
        rngs = spawn(generator(self.random_state), len(self._epochs_))
        found: list[EpochTopics] = []
        for place, (number, rng) in enumerate(zip(self._epochs_.tolist(), rngs)):
            rows = some[numbers_ == number]
            own = np.zeros(len(rows), dtype=np.int64) if groups is None else groups[rows]
            topics, last = sample_epoch(counts[rows], own, n_groups, carried, self._priors(), schedule, rng)
            found.append(topics)
            if place + 1 < len(self._epochs_):
                carried = carried_over(last, carried, float(self._epochs_[place + 1] - number), schedule)
        self._n_documents_ = np.array([int((numbers_ == number).sum()) for number in self._epochs_])
        self._n_ids_ = int(last.next_id)
        self._keep(found)

    def _keep(self, found: list[EpochTopics]) -> None:
        self._ids_ = [each.ids for each in found]
        self._counts_ = [each.counts for each in found]
        self._prior_ = [each.prior for each in found]
        self._own_ = [each.own for each in found]
        self._word_priors_ = np.array([each.concentrations[3] for each in found])
        self.n_topics_samples_ = np.array([each.numbers for each in found])
        self.trace_ = np.array([each.trace for each in found])
        self.document_concentration_, self.concentration_, group, self.topic_word_prior_ = found[-1].concentrations
        self._keep_group_concentration(group)

    def _keep_group_concentration(self, value: float) -> None:
        """Store γ_c, in a model that has one."""

    def _schedule(self) -> Schedule:
        lengths = (self.start, self.burn_in, self.n_samples, self.restructure)
        return Schedule(*lengths, float(self.timescale), float(self.word_timescale), self.verbose)

    def _priors(self) -> Priors:
        given = (self.document_concentration, self.concentration, self._group_prior(), self.topic_word_prior)
        return Priors(*(0.0 if isinstance(value, str) else float(value) for value in given))

    def _group_prior(self) -> float | str:
        return 0.0

    @property
    def _n_features_out(self) -> int:
        return int(self._n_ids_)

    @property
    def _grid(self) -> EpochGrid:
        return EpochGrid(self._origin_, self._width_)

    def _epoch_starts(self) -> np.ndarray:
        return np.asarray(self._time_axis.restore(self._grid.starts(self._epochs_)))

    def _places(self, moments: Floats) -> Ints:
        """Return the position of the epoch of each time; if it is empty, of the last one before it, or the first."""
        return np.maximum(np.searchsorted(self._epochs_, self._grid.numbers(moments), side="right") - 1, 0)

    def _checked(self, X: Matrix, times: Times) -> tuple[Counts, Ints]:
        counts = self._check_counts(X, reset=False)
        return counts, self._places(self._check_times(times, counts.shape[0], reset=False))

    def _shares_of_words(self, place: int) -> Floats:
        counts = self._counts_[place].astype(np.float64) + self._word_priors_[place]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _topics_of(self, place: int) -> KnownTopics:
        return KnownTopics.of(self._shares_of_words(place), self._prior_[place].mean(axis=0))

    def _completed_at(self, counts: Counts, places: Ints) -> tuple[Floats, Floats]:
        likelihoods, words = np.zeros(counts.shape[0]), np.zeros(counts.shape[0])
        for place in np.unique(places).tolist():
            rows = places == place
            with self._scoring_engine(counts) as engine:
                likelihoods[rows], words[rows] = completion(self._topics_of(place), counts[rows], engine)
        return likelihoods, words

    def _sizes(self) -> Floats:
        """Return the mean number of tokens of every id in every epoch, ids × epochs."""
        sizes = np.zeros((self._n_ids_, len(self._epochs_)))
        for place, (ids, own) in enumerate(zip(self._ids_, self._own_)):
            sizes[ids, place] = own
        return sizes

    def _live(self) -> Bools:
        """Return a mask of the epochs in which each topic is live, ids × epochs."""
        sizes = self._sizes()
        return np.asarray((sizes > 0) & (sizes >= LIVE * sizes.sum(axis=0)))

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            for ids, *held in zip(self._ids_, self._counts_, [prior.T for prior in self._prior_], self._own_):
                if not len(ids) or any(len(part) != len(ids) for part in held):
                    raise ModelFileError(f"{type(self).__name__} has topics without parts; the model is damaged")
        return sizes
