r"""A word distribution that moves with time, estimated by local likelihood."""

from __future__ import annotations

import datetime
import numbers
import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.compute.cpu import leave_one_out as compiled
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.drift_speed import DriftSpeed, drift_speed
from driftline.local.history import History
from driftline.local.leave_one_out import LeaveOneOut
from driftline.local.naming import columns_of
from driftline.local.prior import Prior
from driftline.smoothing.bands import share_bands
from driftline.smoothing.bandwidths import bandwidth_grid
from driftline.smoothing.curve import Curve
from driftline.smoothing.dispersion import dispersion
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel
from driftline.smoothing.running_sums import running_sums, sums_at_pairs

_GRID_POINTS = 200
_INSTANT = np.finfo(np.float64).tiny


class LocalMultinomial(DriftEstimator):
    r"""Estimate the distribution of words at any time from the documents near that time.

    The estimate is the ratio of weighted sums (8),

    .. math:: \hat\theta_{tw} = \frac{\sum_\tau K_h(t-\tau)\, c_{\tau w}}{\sum_\tau K_h(t-\tau)\, n_\tau},

    smoothed towards the distribution of the whole stream (with ``side="past"``: of everything before).

    Parameters
    ----------
    kernel : {"triangular", "uniform", "epanechnikov", "tricube", "gaussian"}
        The shape of the weights in time.
    bandwidth : number, duration or name
        The width h. A number is in units of the times (days for dates); ``"36h"`` or a timedelta may be given for
        dates. ``"cv"`` chooses it by leaving one document out; ``"global"`` and ``"per-time"`` are the limits
        of a very large and a very small one.
    side : {"both", "past"}
        Whether documents on both sides of a time count, or only those strictly before it.
    smoothing : {"dirichlet", "jelinek-mercer", "additive"} or float
        How sparse local counts are smoothed. A number is the strength of a Dirichlet prior in words; ``0.0`` is
        the bare ratio (8).
    strength : float or "cv"
        How strongly: words of prior (Dirichlet), weight of the background (Jelinek-Mercer), count added to every word
        (additive). ``"cv"`` chooses it together with the bandwidth.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns, so that a word can be asked for by name.
    verbose : bool
        Show progress.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use, in units of the times.
    strength_ : float
        The strength of the smoothing in use.
    dispersion_ : ndarray of shape (n_words,)
        How much more alike the words of one document are than chance.
    outside_support_ : ndarray of bool
        Which of the times asked for last had no data within the bandwidth.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[3, 1], [3, 1], [1, 3], [1, 3]])
    >>> model = LocalMultinomial(bandwidth=2.0, smoothing=0.0).fit(counts, times=[0, 1, 2, 3])
    >>> model.probabilities([0, 3])
    array([[0.75, 0.25], [0.25, 0.75]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": [StrOptions(set(KERNEL_NAMES))],
        "bandwidth": [Interval(numbers.Real, 0, None, closed="neither"), str, np.timedelta64, datetime.timedelta],
        "side": [StrOptions({"both", "past"})],
        "smoothing": [
            StrOptions({"dirichlet", "additive", "jelinek-mercer"}),
            Interval(numbers.Real, 0, None, closed="left"),
        ],
        "strength": [StrOptions({"cv"}), Interval(numbers.Real, 0, None, closed="left")],
        "vocabulary": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        kernel: str = "triangular",
        bandwidth: Any = "cv",
        side: str = "both",
        smoothing: Any = "dirichlet",
        strength: Any = "cv",
        vocabulary: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.side = side
        self.smoothing = smoothing
        self.strength = strength
        self.vocabulary = vocabulary
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Say that input is counts, sparse or not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, times: Any = None) -> LocalMultinomial:
        """Learn from documents × words counts and one time per document; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        self._remember(X, self._check_times(times, X.shape[0], reset=True))
        self._choose()
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None, *, times: Any = None) -> LocalMultinomial:
        """Learn from more documents; a chosen bandwidth is chosen anew whenever their number has doubled.

        Without times, the documents come after those seen so far.
        """
        first = not hasattr(self, "_rows_")
        X = self._check_counts(X, reset=first)
        if first:
            new = self._check_times(times, X.shape[0], reset=True)
        elif times is None and self.time_axis_kind_ == "number":
            new = self._row_times_[-1] + 1 + np.arange(X.shape[0], dtype=np.float64)
        else:
            new = self._check_times(times, X.shape[0], reset=False)
        if not first:
            X = sp.vstack([self._rows_, X], format="csr")
            new = np.concatenate([self._row_times_, new])
        self._remember(X, new)
        if first or X.shape[0] >= 2 * self.n_documents_at_choice_:
            self._choose()
        else:
            self._measure_dispersion()
        return self

    def probabilities(self, when: Any) -> Floats:
        """Return the word distribution at every time asked, one row per time."""
        check_is_fitted(self)
        when = self._time_axis.values(when)
        local, local_tokens, totals, tokens = self._sums(when, None)
        self._note_support(when, local_tokens > 0)
        n_words = self.n_features_in_
        background = self._prior.background(totals, tokens, n_words)
        return self._prior.smooth(local, local_tokens, background, tokens, n_words)

    def frequency(self, words: Any, when: Any = None, level: float = 0.95) -> Curve:
        """Return the share of a word over time with its band; for several words, one row each.

        The estimate is corrected for its leading bias and not smoothed towards the background. The band allows for
        documents repeating their words, and is meant to cover the true share at the confidence `level` at each time.
        Without `when`, 200 times spread over the stream are used.
        """
        check_is_fitted(self)
        columns, single = columns_of(words, self.vocabulary, self.n_features_in_)
        at = self._grid() if when is None else self._time_axis.values(when)
        history = self._history
        kernel, asked = self._effective_kernel(at)
        value, lower, upper, terms = share_bands(
            history.counts[:, columns],
            history.tokens,
            history.token_pairs,
            history.times,
            asked,
            kernel,
            max(self.bandwidth_, _INSTANT),
            self.dispersion_[columns],
            level,
        )
        self._note_support(at, terms.supported)
        if not terms.supported.all():
            missing = ~terms.supported
            totals, tokens = self._totals(at[missing], columns)
            value[missing] = self._prior.background(totals, tokens, self.n_features_in_)
        pick = (slice(None), 0) if single else slice(None)
        return Curve(
            self._time_axis.restore(at),
            value[pick].T,
            lower[pick].T,
            upper[pick].T,
            terms.effective_size,
            level,
        )

    def drift_speed(self, when: Any = None, *, bandwidth: Any = None, level: float = 0.95) -> DriftSpeed:
        """Return how fast the whole distribution moves, with the speed that noise alone would show.

        A slope needs more data than a level; a wider `bandwidth` than that of the model may be given.
        """
        check_is_fitted(self)
        at = self._grid() if when is None else self._time_axis.values(when)
        times = self._history.times
        span = float(times[-1] - times[0])
        width = self.bandwidth_ if bandwidth is None else self._time_axis.span(bandwidth)
        width = max(min(width, span / 2), 2 * self._typical_gap(), _INSTANT)
        kernel = Kernel(self.kernel, self.side)  # type: ignore[arg-type]
        speed = drift_speed(self._history, at, kernel, width, self.dispersion_, level=level, verbose=self.verbose)
        return speed._replace(times=self._time_axis.restore(at))

    def score_samples(self, X: Any, y: Any = None, *, times: Any = None) -> Floats:
        """Return the log-likelihood of each document's words at its time."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        at = self._check_times(times, X.shape[0], reset=False)
        order = np.argsort(at, kind="stable")
        by_word = sp.csc_array(X[order])
        row = order[by_word.indices]
        local, local_tokens, totals, tokens = self._pair_sums(by_word.indptr, at, row)
        nothing = np.zeros(len(row))
        probability = compiled.probabilities(
            local,
            local_tokens[row],
            totals,
            tokens[row],
            nothing,
            nothing,
            self.n_features_in_,
            self._prior.small_count,
            self._prior.code,
            self._prior.strength,
        )
        self._note_support(at, local_tokens > 0)
        with np.errstate(divide="ignore"):
            return group_sums(row, by_word.data * np.log(probability), X.shape[0])

    def score(self, X: Any, y: Any = None, *, times: Any = None) -> float:
        """Return the log-likelihood per word; zero when there is no word at all."""
        total = float(self.score_samples(X, times=times).sum())
        tokens = float(X.sum() if sp.issparse(X) else np.sum(X))
        return total / tokens if tokens else 0.0

    def effective_size(self, when: Any) -> Floats:
        """Return how many words speak at each time: (ΣKn)²/ΣK²n."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        return self.frequency([], self._time_axis.restore(at)).effective_size

    def _remember(self, X: Any, times: Floats) -> None:
        order = np.argsort(times, kind="stable")
        self._rows_ = sp.csr_matrix(X)[order]
        self._row_times_ = times[order]
        self.__dict__.pop("_cached_history", None)

    @property
    def _history(self) -> History:
        cached = self.__dict__.get("_cached_history")
        if cached is None:
            cached = History.of(self._rows_, self._row_times_)
            self.__dict__["_cached_history"] = cached
        return cached

    @property
    def _prior(self) -> Prior:
        if isinstance(self.smoothing, str):
            return Prior(self.smoothing, self.strength_)
        return Prior("dirichlet", self.strength_) if self.strength_ > 0 else Prior.bare()

    def _choose(self) -> None:
        """Choose what was not given: bandwidth and strength together, by the likelihood of left-out documents."""
        history = self._history
        strength = self.strength if isinstance(self.smoothing, str) else self.smoothing
        self.n_documents_at_choice_ = len(history.document_tokens)
        bandwidths = self._candidates()
        self.strength_ = 0.0 if strength == "cv" else float(strength)
        strengths = self._prior.strengths if strength == "cv" else np.array([self.strength_])
        if len(bandwidths) * len(strengths) > 1:
            kernel, _ = self._effective_kernel(history.times)
            loo = LeaveOneOut(history, kernel, self._prior)
            table = loo.table(np.maximum(bandwidths, _INSTANT), strengths, verbose=self.verbose)
            # the later of equals: the wider bandwidth, the stronger prior
            best = len(table.ravel()) - 1 - int(np.argmax(table.ravel()[::-1]))
            row, column = divmod(best, table.shape[1])
            self.cv_bandwidths_, self.cv_strengths_, self.cv_scores_ = bandwidths, strengths, table
        else:
            row = column = 0
        self.bandwidth_ = float(bandwidths[row])
        self.strength_ = float(strengths[column])
        self._measure_dispersion()

    def _candidates(self) -> Floats:
        name = self.bandwidth
        if isinstance(name, str) and name in ("cv", "global", "per-time"):
            if name == "cv":
                return bandwidth_grid(self._history.times)
            return np.array([np.inf if name == "global" else 0.0])
        width = self._time_axis.span(name)
        if not width > 0:
            raise InvalidInput(
                f"the bandwidth must be above zero, not {name!r}; 'per-time' is the limit of a small one"
            )
        return np.array([width])

    def _measure_dispersion(self) -> None:
        history = self._history
        kernel = Kernel("uniform" if self.bandwidth_ == 0 else self.kernel, "both")
        width = max(self.bandwidth_, _INSTANT)
        tokens = history.document_tokens[history.entry_document]
        sums = history.sums_at_own_times(kernel, width)[history.entry_position] - history.entry_count
        mass = history.token_sums(history.times, kernel, width)[history.document_time][history.entry_document] - tokens
        with np.errstate(divide="ignore", invalid="ignore"):
            elsewhere = np.where(mass > 0, np.maximum(sums, 0.0) / mass, 0.0)
        self.dispersion_ = dispersion(
            history.entry_word,
            history.entry_count,
            tokens,
            np.minimum(elsewhere, 1.0),
            self.n_features_in_,
            history.word_totals,
        )

    def _effective_kernel(self, when: Floats) -> tuple[Kernel, Floats]:
        """Return the kernel and the times to ask at; the per-time limit asks at one instant (the last one before)."""
        if getattr(self, "bandwidth_", None) != 0 and self.bandwidth != "per-time":
            return Kernel(self.kernel, self.side), when  # type: ignore[arg-type]
        if self.side == "past":
            times = self._history.times
            before = np.searchsorted(times, when, side="left") - 1
            when = np.where(before >= 0, times[np.maximum(before, 0)], -np.inf)
        return Kernel("uniform"), when

    def _totals(self, when: Floats, columns: Ints | None) -> tuple[Floats, Floats]:
        """Return the total count of each word and of all, up to each time when only the past counts."""
        history = self._history
        counts = history.counts if columns is None else history.counts[:, columns]
        if self.side == "both":
            totals = np.asarray(counts.sum(axis=0), dtype=np.float64).reshape(1, -1)
            return totals, np.full(1, history.total_tokens)
        kernel = Kernel(self.kernel, "past")
        return running_sums(counts, history.times, when, kernel, np.inf), history.token_sums(when, kernel, np.inf)

    def _sums(self, when: Floats, columns: Ints | None) -> tuple[Floats, Floats, Floats, Floats]:
        history = self._history
        kernel, asked = self._effective_kernel(when)
        width = max(self.bandwidth_, _INSTANT)
        counts = history.counts if columns is None else history.counts[:, columns]
        local = running_sums(counts, history.times, asked, kernel, width)
        return local, history.token_sums(asked, kernel, width), *self._totals(when, columns)

    def _pair_sums(self, indptr: Any, at: Floats, row: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """Return local and total counts of every (word, document) pair, and the tokens of every document."""
        history = self._history
        kernel, asked = self._effective_kernel(at)
        width = max(self.bandwidth_, _INSTANT)
        background = Kernel(self.kernel, self.side)  # type: ignore[arg-type]
        return (
            sums_at_pairs(history.counts, history.times, indptr, asked[row], kernel, width),
            history.token_sums(asked, kernel, width),
            sums_at_pairs(history.counts, history.times, indptr, at[row], background, np.inf),
            history.token_sums(at, background, np.inf),
        )

    def _grid(self) -> Floats:
        return np.linspace(self._history.times[0], self._history.times[-1], _GRID_POINTS)

    def _typical_gap(self) -> float:
        gaps = np.diff(self._history.times)
        return float(np.median(gaps)) if len(gaps) else 0.0

    def _note_support(self, when: Floats, supported: Bools) -> None:
        """Remember which of the times had data around them, and warn where the background had to answer."""
        self.outside_support_ = ~supported
        missing = int((~supported).sum())
        if missing:
            first = self._time_axis.restore(when[~supported])[0]
            warnings.warn(
                f"{missing} of {len(when)} times have no data within the bandwidth (the first is {first}); "
                "the background model answers there",
                OutsideSupportWarning,
                stacklevel=3,
            )
