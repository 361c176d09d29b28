"""Base of the mixtures of documents over time: preparation, results, and predictions that both models share."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Number, Optional
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import NoWords
from driftline.core.randomness import Seed
from driftline.core.results import Results
from driftline.core.times import Duration
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.mixture_parameters import SAMPLING
from driftline.nonparametric.temporal.cluster_history import ClusterHistory, ClusterLife, share_band
from driftline.nonparametric.temporal.epoch_grid import EVERY, EpochGrid
from driftline.nonparametric.temporal.timed_chains import FoundClusters, Sampling
from driftline.smoothing.curve import Curve
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at

SHOWN_WORDS = 6
SHORTEST = 1e-300
"""Smallest length of an epoch."""
TIMED_STATE: Layout = {
    **COLUMNS,
    **TIME_AXIS,
    "labels_": Array("documents", kind="i", least=-1, below="clusters"),
    "sizes_": Array("clusters", kind="i", least=1),
    "n_empty_": Number(least=0, whole=True),
    "_times_": Array("documents"),
    "_epochs_": Array("epochs", ordered=True),
    "_origin_": Number(),
    "_width_": Number(least=SHORTEST),
    "_lives_": Array("samples", 3, "epochs", kind="i", least=0),
    "n_clusters_samples_": Array("samples", kind="i", least=1),
    "trace_": Array(None, None, finite=False),
    "r_hat_": Optional(Number(least=0)),
    "effective_samples_": Optional(Number(least=0)),
    "concentration_": Number(least=0),
    "word_prior_": Number(least=0),
}
"""State of both models."""
TIMED_CONSTRAINTS: Constraints = {
    **SAMPLING,
    "every": EVERY,
    "vocabulary": "no_validation",
}
"""Parameters of both models."""


class Prepared(NamedTuple):
    """Documents with words in time order, their times, and their rows; and the number of all documents."""

    counts: Counts
    times: Floats
    rows: Ints
    n_documents: int


class TimedMixture(TakesCounts, DriftEstimator):
    """Base of `TimeSensitiveDPM` and `TemporalDPM`."""

    _state_layout: ClassVar[Layout | None] = None
    labels_: Ints
    sizes_: Ints
    concentration_: float
    word_prior_: float
    n_features_in_: int
    _epochs_: Floats
    _times_: Floats

    def __init__(
        self,
        every: int | Duration,
        concentration: float | str,
        word_prior: float | str,
        burn_in: int,
        n_samples: int,
        n_chains: int,
        vocabulary: WordList | None,
        n_jobs: int | None,
        random_state: Seed,
        verbose: bool,
    ) -> None:
        self.every = every
        self.concentration = concentration
        self.word_prior = word_prior
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    @abstractmethod
    def components_(self) -> Floats:
        """The expected share of every word in every cluster; rows sum to one."""

    @property
    def n_clusters_(self) -> SampledNumber:
        """The median number of clusters over samples and chains, and its 95 % interval."""
        check_is_fitted(self)
        return SampledNumber.of(self.n_clusters_samples_)

    @property
    def history_(self) -> ClusterHistory:
        """The number of clusters that are live, begin and end in each epoch, with 95 % intervals over samples."""
        check_is_fitted(self)
        places = self._known_epochs()
        n_documents = np.bincount(places[self.labels_ >= 0], minlength=len(self._epochs_))
        return ClusterHistory.of(self._epoch_starts(), n_documents, self._lives_)

    @property
    def lifetimes_(self) -> Results[ClusterLife]:
        """Each cluster: first and last time, number of documents, and the words that distinguish it most."""
        check_is_fitted(self)
        words, axis = self._characteristic_words(), self._time_axis
        records = []
        for k, size in enumerate(self.sizes_.tolist()):
            own = self._times_[self.labels_ == k]
            ends = axis.restore([own.min(), own.max()])
            start, end = ends.tolist() if axis.kind == "number" else ends
            records.append(ClusterLife(k, start, end, size, words[k]))
        return Results(ClusterLife, records, name="cluster", quantity="n_documents")

    @property
    def shares_(self) -> Curve:
        """The share of every cluster (rows) in the documents of every epoch, with its 95 % interval."""
        check_is_fitted(self)
        sizes = self._sizes_by_epoch()
        return Curve(
            self._epoch_starts(), *share_band(sizes), np.broadcast_to(sizes.sum(axis=0), sizes.shape).astype(float)
        )

    def predict(self, X: Matrix, *, times: Times = None) -> Ints:
        """Return the most probable existing cluster of each document at its time; -1 if it is empty."""
        counts, seats, fits = self._scores(X, times)
        best = np.argmax((seats + fits)[:, :-1], axis=1)
        return np.where(np.diff(counts.indptr) > 0, best, -1)

    def score_samples(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return ln p(document | its time, documents of the fit); it may belong to any cluster or to a new one."""
        _, seats, fits = self._scores(X, times)
        return np.asarray(logsumexp(seats + fits, axis=1) - logsumexp(seats, axis=1))

    def score(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(X, times=times).mean())

    @abstractmethod
    def _log_weights(self, X: Counts, times: Floats) -> tuple[Floats, Floats]:
        """Return log-weights of clusters, and ln p(words), of further documents, × (clusters + 1)."""

    def _scores(self, X: Matrix, times: Times) -> tuple[Counts, Floats, Floats]:
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        return counts, *self._log_weights(counts, self._check_times(times, counts.shape[0], reset=False))

    def _prepared(self, X: Matrix, times: Times) -> Prepared:
        counts = self._check_counts(X, reset=True)
        moments = self._check_times(times, counts.shape[0], reset=True)
        some = np.flatnonzero(np.diff(counts.indptr) > 0)
        if not len(some):
            raise NoWords("no document has a word; count other words, or other documents")
        rows = some[np.argsort(moments[some], kind="stable")]
        grid = EpochGrid.of(self.every, moments[rows], self._time_axis)
        self._origin_, self._width_ = grid
        self._epochs_ = np.unique(grid.numbers(moments[rows]))
        self._times_ = moments
        self.n_empty_ = counts.shape[0] - len(rows)
        return Prepared(counts[rows], moments[rows], rows, counts.shape[0])

    def _keep(self, found: FoundClusters, given: Prepared) -> Ints:
        """Store the results, with clusters numbered in order of appearance; return their rows in the sample."""
        names, first, place = np.unique(found.sample.labels, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(names), dtype=np.int64)
        number[order] = np.arange(len(names))
        self.labels_ = np.full(given.n_documents, -1, dtype=np.int64)
        self.labels_[given.rows] = number[place]
        self.sizes_ = np.bincount(number[place])
        self.concentration_, self.word_prior_ = float(found.sample.concentration), float(found.sample.beta)
        self.n_clusters_samples_, self._lives_, self.trace_ = found.n_clusters, found.lives, found.trace
        self.r_hat_, self.effective_samples_ = found.r_hat, found.effective_samples
        return np.asarray(names[order])

    def _sampling(self) -> Sampling:
        return Sampling(self.burn_in, self.n_samples, self.n_chains, self.n_jobs, self.verbose)

    def _prior(self, value: float | str) -> float:
        return 0.0 if value == "learned" else float(value)

    @property
    def _grid(self) -> EpochGrid:
        return EpochGrid(self._origin_, self._width_)

    def _known_epochs(self) -> Ints:
        """Return the position of every document's epoch among those with documents."""
        places = np.searchsorted(self._epochs_, self._grid.numbers(self._times_))
        return np.minimum(places, len(self._epochs_) - 1)

    def _epoch_starts(self) -> np.ndarray:
        return np.asarray(self._time_axis.restore(self._grid.starts(self._epochs_)))

    def _sizes_by_epoch(self) -> Ints:
        some, places = self.labels_ >= 0, self._known_epochs()
        sizes = np.zeros((len(self.sizes_), len(self._epochs_)), dtype=np.int64)
        np.add.at(sizes, (self.labels_[some], places[some]), 1)
        return sizes

    def _characteristic_words(self) -> list[tuple[str | int, ...]]:
        """Return the words with the largest terms in the divergence of a cluster's shares from those of all."""
        shares = self.components_
        overall = self.sizes_ @ shares / self.sizes_.sum()
        order = np.argsort(-shares * np.log(shares / overall), axis=1, kind="stable")[:, :SHOWN_WORDS]
        return [tuple(words_at(row, self.vocabulary)) for row in order]
