r"""A naive Bayes classifier whose word distributions and class shares change over time."""

from __future__ import annotations

import math
import numbers
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Anything, Array, Flag, Layout, Number, Sparse
from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.progress import track
from driftline.core.times import Duration
from driftline.local.fit_times import resolve_bandwidths
from driftline.local.local_estimator import LocalClassifier
from driftline.local.naive_bayes.naive_bayes_scores import (
    CLASS_STRENGTH,
    SMALL_COUNT,
    Labelled,
    Sums,
    joint_log_probabilities,
    sums_at,
)
from driftline.smoothing.kernels import Side

STRENGTHS = np.array([1.0, 10.0, 100.0, 1e3, 1e4, 1e5])
"""The strengths of smoothing that ``strength="cv"`` tries, in words."""

POINTS = 16
"""Number of grid times per bandwidth; sums are cheap, so the grid is fine."""

FEWEST_DOCUMENTS = 8
"""Minimum number of documents in the mean window of the smallest candidate bandwidth."""

STANDARD_ERRORS = 2.0
"""Number of standard errors by which a finite bandwidth must beat the global model."""

CHOOSE_AFTER = 300
"""Number of labelled documents of a stream after which bandwidth and strength are selected again."""

MOST_JUDGED = 3000
"""Number of documents that a past-only model always keeps, and on which it selects its settings again."""

BURN_IN = 0.1
"""Initial share of a stream whose predictions do not count in a forward comparison."""


class LocalNaiveBayes(TakesCounts, LocalClassifier):
    r"""Classify documents by Bayes' rule, with the word distribution and the share of every class at that time.

    .. math:: p_t(y \mid x) \propto p_t(y) \prod_w \theta_{t,y,w}^{x_w}

    Both factors are local likelihood estimates: ratios of sums in which a document has weight K((t - τ)/h)/K(0),
    smoothed towards the whole stream (with ``side="past"``: towards all earlier documents). An infinite bandwidth is
    the ordinary multinomial naive Bayes classifier.

    Parameters
    ----------
    kernel : {"triangular", "uniform", "epanechnikov", "tricube", "gaussian"}
        The shape of the weights in time.
    bandwidth : number, duration, "cv", "global" or a list of these
        The width h. ``"cv"`` and lists are selected by the log-loss of every document given the others (past-only:
        given those before); the candidates of ``"cv"`` include the global model.
    side : {"both", "past"}
        Whether documents on both sides of a time count, or only those strictly before it.
    strength : float or "cv"
        Weight of the whole stream in a local word distribution, in words; ``"cv"`` selects it with the bandwidth.
    grid : {"auto", "exact"}
        Whether sums are evaluated at 16 times per bandwidth and interpolated, or at every requested time.
    verbose : bool
        Show progress.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    bandwidth_, strength_ : float
        The settings in use.
    candidates_ : list of (bandwidth, strength, log-loss)
        The candidates compared in the selection.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.tile([[4, 1], [1, 4]], (20, 1))
    >>> y = np.where(np.arange(40) < 20, X[:, 0] > 2, X[:, 1] > 2).astype(int)
    >>> model = LocalNaiveBayes(bandwidth=8.0, strength=1.0).fit(X, y, times=np.arange(40.0))
    >>> model.predict([[4, 1], [4, 1]], times=[5.0, 35.0])
    array([1, 0])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "classes_": Array("classes", kind="any"),
        "_rows_": Sparse("documents", "words", least=0),
        "_labels_": Array("documents", kind="i", below="classes"),
        "_row_times_": Array("documents", ordered=True),
        "_forgotten_counts_": Array("words", "classes", least=0),
        "_forgotten_tokens_": Array("classes", least=0),
        "_forgotten_documents_": Array("classes", least=0),
        "_remembered_since_": Number(finite=False),
        "_anchor_": Number(finite=False),
        "_newest_": Number(finite=False),
        "bandwidth_": Number(least=0, finite=False),
        "strength_": Number(least=0),
        "candidates_": Anything(),
        "_n_since_choice_": Number(least=0, whole=True),
        "_chooses_": Flag(),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **LocalClassifier._parameter_constraints,
        "strength": [Interval(numbers.Real, 0, None, closed="left"), StrOptions({"cv"})],
        "grid": [StrOptions({"auto", "exact"})],
    }

    def __init__(
        self,
        kernel: str = "triangular",
        bandwidth: Duration = "cv",
        side: Side = "both",
        strength: float | str = "cv",
        grid: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.side = side
        self.strength = strength
        self.grid = grid
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        """Declare that scikit-learn's accuracy checks, which separate Gaussian blobs, do not apply to counts."""
        tags: Tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels, *, times: Times = None) -> LocalNaiveBayes:
        """Learn from counts (documents × words) and for every document a label (-1 or None: unlabelled) and a time."""
        return self._learn(X, y, times, None)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Matrix, y: Labels, classes: Labels | None = None, *, times: Times = None
    ) -> LocalNaiveBayes:
        """Learn from more documents; the first call selects the open settings.

        With ``side="past"``, bandwidth and strength are selected again after every 300 documents, by forward prediction
        of the last 3,000; documents further back than those and than two bandwidths are kept only as sums, so that cost
        and memory are bounded. For times before the kept documents, all earlier documents are used. Without times,
        documents follow those seen so far.
        """
        if not hasattr(self, "classes_"):
            return self._learn(X, y, times, classes)
        X = self._check_counts(X, reset=False)
        at = self._check_more_times(times, X.shape[0], self._newest_)
        known, codes = self._check_more_labels(y, X.shape[0])
        before = self._documents
        self._remember(
            sp.vstack([before.X, X[known]], format="csr"),
            np.concatenate([before.labels, codes]),
            np.concatenate([before.times, at[known]]),
            before.forgotten,
        )
        if self.side == "past":
            self._n_since_choice_ += len(codes)
            if self._n_since_choice_ >= CHOOSE_AFTER:
                self._choose()
            self._forget()
        return self

    def predict_joint_log_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return log p(y, x) for every class, up to the multinomial coefficient."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        when = self._check_times(times, X.shape[0], reset=False)
        inside = self._documents.supported(self._kernel, self.bandwidth_, when)
        self._warn_outside(when, inside, "labelled document")
        strengths = np.array([self.strength_])
        return joint_log_probabilities(
            self._documents, self._kernel, self.bandwidth_, self._points, strengths, X, when
        )[:, 0]

    def predict_log_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the logarithm of `predict_proba`, without losing small probabilities."""
        joint = self.predict_joint_log_proba(X, times=times)
        found: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
        return found

    def predict_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the probability of every class for every document at its time."""
        return np.exp(self.predict_log_proba(X, times=times))

    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return the most probable class of every document at its time."""
        joint = self.predict_joint_log_proba(X, times=times)
        found: np.ndarray = self.classes_[joint.argmax(axis=1)]
        return found

    def outside_support(self, when: Times) -> Bools:
        """Return for every time whether no document lies within the bandwidth, so that the result is extrapolated."""
        check_is_fitted(self)
        return ~self._documents.supported(self._kernel, self.bandwidth_, self._time_axis.values(when))

    def class_shares(self, when: Times) -> Floats:
        """Return p(y) at the requested times: (times, classes)."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        shares = np.empty((len(at), len(self.classes_)))
        for i, t in enumerate(at):
            local, totals = sums_at(self._documents, self._kernel, self.bandwidth_, t)
            current_kernels().naive_bayes.class_shares(local.documents, totals.documents, CLASS_STRENGTH, shares[i])
        return shares

    def probabilities(self, label: object, when: Times) -> Floats:
        """Return the word distribution of one class at the requested times: (times, words)."""
        check_is_fitted(self)
        number = self._class_number(label)
        at = self._time_axis.values(when)
        result = np.empty((len(at), self.n_features_in_))
        for i, t in enumerate(at):
            local, totals = sums_at(self._documents, self._kernel, self.bandwidth_, t)
            result[i] = _word_shares(local, totals, number, self.strength_)
        return result

    @property
    def _points(self) -> int:
        return POINTS if self.grid == "auto" else 0

    @property
    def _documents(self) -> Labelled:
        forgotten = Sums(self._forgotten_counts_, self._forgotten_tokens_, self._forgotten_documents_)
        return Labelled(self._rows_, self._labels_, self._row_times_, forgotten, self._anchor_, self._remembered_since_)

    def _learn(self, X: Matrix, y: Labels, times: Times, classes: Labels | None) -> LocalNaiveBayes:
        X = self._check_counts(X, reset=True)
        at = self._check_times(times, X.shape[0], reset=True)
        known, codes = self._check_first_labels(y, X.shape[0], classes)
        self._remembered_since_ = -math.inf
        self._anchor_ = math.inf
        self._remember(X[known], codes, at[known], Sums.zeros(X.shape[1], len(self.classes_)))
        self._choose()
        return self

    def _remember(self, X: Counts, labels: Ints, times: Floats, forgotten: Sums) -> None:
        order = np.argsort(times, kind="stable")
        self._rows_, self._labels_, self._row_times_ = X[order], labels[order], times[order]
        self._forgotten_counts_, self._forgotten_tokens_, self._forgotten_documents_ = forgotten
        if len(times):
            self._newest_ = float(self._row_times_[-1])
            self._anchor_ = min(self._anchor_, float(self._row_times_[0]))

    def _forget(self) -> None:
        """Replace documents beyond twice the kernel's support and beyond those used for selection by sums."""
        documents = self._documents
        if math.isinf(self.bandwidth_) and not self._chooses_:
            return
        judged = MOST_JUDGED if self._chooses_ else 0
        reach = self._kernel.support * self.bandwidth_ if math.isfinite(self.bandwidth_) else 0.0
        oldest = self._newest_ - 2 * reach - (self.bandwidth_ / POINTS if reach else 0.0)
        old = min(int(np.searchsorted(documents.times, oldest, side="left")), len(documents.times) - judged)
        if old > 0:
            forgotten = Sums(*(part.copy() for part in documents.forgotten))
            documents.add(forgotten, 0, np.ones(old))
            self._remember(documents.X[old:], documents.labels[old:], documents.times[old:], forgotten)
        if self._forgotten_documents_.any():
            self._remembered_since_ = float(self._row_times_[0]) + reach

    def _choose(self) -> None:
        """Select bandwidth and strength by the log-loss of left-out documents.

        A finite bandwidth must be clearly better: by more than two standard errors, and with no more errors. Bayes'
        rule is overconfident on long documents, so a few of them (of one thread, say) may dominate the log-loss.
        """
        kernel, documents = self._kernel, self._documents
        bandwidths = resolve_bandwidths(self.bandwidth, self._time_axis, documents.times, kernel, FEWEST_DOCUMENTS)
        strengths = STRENGTHS if isinstance(self.strength, str) else np.array([float(self.strength)])
        self.bandwidth_, self.strength_ = bandwidths[0], float(strengths[0])
        self.candidates_: list[tuple[float, float, float]] = []
        self._n_since_choice_ = 0
        self._chooses_ = len(bandwidths) * len(strengths) > 1
        if not self._chooses_:
            return
        skipped = int(BURN_IN * len(documents.times)) if self.side == "past" else 0
        losses: dict[float, Floats] = {}
        errors: dict[float, Floats] = {}
        for h in track(bandwidths, "choosing the bandwidth", verbose=self.verbose):
            joint = joint_log_probabilities(
                documents, kernel, h, self._points or POINTS, strengths, documents.X, documents.times, leave_out=True
            )
            own = np.take_along_axis(joint, documents.labels[:, None, None], axis=2)[:, :, 0]
            losses[h] = (logsumexp(joint, axis=2) - own)[skipped:]
            errors[h] = (joint.argmax(axis=2) != documents.labels[:, None])[skipped:].mean(axis=0)
            means = losses[h].mean(axis=0)
            self.candidates_ += [(h, float(s), float(loss)) for s, loss in zip(strengths, means)]
        self.bandwidth_, self.strength_, _ = min(self.candidates_, key=lambda candidate: candidate[2])
        if math.inf in losses and math.isfinite(self.bandwidth_):
            place = int(np.flatnonzero(strengths == self.strength_)[0])
            gain = losses[math.inf][:, place] - losses[self.bandwidth_][:, place]
            errs_more = errors[self.bandwidth_][place] > errors[math.inf][place]
            if errs_more or gain.mean() <= STANDARD_ERRORS * gain.std() / math.sqrt(len(gain)):
                self.bandwidth_ = math.inf


def _word_shares(local: Sums, totals: Sums, c: int, strength: float) -> Floats:
    """Return θ of one class (Eq. 1 of the kernels `naive_bayes`)."""
    n_words = len(totals.counts)
    tokens = totals.tokens[c]
    if tokens == 0:
        found: Floats = (totals.counts.sum(axis=1) + SMALL_COUNT) / (totals.tokens.sum() + SMALL_COUNT * n_words)
        return found
    background: Floats = (totals.counts[:, c] + SMALL_COUNT) / (tokens + SMALL_COUNT * n_words)
    n = local.tokens[c]
    if n + strength == 0:
        return background
    mass = n * (1 + SMALL_COUNT * n_words / tokens) + strength
    found = (local.counts[:, c] + SMALL_COUNT * n / tokens + strength * background) / mass
    return found
