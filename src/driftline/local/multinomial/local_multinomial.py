r"""A word distribution that changes over time, estimated by local likelihood."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Either, Layout, Number, Optional, Sparse
from driftline.core.arrays import Bools, Counts, Floats, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.bandwidth_choice import CHOICES, choose, cross_validate
from driftline.local.bandwidths.bandwidth_mixture import (
    COMPONENTS,
    INSTANT,
    ComponentModel,
    Components,
    asked_at,
    check_answering,
    left_out_at,
)
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.bandwidths.word_bandwidths import curve_bandwidths
from driftline.local.fit_times import just_after
from driftline.local.local_estimator import DURATIONS, LocalEstimator
from driftline.local.multinomial.drift_speed import DriftSpeed, drift_speed
from driftline.local.multinomial.remembered_documents import RememberedDocuments
from driftline.smoothing.bands import band_terms, share_bands
from driftline.smoothing.bandwidths import bandwidth_grid
from driftline.smoothing.curve import Curve
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.kernels import Side
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import Words, columns_of

_GRID_POINTS = 200
_SLOPE_WIDTH = 2.0
_CURVE_BANDWIDTHS = 25
_LIMITS = {"global": np.inf, "per-time": 0.0}


class LocalMultinomial(TakesCounts, RememberedDocuments):
    r"""Estimate the distribution of words at any time from the documents near that time.

    The estimate is the ratio of weighted sums (8),

    .. math:: \hat\theta_{tw} = \frac{\sum_\tau K_h(t-\tau)\, c_{\tau w}}{\sum_\tau K_h(t-\tau)\, n_\tau},

    smoothed towards the distribution of the whole stream (with ``side="past"``: of all earlier documents).

    Parameters
    ----------
    kernel : {"triangular", "uniform", "epanechnikov", "tricube", "gaussian"}
        The shape of the weights in time.
    bandwidth : number, duration or name
        The width h. ``"mix"`` mixes ten of them, with weights selected by leave-one-out: the model with the highest
        likelihood, and the default. ``"cv"`` selects one in the same way, ``"cv-varying"`` one for every time,
        ``"per-word"`` one for every word; ``"plugin"`` estimates the drift and uses the bandwidth of least squared
        error at every time. ``"global"`` and ``"per-time"`` are the limits of a very large and a very small one. A
        number is in units of the times (days for dates); ``"36h"`` or a timedelta may be given for dates. Curves and
        the drift speed always have single bandwidths.
    side : {"both", "past"}
        Whether documents on both sides of a time count, or only those strictly before it.
    smoothing : {"dirichlet", "jelinek-mercer", "additive"} or float
        Smoothing of sparse local counts. A number is the strength of a Dirichlet prior in words; ``0.0`` is the bare
        ratio (8).
    strength : float or "cv"
        Strength of the smoothing: words of prior (Dirichlet), weight of the background (Jelinek-Mercer), count added to
        every word (additive). ``"cv"`` selects it together with the bandwidth.
    memory : number or duration, optional
        With ``side="past"``: the longest reach of a finite bandwidth. `partial_fit` then keeps only sums of documents
        that are older than twice this, so that a stream may be endless. By default all documents are kept.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns, so that a word can be given by name.
    verbose : bool
        Show progress.

    Attributes
    ----------
    bandwidth_ : float or ndarray
        The bandwidth in use, in units of the times: one; one for each of `bandwidth_times_` (over time); one for each
        word; or those that are mixed, with `bandwidth_weights_`.
    typical_bandwidth_ : float
        The single bandwidth that was given or scored best.
    strength_ : float
        The corresponding strength of the smoothing.
    curve_bandwidth_ : ndarray of shape (n_words,)
        The bandwidth at which each word's curve and band are drawn.
    dispersion_ : ndarray of shape (n_words,)
        Overdispersion: the similarity of the words of one document beyond chance.
    cv_bandwidths_, cv_strengths_, cv_scores_ : ndarray
        The candidates, and the log-likelihood per word of left-out documents (bandwidths × strengths).
    n_documents_seen_ : int
        The number of documents seen, including discarded ones.
    outside_support_ : ndarray of bool
        Which of the times of the last call had no data within the bandwidth.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[3, 1], [3, 1], [1, 3], [1, 3]])
    >>> model = LocalMultinomial(bandwidth=2.0, smoothing=0.0).fit(counts, times=[0, 1, 2, 3])
    >>> model.probabilities([0, 3])
    array([[0.75, 0.25], [0.25, 0.75]])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "_rows_": Sparse("documents", "words", least=0),
        "_row_times_": Array("documents", ordered=True),
        "_forgotten_": Array("words", least=0),
        "_forgotten_before_": Number(finite=False),
        "n_documents_seen_": Number(least=0, whole=True),
        "n_documents_at_choice_": Number(least=0, whole=True),
        "typical_bandwidth_": Number(least=0, finite=False),
        "_components_": COMPONENTS,
        "cv_bandwidths_": Array("tried", least=0, finite=False),
        "cv_strengths_": Array("strengths", least=0),
        "cv_scores_": Array("tried", "strengths", finite=False),
        "bandwidth_": Either(Number(least=0, finite=False), Array(None, least=0, finite=False)),
        "bandwidth_weights_": Array("components", least=0),
        "bandwidth_times_": Array("knots"),
        "strength_": Number(least=0),
        "dispersion_": Array("words", least=0),
        "curve_bandwidth_": Array("words", least=0, finite=False),
        "outside_support_": Optional(Array(None, kind="b")),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            check_answering(Components._make(self._components_), sizes["words"])
        return sizes

    _parameter_constraints: ClassVar[Constraints] = {
        **LocalEstimator._parameter_constraints,
        "bandwidth": [*DURATIONS, Interval(numbers.Real, 0, None, closed="right")],
        "smoothing": [
            StrOptions({"dirichlet", "additive", "jelinek-mercer"}),
            Interval(numbers.Real, 0, None, closed="left"),
        ],
        "strength": [StrOptions({"cv"}), Interval(numbers.Real, 0, None, closed="left")],
        "memory": [None, *DURATIONS, Interval(numbers.Real, 0, None, closed="neither")],
        "vocabulary": "no_validation",
    }

    def __init__(
        self,
        kernel: str = "triangular",
        bandwidth: Any = "mix",
        side: Side = "both",
        smoothing: float | str = "dirichlet",
        strength: Any = "cv",
        memory: Duration | None = None,
        vocabulary: WordList | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.side = side
        self.smoothing = smoothing
        self.strength = strength
        self.memory = memory
        self.vocabulary = vocabulary
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> LocalMultinomial:
        """Learn from documents × words counts and one time per document; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        at = self._check_times(times, X.shape[0], reset=True)
        self._forgotten_, self._forgotten_before_ = np.zeros(X.shape[1]), -np.inf
        self._remember(X, at)
        self.n_documents_seen_ = X.shape[0]
        self._choose()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> LocalMultinomial:
        """Learn from more documents; a selected bandwidth is selected again whenever their number has doubled.

        Without times, the documents follow those seen so far. With a `memory`, old documents are kept as sums: results
        for times since `memory` before the newest document are the same as with all documents; for earlier times all
        past documents are used, with a warning.
        """
        if not hasattr(self, "_rows_"):
            return self.fit(X, times=times)
        X = self._check_counts(X, reset=False)
        at = self._check_more_times(times, X.shape[0], float(self._row_times_[-1]))
        self._remember(sp.vstack([self._rows_, X], format="csr"), np.concatenate([self._row_times_, at]))
        self.n_documents_seen_ += X.shape[0]
        self._forget()
        if self.n_documents_seen_ >= 2 * self.n_documents_at_choice_:
            self._choose()
        else:
            self._prepare_curves()
        return self

    def probabilities(self, when: Times) -> Floats:
        """Return the word distribution at every requested time, one row per time."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        result, supported = self._model.probabilities(self._answering(at))
        self._note_support(at, supported)
        return result

    def frequency(self, words: Words, when: Times = None, level: float = 0.95) -> Curve:
        """Return the share of a word over time with its band; for several words, one row each.

        The estimate is corrected for its leading bias and not smoothed towards the background. The band accounts for
        repeated words within documents, and should contain the true share at the confidence `level` at each time.
        Unless the bandwidth was given, every word has its own, selected for its curve (`curve_bandwidth_`). Without
        `when`, 200 times spread over the stream are used.
        """
        check_is_fitted(self)
        columns, single = columns_of(words, self.vocabulary, self.n_features_in_)
        at = self._grid() if when is None else self._time_axis.values(when)
        history, kernel, remembered = self._history, self._kernel, self._remembered(at)
        value, lower, upper, size = (np.empty((len(columns), len(at))) for _ in range(4))
        supported = np.ones((len(columns), len(at)), dtype=np.bool_)
        widths = self.curve_bandwidth_[columns]
        for width in np.unique(widths):
            mine = np.flatnonzero(widths == width)
            asked, shape, finite = asked_at(history, kernel, remembered, float(width))
            estimate, low, high, terms = share_bands(
                history.counts[:, columns[mine]],
                history.tokens,
                history.token_pairs,
                history.times,
                asked,
                shape,
                finite,
                self.dispersion_[columns[mine]],
                level,
            )
            value[mine], lower[mine], upper[mine] = estimate.T, low.T, high.T
            size[mine], supported[mine] = terms.effective_size, terms.supported
        missing: Bools = ~np.atleast_1d(supported.all(axis=0))
        if missing.any():
            background = ComponentModel(history, kernel, self._prior, Components.one(np.inf, 0.0))
            fallback = background.probabilities(remembered[missing])[0][:, columns].T
            value[:, missing] = np.where(supported[:, missing], value[:, missing], fallback)
        self._note_support(at, ~missing)
        pick = 0 if single else slice(None)
        return Curve(self._time_axis.restore(at), value[pick], lower[pick], upper[pick], size[pick], level)

    def drift_speed(self, when: Times = None, *, bandwidth: Duration | None = None, level: float = 0.95) -> DriftSpeed:
        """Return the speed of change of the whole distribution, with the speed expected from noise alone.

        A slope needs more data than a level, so twice the typical bandwidth is used unless a `bandwidth` is given. It
        is limited to half of the span of the times.
        """
        check_is_fitted(self)
        at = self._grid() if when is None else self._time_axis.values(when)
        times = self._history.times
        span, gaps = float(times[-1] - times[0]), np.diff(times)
        width = _SLOPE_WIDTH * self.typical_bandwidth_ if bandwidth is None else self._time_axis.span(bandwidth)
        width = max(min(width, span / 2), 2 * float(np.median(gaps)) if len(gaps) else 0.0, INSTANT)
        speed = drift_speed(self._history, at, self._kernel, width, self.dispersion_, level=level, verbose=self.verbose)
        return speed._replace(times=self._time_axis.restore(at))

    def score_samples(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> Floats:
        """Return the log-likelihood of each document's words at its time."""
        check_is_fitted(self)
        return self._log_likelihoods(self._check_counts(X, reset=False), times)

    def _log_likelihoods(self, X: Counts, times: Times) -> Floats:
        at = self._check_times(times, X.shape[0], reset=False)
        asked = self._answering(at)
        order = np.argsort(asked, kind="stable")
        by_word = sp.csc_array(X[order])
        row = order[by_word.indices]
        probability, supported = self._model.pair_probabilities(by_word.indptr, asked, row)
        self._note_support(at, supported)
        with np.errstate(divide="ignore"):
            return group_sums(row, by_word.data * np.log(probability), X.shape[0])

    def score(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> float:
        """Return the log-likelihood per word; zero if there are no words."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        total = float(self._log_likelihoods(X, times).sum())
        tokens = float(X.data.sum())
        return total / tokens if tokens else 0.0

    def effective_size(self, when: Times) -> Floats:
        """Return the effective number of words at each time at the typical bandwidth: (ΣKn)²/ΣK²n."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        asked, kernel, width = asked_at(self._history, self._kernel, at, self.typical_bandwidth_)
        history = self._history
        return band_terms(history.times, history.tokens, history.token_pairs, asked, kernel, width).effective_size

    def _answering(self, at: Floats) -> Floats:
        """Return the times whose distributions are used: beyond the last document, the latest one."""
        newest = self._history.times[-1] if len(self._history.times) else np.inf
        return np.minimum(self._remembered(at), newest if self.side == "both" else just_after(newest))

    @property
    def _prior(self) -> Prior:
        if isinstance(self.smoothing, str):
            return Prior(self.smoothing)
        return Prior("dirichlet", float(self.smoothing)) if self.smoothing > 0 else Prior.bare()

    @property
    def _model(self) -> ComponentModel:
        return ComponentModel(self._history, self._kernel, self._prior, Components._make(self._components_))

    def _choose(self) -> None:
        """Select bandwidth and strength, if not given, by the likelihood of left-out documents."""
        history, prior, widest = self._history, self._prior, self._widest
        self.n_documents_at_choice_ = self.n_documents_seen_
        strength = self.strength if isinstance(self.smoothing, str) else self.smoothing
        if prior.kind == "jelinek-mercer" and strength != "cv" and strength > 1:
            raise InvalidInput(f"the strength of Jelinek-Mercer smoothing is a weight of at most 1, not {strength}")
        strengths = prior.strengths if strength == "cv" else np.array([float(strength)])
        if self.bandwidth in CHOICES:
            chosen, table = choose(
                self.bandwidth, history, self._kernel, prior, strengths, widest=widest, verbose=self.verbose
            )
            self.typical_bandwidth_ = table.bandwidth
        else:
            self.typical_bandwidth_ = self._given_bandwidth()
            view, shape, width = left_out_at(history, self._kernel, self.typical_bandwidth_)
            table = cross_validate(LeaveOneOut(view, shape), prior, np.array([width]), strengths, verbose=self.verbose)
            chosen = Components.one(self.typical_bandwidth_, table.strength)
        self._components_ = tuple(chosen)
        self.cv_bandwidths_, self.cv_strengths_, self.cv_scores_ = table.bandwidths, table.strengths, table.scores
        self.bandwidth_ = {
            "one": chosen.bandwidths[0].item(),
            "times": chosen.bandwidths[chosen.answering] if chosen.rule == "times" else None,
            "words": chosen.bandwidths[chosen.answering] if chosen.rule == "words" else None,
            "mixture": chosen.bandwidths,
        }[chosen.rule]
        self.bandwidth_weights_, self.bandwidth_times_ = chosen.weights, chosen.knots
        self.strength_ = table.strength
        self._prepare_curves()

    def _given_bandwidth(self) -> float:
        if isinstance(self.bandwidth, str) and self.bandwidth in _LIMITS:
            return _LIMITS[self.bandwidth]
        width = self._time_axis.span(self.bandwidth)
        if not width > 0:
            raise InvalidInput(f"the bandwidth must be above zero, not {self.bandwidth!r}; its limit is 'per-time'")
        if self._widest < width < np.inf:
            raise InvalidInput(
                f"the bandwidth {self.bandwidth!r} exceeds the memory {self.memory!r}; lower the one or raise the other"
            )
        return width

    def _prepare_curves(self) -> None:
        """Compute the dispersion of each word and the bandwidth of its curve."""
        history = self._history
        _, shape, width = asked_at(history, self._kernel, history.times[:0], self.typical_bandwidth_)
        self.dispersion_ = history.dispersion(shape.name, width)
        if self.bandwidth not in CHOICES:
            self.curve_bandwidth_ = np.full(self.n_features_in_, self.typical_bandwidth_)
            return
        widths = bandwidth_grid(history.times, _CURVE_BANDWIDTHS, widest=self._widest)
        if history.forgotten is not None and len(widths) > 1:
            widths = widths[:-1]  # discarded documents cannot be drawn
        loo = LeaveOneOut(history, self._kernel, by_word=True)
        self.curve_bandwidth_ = widths[curve_bandwidths(loo, widths, verbose=self.verbose)]

    def _grid(self) -> Floats:
        first, last = self._history.times[[0, -1]]
        if np.isfinite(self._forgotten_before_):
            first = last - self._memory
        return np.linspace(first, last, _GRID_POINTS)

    def _note_support(self, when: Floats, supported: Bools) -> None:
        """Store which of the times had data around them, and warn if the background was used."""
        supported = supported & ~self._is_forgotten(when)
        beyond = when > self._row_times_[-1]
        if beyond.any():
            supported[beyond] &= self._model.supported(when[beyond])
        self.outside_support_ = ~supported
        self._warn_outside(when, supported, "data", stacklevel=4)
