r"""A Dirichlet process mixture in which clusters attract fewer documents as their own become older."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Layout, Number
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator, spawn
from driftline.core.times import Duration
from driftline.nonparametric.cluster_items import Clusters
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.temporal.timed_chains import sample_clusters
from driftline.nonparametric.temporal.timed_documents import TIMED_GIBBS, TimedDocuments
from driftline.nonparametric.temporal.timed_mixture import TIMED_CONSTRAINTS, TIMED_STATE, Prepared, TimedMixture
from driftline.text.vocabulary import WordList

HELD_OUT = 0.2
"""Share of the documents held out to choose the timescale."""
SPANS = (1 / 300, 1 / 100, 1 / 30, 1 / 10, 1 / 3, 1.0, np.inf)
"""Default candidates for the timescale, as multiples of the time span of all documents."""


class TimeSensitiveDPM(TimedMixture):
    r"""Group documents over time into an unknown number of clusters that fade.

    A document at time t joins cluster k with probability proportional to :math:`\sum_d e^{-(t - t_d) / \tau}` over its
    earlier documents d, and starts a new one in proportion to α (1); the words of cluster k have shares
    :math:`\phi_k \sim \mathrm{Dir}(\beta)` (Zhu, Ghahramani and Lafferty, 2005). Gibbs sweeps sample the clusters,
    given earlier and later documents, and keep the sample of highest joint probability. With τ = ∞, the model is
    `DirichletProcessMixture`.

    Parameters
    ----------
    timescale : float, duration or "learned", τ.
        If learned, a random fifth of the documents is held out and predicted with each of `timescales`.
    timescales : sequence of durations, optional
        Candidates for τ; by default, from 1/300 of the time between the first and the last document to infinity.
    concentration, word_prior : float or "learned", α and β. Learned, they have Gamma(1, 1) priors.
    every : int or duration
        Epochs for `history_` and `shares_`: their number, or their length (a fraction, ``"7d"``).
    burn_in, n_samples, n_chains : int, number of sweeps before the first sample, of samples (one per sweep), and of
        chains.
    vocabulary : sequence of str or Vocabulary, optional, the words of the columns.
    n_jobs, random_state, verbose : number of threads, which does not affect the result; the seed; show progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), the clusters, numbered in order of appearance; -1 for empty documents.
    sizes_, components_ : documents per cluster, and the expected shares of words, clusters × words.
    timescale_, timescale_scores_ : τ, and the mean ln p of held-out documents with each of `timescales_`.
    n_clusters_, n_clusters_samples_ : SampledNumber (median and interval), and the number in every sample.
    lifetimes_, history_, shares_ : each cluster; births and ends per epoch; shares per epoch with their intervals.
    concentration_, word_prior_, n_empty_ : α and β of the kept sample, and the number of empty documents.
    trace_, r_hat_, effective_samples_ : as in `DirichletProcessMixture`.

    Examples
    --------
    >>> words = ["storm", "flood", "vote", "ballot"]
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 3, 4], [4, 3, 0, 0]], 10, axis=0)  # a storm, an election, another storm
    >>> days = np.repeat([0.0, 30.0, 60.0], 10) + np.tile(np.arange(10.0), 3)
    >>> model = TimeSensitiveDPM(timescale=1.0, random_state=0, vocabulary=words).fit(X, times=days)
    >>> [(life.start, life.end, life.words[0]) for life in model.lifetimes_]
    [(0.0, 9.0, 'storm'), (30.0, 39.0, 'ballot'), (60.0, 69.0, 'storm')]
    """

    _state_layout: ClassVar[Layout | None] = {
        **TIMED_STATE,
        "_counts_": Array("clusters", "words", kind="f8", least=0),
        "timescale_": Number(least=0, finite=False),
        "timescales_": Array("scales", least=0, finite=False),
        "timescale_scores_": Array("scales"),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        **TIMED_CONSTRAINTS,
        "timescale": [Interval(numbers.Real, 0, np.inf, closed="right"), str, np.timedelta64],
        "timescales": [None, "array-like"],
    }

    def __init__(
        self,
        timescale: Duration = "learned",
        timescales: Sequence[Duration] | None = None,
        concentration: float | str = "learned",
        word_prior: float | str = 0.1,
        every: int | Duration = 10,
        burn_in: int = 50,
        n_samples: int = 50,
        n_chains: int = 2,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            every,
            concentration,
            word_prior,
            burn_in,
            n_samples,
            n_chains,
            vocabulary,
            n_jobs,
            random_state,
            verbose,
        )
        self.timescale = timescale
        self.timescales = timescales

    _counts_: Floats

    @property
    def components_(self) -> Floats:
        """The expected share of every word in every cluster; rows sum to one."""
        counts = self._counts_ + self.word_prior_
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> TimeSensitiveDPM:
        """Find the clusters of documents × words counts, in any order; `y` is ignored."""
        given = self._prepared(X, times)
        choosing, final = spawn(generator(self.random_state), 2)
        self.timescales_, self.timescale_scores_ = np.empty(0), np.empty(0)
        if isinstance(self.timescale, str) and self.timescale == "learned":
            self.timescale_ = self._chosen(given, choosing)
        else:
            self.timescale_ = self._positive(self.timescale)
        self._fit_given(given, final)
        return self

    def _fit_given(self, given: Prepared, rng: np.random.Generator) -> None:
        priors = (self._prior(self.word_prior), self._prior(self.concentration))
        problem = TimedDocuments.of(given.counts, given.times, self.timescale_, *priors)
        epochs = np.searchsorted(self._epochs_, self._grid.numbers(given.times))
        found = sample_clusters(TIMED_GIBBS, problem, epochs, self._sampling(), rng)
        self._counts_ = found.sample.counts[self._keep(found, given)]

    def _chosen(self, given: Prepared, rng: np.random.Generator) -> float:
        """Return the timescale that predicts held-out documents best; ties go to the shortest."""
        span = float(given.times[-1] - given.times[0])
        if self.timescales is None:
            candidates = np.array(SPANS) * span if span > 0 else np.array([np.inf])
        else:
            candidates = np.array([self._positive(each) for each in self.timescales])
            if not len(candidates):
                raise InvalidInput("there are no timescales to choose from; pass some, or None for the default")
        n = len(given.rows)
        n_held_out = int(np.ceil(HELD_OUT * n)) if n > 1 else 0
        if not n_held_out:
            self.timescales_, self.timescale_scores_ = candidates, np.zeros(len(candidates))
            return float(candidates[-1])
        held_out = np.zeros(n, dtype=bool)
        held_out[rng.permutation(n)[:n_held_out]] = True
        part = Prepared(given.counts[~held_out], given.times[~held_out], np.arange(n - n_held_out), n - n_held_out)
        scores = []
        for candidate, own in zip(candidates.tolist(), spawn(rng, len(candidates))):
            trial = TimeSensitiveDPM(**self.get_params(deep=False)).set_params(n_chains=1)
            for name in ("n_features_in_", "time_axis_kind_", "_origin_", "_width_"):
                setattr(trial, name, getattr(self, name))
            trial._times_, trial._epochs_ = part.times, np.unique(self._grid.numbers(part.times))
            trial.timescale_ = candidate
            trial._fit_given(part, own)
            times = self._time_axis.restore(given.times[held_out])
            scores.append(trial.score(given.counts[held_out], times=times))
        self.timescales_, self.timescale_scores_ = candidates, np.array(scores)
        return float(candidates[int(np.argmax(scores))])

    def _positive(self, timescale: Duration) -> float:
        length = self._time_axis.span(timescale)
        if not length > 0:
            raise InvalidInput(f"a timescale must be positive, and {timescale!r} is not")
        return length

    def _log_weights(self, X: Counts, times: Floats) -> tuple[Floats, Floats]:
        some = np.flatnonzero(self.labels_ >= 0)
        rows = some[np.argsort(self._times_[some], kind="stable")]
        origin, n_clusters = self._times_[rows[0]], len(self.sizes_)
        order = np.argsort(times, kind="stable")
        new, old = ((moments - origin) / self.timescale_ for moments in (times[order], self._times_[rows]))
        seats = np.empty((len(times), n_clusters + 1))
        current_kernels().decayed_clusters.seats_in_time(
            new, old, self.labels_[rows], n_clusters, self.concentration_, seats
        )
        found = np.empty_like(seats)
        found[order] = seats
        counts = np.concatenate([self._counts_, np.zeros((1, X.shape[1]))])
        held = (counts, counts.sum(axis=1), np.append(self.sizes_, 0), self.concentration_, self.word_prior_)
        documents = Documents.of(X, self.word_prior_, self.concentration_)
        return found, documents.scores(Clusters(self.labels_, *held))
