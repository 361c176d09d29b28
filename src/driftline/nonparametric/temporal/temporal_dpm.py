r"""A mixture over epochs: clusters that are born, gain and lose popularity, drift, and end."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Layout
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Labels, Matrix, Times
from driftline.core.errors import ModelFileError
from driftline.core.randomness import Seed, generator
from driftline.core.times import Duration, Moment
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.temporal.epoch_documents import EPOCH_GIBBS, EpochDocuments, Fading
from driftline.nonparametric.temporal.timed_chains import sample_clusters
from driftline.nonparametric.temporal.timed_mixture import TIMED_CONSTRAINTS, TIMED_STATE, TimedMixture
from driftline.text.vocabulary import WordList

POSITIVE = Interval(numbers.Real, 0, np.inf, closed="right")


class TemporalDPM(TimedMixture):
    r"""Group documents of successive epochs into clusters that are born, drift and end.

    In epoch e, a document joins cluster k in proportion to its members in that epoch and the decayed ones of earlier
    epochs, :math:`n_{ke} + \sum_{\delta = 1}^{\Delta} e^{-\delta / \lambda} n_{k, e - \delta}`, and starts a new one in
    proportion to α (1): the recurrent Chinese restaurant process (Ahmed and Xing, 2008). The words of cluster k have
    shares :math:`\phi_k \sim \mathrm{Dir}(\beta)`; if they drift, those of an epoch have :math:`\phi_{ke} \sim
    \mathrm{Dir}(\beta + \sum_\delta e^{-\delta / \kappa} x_{k, e - \delta})` with the counts x of earlier epochs (2).
    Gibbs sweeps sample the clusters, given earlier and later epochs, and keep the sample of highest joint probability.
    With one epoch, the model is `DirichletProcessMixture`.

    Parameters
    ----------
    every : int or duration
        The number of epochs, or their length (a fraction, ``"7d"``), counted from zero.
    timescale : float, λ in epochs. Infinity means no decay.
    window : float, optional, Δ in epochs; a cluster without documents for longer has ended. None means no window.
    word_timescale : float, optional, κ in epochs; None means that words do not drift.
    concentration, word_prior : float or "learned", α and β. Learned, they have Gamma(1, 1) priors.
    burn_in, n_samples, n_chains : int, number of sweeps before the first sample, of samples (one per sweep), and of
        chains.
    vocabulary : sequence of str or Vocabulary, optional, the words of the columns.
    n_jobs, random_state, verbose : number of threads, which does not affect the result; the seed; show progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), the clusters, numbered in order of appearance; -1 for empty documents.
    sizes_, components_ : documents per cluster, and the expected shares of words (in the last epoch, if they drift).
    n_clusters_, n_clusters_samples_ : SampledNumber (median and interval), and the number in every sample.
    lifetimes_, history_, shares_ : each cluster; births and ends per epoch; shares per epoch with their intervals.
    concentration_, word_prior_, n_empty_ : α and β of the kept sample, and the number of empty documents.
    trace_, r_hat_, effective_samples_ : as in `DirichletProcessMixture`.

    Examples
    --------
    >>> words = ["storm", "flood", "vote", "ballot"]
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 3, 4], [4, 3, 0, 0]], 10, axis=0)  # a storm, an election, another storm
    >>> weeks = np.repeat([0.0, 2.0, 4.0], 10)
    >>> model = TemporalDPM(every=1.0, window=2, random_state=0, vocabulary=words).fit(X, times=weeks)
    >>> [(life.start, life.end, life.words[0]) for life in model.lifetimes_]
    [(0.0, 0.0, 'storm'), (2.0, 2.0, 'ballot'), (4.0, 4.0, 'storm')]
    >>> model.history_.born[0], model.history_.ended[0]
    (array([1, 1, 1]), array([1, 1, 0]))
    """

    _state_layout: ClassVar[Layout | None] = {
        **TIMED_STATE,
        "_counts_": Array("clusters", "word_epochs", "words", kind="f8", least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        **TIMED_CONSTRAINTS,
        "timescale": [POSITIVE],
        "window": [None, Interval(numbers.Real, 0, np.inf, closed="both")],
        "word_timescale": [None, Interval(numbers.Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        every: int | Duration = 10,
        timescale: float = 2.0,
        window: float | None = None,
        word_timescale: float | None = None,
        concentration: float | str = "learned",
        word_prior: float | str = 0.1,
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
        self.window = window
        self.word_timescale = word_timescale

    _counts_: Floats

    @property
    def components_(self) -> Floats:
        """The expected share of every word in every cluster, in the last epoch; rows sum to one."""
        return self._shares_of_words(float(self._epochs_[-1]))

    def components_at(self, time: Moment) -> Floats:
        """Return the expected share of every word in every cluster in the epoch of a time, clusters × words."""
        moment = self._check_times(np.atleast_1d(np.asarray(time)), 1, reset=False)
        return self._shares_of_words(float(self._grid.numbers(moment)[0]))

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> TemporalDPM:
        """Find the clusters of documents × words counts, in any order; `y` is ignored."""
        given = self._prepared(X, times)
        priors = (self._prior(self.word_prior), self._prior(self.concentration))
        problem = EpochDocuments.of(given.counts, self._grid.numbers(given.times), self._fading, *priors)
        rng = generator(self.random_state)
        found = sample_clusters(EPOCH_GIBBS, problem, problem.epochs, self._sampling(), rng)
        self._counts_ = found.sample.counts[self._keep(found, given)]
        return self

    @property
    def _fading(self) -> Fading:
        limits = (np.inf if value is None else float(value) for value in (self.window, self.word_timescale))
        return Fading(float(self.timescale), *limits)

    def _shares_of_words(self, epoch: float) -> Floats:
        counts = self._base(epoch) + self.word_prior_
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _base(self, epoch: float) -> Floats:
        """Return the counts of words of clusters in an epoch, including carried ones (2)."""
        if self.word_timescale is None:
            return np.ascontiguousarray(self._counts_[:, 0])
        ages = epoch - self._epochs_
        return np.asarray(np.einsum("e,kew->kw", self._fading.words(ages) + (ages == 0), self._counts_))

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and sizes["word_epochs"] != (1 if self.word_timescale is None else sizes["epochs"]):
            raise ModelFileError("TemporalDPM._counts_ has the wrong number of epochs; the model is damaged")
        return sizes

    def _ages(self) -> Floats:
        return np.asarray(self._epochs_[:, None] - self._epochs_[None, :])

    def _log_weights(self, X: Counts, times: Floats) -> tuple[Floats, Floats]:
        sizes, fading = self._sizes_by_epoch(), self._fading
        carried = np.ascontiguousarray(sizes @ fading.members(self._ages()).T)
        totals = self._counts_.sum(axis=2)
        decay = fading.words(self._ages()) if fading.drifts else np.zeros((1, 1))
        faded = (np.einsum("ef,kfw->kew", decay, self._counts_), totals @ decay.T)
        documents, numbers = Documents.of(X, self.word_prior_, self.concentration_), self._grid.numbers(times)
        seats, fits = np.zeros((2, len(times), len(sizes) + 1))
        for number in np.unique(numbers).tolist():
            ages = number - self._epochs_
            end = int(np.searchsorted(self._epochs_, number, side="right"))
            base, word_end = self._base(number), end if fading.drifts else 1
            ahead = fading.words(-ages) if fading.drifts else np.zeros(1)
            current_kernels().epoch_clusters.score_epoch(
                np.flatnonzero(numbers == number),
                *documents[:3],
                documents.lengths,
                end,
                word_end,
                sizes @ (fading.members(ages) + (ages == 0)),
                fading.members(-ages),
                ahead,
                base,
                base.sum(axis=1),
                self.concentration_,
                self.word_prior_,
                sizes,
                self._counts_,
                totals,
                carried,
                *faded,
                seats,
                fits,
            )
        return seats, fits
