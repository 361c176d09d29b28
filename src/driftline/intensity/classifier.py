"""A classifier that knows what time it is: any classifier, corrected by the intensities of the classes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import Tags, _safe_indexing, assert_all_finite, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d, has_fit_parameter, indexable

from driftline.base.estimator import DriftEstimator
from driftline.base.matrices import checked_features
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Anything, Array, Layout, Number, Optional, Part
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.intensity.calibration import VectorScaling, fit_vector_scaling
from driftline.intensity.class_sequence import neighbour_posterior, new_shares, sticky_chain
from driftline.intensity.evidence import unsorted
from driftline.intensity.timeline import gaps_between
from driftline.intensity.tracker import IntensityTracker

METHODS = ("tracker", "chain", "neighbours", "shares", "calibration")
"""The models of the stream whose posteriors can be combined."""

COMBINED = ("tracker", "chain", "neighbours")
"""Those that are combined by default: together they erred least in trials, less than the best found by validation."""

LEAST_PROBABILITY = 1e-12
"""Posteriors are raised to this before they are combined, so that no method alone can rule a class out."""

LEAST_SHARE = 1e-3
"""A refit leaves out the classes that a document belongs to with less than this; most documents then count once."""


class IntensityClassifier(MetaEstimatorMixin, ClassifierMixin, DriftEstimator):
    r"""Let the times of a stream's documents correct a classifier of their texts.

    The classifier's log-probabilities are calibrated by vector scaling on cross-validated predictions, and the training
    classes' shares are taken out of them: what remains is the likelihood of each document under each class. Three
    models of the stream turn it into posteriors: the intensities of the classes (`IntensityTracker`), a chain in which
    a document often has the class of the one before it, and a prior made of the documents around. The answer is their
    geometric mean.

    Documents are judged together: pass a whole stream, or a stretch of it, to `predict`. Each document's answer depends
    on its neighbours in time, before and after.

    Parameters
    ----------
    estimator : the classifier, with probabilities or decision scores; None for logistic regression.
    n_levels, ratio : the ladder of intensities, centred at the mean rate of a class. It hardly matters; nor does
        `transition` between 0.01 and 0.4.
    time : as in `IntensityTracker`: "operational" or "index" where the collection has holes.
    clip_gaps : bounds on the gaps, in mean gaps.
    methods : whose posteriors are combined, one or several of "tracker", "chain" and "neighbours"; and, for comparison,
        "shares" (class shares re-estimated on the stream, no time) and "calibration" (no stream at all).
    refit : before the answer is given, fit the classifier once more, on the training documents and on the stream's with
        the posteriors of a first pass as soft labels (each document counts `refit_weight`), and calibrate it anew.
        Needs a classifier that takes sample weights; the training documents are kept.
    cv : folds of the cross-validation that calibrates.

    Attributes
    ----------
    estimator_ : the fitted classifier. classes_ : its classes.
    scale_, bias_, log_prior_ : the calibration, and the log-shares of the classes in training.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 0, 1], 50)
    >>> X = rng.normal(0, 1, (200, 2)) + 1.0 * np.column_stack([y == 0, y == 1])
    >>> model = IntensityClassifier().fit(X[::2], y[::2])
    >>> bool(model.score(X, y) > model.estimator_.score(X, y) + 0.08)
    True
    """

    _state_layout: ClassVar[Layout | None] = {
        **{name: Optional(held) for name, held in COLUMNS.items()},
        **TIME_AXIS,
        "estimator_": Part(),
        "classes_": Array("classes", kind="any"),
        "log_prior_": Array("classes", finite=False),
        "scale_": Number(),
        "bias_": Array("classes"),
        "_training_": Anything(),
    }

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [
            HasMethods(["fit", "predict_proba"]),
            HasMethods(["fit", "predict_log_proba"]),
            HasMethods(["fit", "decision_function"]),
            None,
        ],
        "n_levels": [Interval(Integral, 1, 255, closed="both")],
        "ratio": [Interval(Real, 1, None, closed="neither")],
        "transition": [Interval(Real, 0, 1, closed="right"), StrOptions({"learn"})],
        "inference": [StrOptions({"auto", "exact", "ep", "structured"})],
        "time": [StrOptions({"gap", "operational", "index"})],
        "clip_gaps": [tuple, list, None],
        "methods": [tuple, list, StrOptions(set(METHODS))],
        "refit": ["boolean"],
        "refit_weight": [Interval(Real, 0, None, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_levels: int = 8,
        ratio: float = 2.0,
        transition: Any = 0.1,
        inference: str = "auto",
        time: str = "gap",
        clip_gaps: tuple[float, float] | None = (1e-4, 5.0),
        methods: Any = COMBINED,
        refit: bool = False,
        refit_weight: float = 0.5,
        cv: int = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_levels = n_levels
        self.ratio = ratio
        self.transition = transition
        self.inference = inference
        self.time = time
        self.clip_gaps = clip_gaps
        self.methods = methods
        self.refit = refit
        self.refit_weight = refit_weight
        self.cv = cv
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, *, times: Any = None) -> IntensityClassifier:
        """Fit and calibrate the classifier on the labelled documents; -1 or None marks those that have no label.

        Training needs no times; they are checked, and fix what kind of time the classifier lives in.
        """
        if y is None:
            raise InvalidInput("IntensityClassifier requires y to be passed, but the target y is None")
        self._method_names()
        X, y = indexable(checked_features(X), y)
        self._check_times(times, _num_samples(X), reset=True)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        labelled = _is_labelled(y)
        if not labelled.any():
            raise InvalidInput("no document has a label; label some documents of each class")
        if not labelled.all():
            X, y = _safe_indexing(X, np.flatnonzero(labelled)), y[labelled]
        if y.dtype.kind == "O":
            y = np.array(list(y))
        check_classification_targets(y)
        base = LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator
        if self.refit and not has_fit_parameter(base, "sample_weight"):
            raise InvalidInput(
                f"refit=True needs a classifier that takes sample weights; {type(base).__name__} does not"
            )
        self.estimator_ = clone(base).fit(X, y)
        self.classes_ = self.estimator_.classes_
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        columns = np.searchsorted(self.classes_, y)
        counts = np.bincount(columns, minlength=len(self.classes_))
        self.log_prior_ = np.log(counts / counts.sum())
        calibration = self._calibrate(base, X, y, columns, int(counts.min()))
        self.scale_, self.bias_ = calibration.scale, calibration.bias
        self._training_: Any = (X, y) if self.refit else None
        return self

    def predict(self, X: Any, *, times: Any = None) -> Any:
        """Return each document's most probable class, given the whole stream."""
        columns = self.predict_proba(X, times=times).argmax(axis=1)
        return self.classes_[columns]

    def predict_proba(self, X: Any, *, times: Any = None) -> Floats:
        """Return p(class | whole stream), documents × classes."""
        check_is_fitted(self)
        return self._combine(self._likelihood(X, times), times)

    def predict_log_proba(self, X: Any, *, times: Any = None) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, times=times))

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, times: Any = None) -> float:
        """Return the share of documents whose class is predicted; documents without a label (-1, None) do not count."""
        y = np.asarray(y)
        labelled = _is_labelled(y)
        found = self.predict(X, times=times)[labelled]
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return float(accuracy_score(np.array(list(y[labelled])), found, sample_weight=weights))

    def log_likelihood(self, X: Any) -> Floats:
        """Return the calibrated log p(document | class), up to a constant a document: what `IntensityTracker` takes."""
        check_is_fitted(self)
        calibration = VectorScaling(self.scale_, self.bias_)
        return calibration.scores(self._log_proba(self.estimator_, X)) - self.log_prior_

    def track(self, X: Any, *, times: Any = None) -> IntensityTracker:
        """Return the fitted tracker of a stream: intensities of the classes with bands, and their bursts."""
        check_is_fitted(self)
        return self._tracker(self._likelihood(X, times), times)

    def _likelihood(self, X: Any, times: Any) -> Floats:
        """Return the calibrated log-likelihoods of the stream, under the refitted classifier if there is to be one."""
        X = checked_features(X)
        first = self.log_likelihood(X)
        if not self.refit:
            return first
        (X,) = indexable(X)
        estimator, calibration = self._refit(X, self._combine(first, times))
        return calibration.scores(self._log_proba(estimator, X)) - self.log_prior_

    def _combine(self, log_likelihood: Floats, times: Any) -> Floats:
        """Return the normalised geometric mean of the methods' posteriors."""
        order = np.argsort(self._check_times(times, len(log_likelihood), reset=False), kind="stable")
        found = (self._posterior(name, log_likelihood, times, order) for name in self._method_names())
        logs = [np.log(np.maximum(posterior, LEAST_PROBABILITY)) for posterior in found]
        return softmax(np.mean(logs, axis=0), axis=1)

    def _method_names(self) -> tuple[str, ...]:
        names = (self.methods,) if isinstance(self.methods, str) else tuple(self.methods)
        if not names or any(name not in METHODS for name in names):
            raise InvalidInput(f"methods must be one or several of {', '.join(METHODS)}, not {self.methods!r}")
        return names

    def _posterior(self, method: str, log_likelihood: Floats, times: Any, order: Ints) -> Floats:
        """Return one method's posteriors; `order` sorts the documents by time."""
        shares = np.exp(self.log_prior_)
        if method == "tracker":
            return self._tracker(log_likelihood, times).topic_proba_
        if method == "chain":
            return unsorted(sticky_chain(log_likelihood[order], shares).posterior, order)
        if method == "neighbours":
            return unsorted(neighbour_posterior(log_likelihood[order]), order)
        if method == "shares":
            return new_shares(log_likelihood, shares)
        return softmax(log_likelihood + self.log_prior_, axis=1)

    def _tracker(self, log_likelihood: Floats, times: Any) -> IntensityTracker:
        n, n_classes = log_likelihood.shape
        moments = np.sort(self._check_times(times, n, reset=False))
        mean_gap = gaps_between(moments).mean
        rungs = np.arange(self.n_levels) - (self.n_levels - 1) / 2
        levels = np.float64(self.ratio) ** rungs / (n_classes * mean_gap)
        tracker = IntensityTracker(
            levels=levels,
            transition=self.transition,
            inference=self.inference,
            time=self.time,
            clip_gaps=self.clip_gaps,
            n_jobs=self.n_jobs,
        )
        return tracker.fit(log_likelihood, times=times)

    def _refit(self, X: Any, posterior: Floats) -> tuple[Any, VectorScaling]:
        """Fit the classifier once more, and calibrate it anew: it has seen other shares of the classes than before."""
        known, y = self._training_
        estimator = self._refitted(known, y, X, posterior)
        columns = np.searchsorted(self.classes_, y)
        folds = min(self.cv, int(np.bincount(columns).min()))
        if len(self.classes_) < 2 or folds < 2:
            return estimator, VectorScaling(self.scale_, self.bias_)
        held_out = np.empty((len(y), len(self.classes_)))
        for rows, others in _folds(folds).split(np.zeros(len(y)), y):
            part = self._refitted(_safe_indexing(known, rows), y[rows], X, posterior)
            held_out[others] = self._log_proba(part, _safe_indexing(known, others))
        return estimator, fit_vector_scaling(held_out, columns)

    def _refitted(self, known: Any, y: Any, X: Any, posterior: Floats) -> Any:
        """Fit the classifier with the stream's posteriors as soft labels; traces of them are left out."""
        columns, rows = np.nonzero(posterior.T > LEAST_SHARE)
        guessed = _safe_indexing(X, rows)
        either = sp.issparse(known) or sp.issparse(guessed)
        joined = sp.vstack([known, guessed]).tocsr() if either else np.concatenate([known, guessed])
        labels = np.concatenate([y, self.classes_[columns]])
        weights = np.concatenate([np.ones(len(y)), self.refit_weight * posterior[rows, columns]])
        return clone(self.estimator_).fit(joined, labels, sample_weight=weights)

    def _calibrate(self, base: Any, X: Any, y: Any, columns: Any, smallest: int) -> VectorScaling:
        """Calibrate on predictions for documents the classifier had not seen; with too few of a class, do not."""
        n_classes = len(self.classes_)
        folds = min(self.cv, smallest)
        if n_classes < 2 or folds < 2:
            return VectorScaling(1.0, np.zeros(n_classes))
        held_out = cross_val_predict(clone(base), X, y, cv=_folds(folds), method=_method_of(base), n_jobs=self.n_jobs)
        return fit_vector_scaling(_as_log_proba(held_out, _method_of(base)), columns)

    def _log_proba(self, estimator: Any, X: Any) -> Floats:
        method = _method_of(estimator)
        return _as_log_proba(getattr(estimator, method)(checked_features(X)), method)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        base = LogisticRegression() if self.estimator is None else self.estimator
        tags.input_tags.sparse = get_tags(base).input_tags.sparse
        tags.input_tags.string = get_tags(base).input_tags.string
        return tags


def _is_labelled(y: Any) -> Bools:
    """Say which labels are neither -1 nor None; where there are no others than -1 and 1, both are labels."""
    if y.dtype.kind == "O":
        return np.array([label is not None and label != -1 for label in y], dtype=bool)
    if y.dtype.kind in "US" or set(np.unique(y)) == {-1, 1}:
        return np.ones(len(y), dtype=bool)
    return np.asarray(y != -1)


def _folds(n: int) -> StratifiedKFold:
    return StratifiedKFold(n, shuffle=True, random_state=0)


def _method_of(estimator: Any) -> str:
    for name in ("predict_log_proba", "predict_proba"):
        if hasattr(estimator, name):
            return name
    return "decision_function"


def _as_log_proba(scores: Any, method: str) -> Floats:
    scores = np.asarray(scores, dtype=np.float64)
    if method == "predict_log_proba":
        return np.maximum(scores, -1e3)
    if method == "predict_proba":
        return np.log(np.maximum(scores, 1e-300))
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    return log_softmax(scores, axis=1)
