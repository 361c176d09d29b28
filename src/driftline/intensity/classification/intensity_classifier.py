"""A time-aware classifier: any classifier, corrected by the intensities of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, indexable

from driftline.base.checked_matrices import checked_features
from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import (
    Constraints,
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    num_samples,
    safe_indexing,
)
from driftline.base.state_layout import (
    COLUMNS,
    TIME_AXIS,
    Anything,
    Array,
    Each,
    Layout,
    Number,
    Optional,
    Part,
    Text,
    Together,
)
from driftline.core.arrays import Bools, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import check_given, labelled_accuracy, labelled_values, plain_labels
from driftline.intensity.classification.class_sequence import neighbour_posterior, new_shares, sticky_chain
from driftline.intensity.classification.classifier_scores import Evidence, log_proba_of
from driftline.intensity.classification.clearly_better import clearly_better
from driftline.intensity.classification.held_out_calibration import calibrate, folds
from driftline.intensity.classification.vector_scaling import VectorScaling, fit_vector_scaling
from driftline.intensity.tracking.document_evidence import unsorted
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

METHODS = ("tracker", "chain", "neighbours", "shares", "calibration", "base")
"""The models of the stream whose posteriors can be combined."""

COMBINED = ("tracker", "chain", "neighbours")
"""Default methods, unless validation clearly favours a simpler rule: together they had the lowest error in trials."""

SIMPLER = ("base", "calibration")
"""Fallbacks that may replace the combination, simplest first."""

LEAST_PROBABILITY = 1e-12
"""Smallest posterior probability before combination, so that no single method can exclude a class."""

LEAST_SIGNAL = 3.0
"""Nats by which calibrated probabilities must beat the class shares for re-estimating the shares of a stream."""

LEAST_TO_VALIDATE = 2
"""Minimum number of documents of each class in a half; fewer cannot be calibrated."""

LEAST_SHARE = 1e-3
"""Smallest class probability used in a refit; most documents then count for a single class."""


class IntensityClassifier(MetaEstimatorMixin, ClassifierMixin, DriftEstimator):
    r"""Correct a text classifier by the times of a stream's documents.

    The classifier's log-probabilities are calibrated by vector scaling on cross-validated predictions, and divided by
    the class shares in training: the result is the likelihood of each document under each class. Three models of the
    stream turn it into posteriors: the intensities of the classes (`IntensityTracker`), a chain in which a document
    often has the class of the one before it, and a prior from the neighbouring documents. The prediction is their
    geometric mean; or the classifier's own prediction, calibrated or not, if that has clearly fewer errors when each
    half of the training documents is predicted from the other. The classifier is also used alone if its calibrated
    probabilities are hardly better on held-out training documents than the class shares (`signal_`): such likelihoods
    do not determine the shares of a stream.

    Documents are classified together: pass a whole stream, or a segment of it, to `predict`. Each document's prediction
    depends on its neighbours in time, before and after.

    Parameters
    ----------
    estimator : the classifier, with probabilities or decision scores; None for logistic regression.
    n_levels, ratio : the ladder of intensities, centred at the mean rate of a class. The result hardly depends on it,
    nor on `transition` between 0.01 and 0.4.
    time : as in `IntensityTracker`: "operational" or "index" if the collection has gaps.
    clip_gaps : bounds on the gaps, in mean gaps.
    methods : whose posteriors are combined, one or several of "tracker", "chain", "neighbours", "shares" (class shares
        re-estimated on the stream, no time), "calibration" (no stream at all) and "base" (the classifier's own
        probabilities). "auto" is "base" if `signal_` is below 3 nats. Otherwise it combines the first three, unless
        "calibration" or "base" makes fewer errors by more than one standard error of the difference when the earlier
        half of the training documents is predicted from the later one and the later from the earlier (without `refit`).
        `fit` then takes about twice as long.
    refit : fit the classifier again before prediction, to the training documents and to the stream's with the
    posteriors of a first pass as soft labels (each document has weight `refit_weight`), and calibrate it again. Needs a
    classifier with sample weights; the training documents are kept.
    cv : folds of the cross-validation that calibrates.

    Attributes
    ----------
    estimator_ : the fitted classifier. classes_ : its classes.
    scale_, bias_, log_prior_ : the calibration, and the log-shares of the classes in training.
    signal_ : nats by which the calibrated probabilities of held-out training documents beat the shares of the classes;
        0 if a class has too few documents for calibration.
    methods_ : the methods that `predict` combines.
    validation_errors_ : with methods="auto", the number of errors on the training documents by "combined", "base" and
        "calibration", each half predicted from the other; None if a half is too small or the signal too weak.

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
        "signal_": Optional(Number()),
        "methods_": Each(Text(METHODS)),
        "validation_errors_": Optional(Together(dict.fromkeys(("combined", *SIMPLER), Number(least=0)))),
        "_training_": Anything(),
    }

    _parameter_constraints: ClassVar[Constraints] = {
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
        "methods": [tuple, list, StrOptions({"auto", *METHODS})],
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
        methods: Any = "auto",
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

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, *, times: Any = None) -> IntensityClassifier:
        """Fit and calibrate the classifier on the labelled documents; -1 or None marks those that have no label.

        With methods="auto" the validation halves are in time order, or without times in the order given. The times also
        fix the kind of time of the classifier.
        """
        check_given(y, type(self).__name__)
        names = self._method_names()
        X, y = indexable(checked_features(X), y)
        moments = self._check_times(times, num_samples(X), reset=True)
        y, labelled = labelled_values(y, num_samples(X), signs=True)
        if not labelled.any():
            raise InvalidInput("no document has a label; label some documents of each class")
        y = plain_labels(y[labelled])
        if not labelled.all():
            X, moments = safe_indexing(X, np.flatnonzero(labelled)), moments[labelled]
        base = LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator
        if self.refit and not has_fit_parameter(base, "sample_weight"):
            raise InvalidInput(f"refit=True needs a classifier with sample weights; {type(base).__name__} does not")
        self.estimator_ = clone(base).fit(X, y)
        self.classes_ = self.estimator_.classes_
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        columns = np.searchsorted(self.classes_, y)
        counts = np.bincount(columns, minlength=len(self.classes_))
        self.log_prior_ = np.log(counts / counts.sum())
        calibration = calibrate(base, X, y, columns, cv=self.cv, n_jobs=self.n_jobs)
        (self.scale_, self.bias_), self.signal_ = calibration
        self._training_: Any = (X, y) if self.refit else None
        faint = self.signal_ < LEAST_SIGNAL
        errors = self._validated(X, y, moments) if self.methods == "auto" and not faint else None
        simpler = "base" if self.methods == "auto" and faint else None
        if errors:
            simpler = clearly_better(errors["combined"], {name: errors[name] for name in SIMPLER})
        self.methods_ = [simpler] if simpler else list(names)
        self.validation_errors_ = {name: int(wrong.sum()) for name, wrong in errors.items()} if errors else None
        return self

    def predict(self, X: Matrix, *, times: Times | None = None) -> Any:
        """Return each document's most probable class, given the whole stream."""
        columns = self.predict_proba(X, times=times).argmax(axis=1)
        return self.classes_[columns]

    def predict_proba(self, X: Matrix, *, times: Times | None = None) -> Floats:
        """Return p(class | whole stream), documents × classes."""
        check_is_fitted(self)
        return self._combine(self._evidence(X, times), times, self.methods_)

    def predict_log_proba(self, X: Matrix, *, times: Times | None = None) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, times=times))

    def score(self, X: Matrix, y: Labels | None, sample_weight: Any = None, *, times: Times | None = None) -> float:
        """Return the share of correctly classified documents; documents without a label (-1, None) do not count."""
        return labelled_accuracy(self.predict(X, times=times), y, sample_weight, signs=True)

    def log_likelihood(self, X: Matrix) -> Floats:
        """Return the calibrated log p(document | class), up to a constant per document: input of `IntensityTracker`."""
        check_is_fitted(self)
        return self._first_evidence(X).log_likelihood

    def track(self, X: Matrix, *, times: Times | None = None) -> IntensityTracker:
        """Return the fitted tracker of a stream: intensities of the classes with bands, and their bursts."""
        check_is_fitted(self)
        return self._tracker(self._evidence(X, times).log_likelihood, times)

    def _evidence(self, X: Matrix, times: Times | None) -> Evidence:
        """Return the classifier's scores of the stream, after a refit if requested."""
        X = checked_features(X)
        first = self._first_evidence(X)
        if not self.refit:
            return first
        (X,) = indexable(X)
        return self._evidence_of(*self._refit(X, self._combine(first, times, self.methods_)), X)

    def _first_evidence(self, X: Matrix) -> Evidence:
        return self._evidence_of(self.estimator_, VectorScaling(self.scale_, self.bias_), X)

    def _evidence_of(self, estimator: Any, calibration: VectorScaling, X: Matrix) -> Evidence:
        log_proba = log_proba_of(estimator, X)
        return Evidence(log_proba, calibration.scores(log_proba) - self.log_prior_)

    def _combine(self, evidence: Evidence, times: Times | None, methods: Sequence[str]) -> Floats:
        """Return the normalised geometric mean of the methods' posteriors."""
        order = np.argsort(self._check_times(times, len(evidence.log_proba), reset=False), kind="stable")
        found = (self._posterior(name, evidence, times, order) for name in methods)
        logs = [np.log(np.maximum(posterior, LEAST_PROBABILITY)) for posterior in found]
        result: Floats = softmax(np.mean(logs, axis=0), axis=1)
        return result

    def _method_names(self) -> tuple[str, ...]:
        if self.methods == "auto":
            return COMBINED
        names = (self.methods,) if isinstance(self.methods, str) else tuple(self.methods)
        if not names or any(name not in METHODS for name in names):
            raise InvalidInput(f"methods must be one or several of {', '.join(METHODS)}, not {self.methods!r}")
        return names

    def _validated(self, X: Any, y: Any, moments: Floats) -> dict[str, Bools] | None:
        """Predict each half of the training documents from the other; return which ones each candidate gets wrong.

        None if a half has too few documents of a class.
        """
        halves = np.array_split(np.argsort(moments, kind="stable"), 2)
        for half in halves:
            known, counts = np.unique(y[half], return_counts=True)
            if len(known) < len(self.classes_) or counts.min() < LEAST_TO_VALIDATE:
                return None
        try:
            parts = [self._errors_on(one, other, X, y, moments) for one, other in (halves, halves[::-1])]
        except ValueError:  # scikit-learn's error for too few documents; the classifier has already been fitted to all
            return None
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _errors_on(self, others: Ints, known: Ints, X: Any, y: Any, moments: Floats) -> dict[str, Bools]:
        """Learn from the known documents; return which of the others each candidate gets wrong."""
        model = clone(self).set_params(methods=COMBINED, refit=False)
        model.fit(safe_indexing(X, known), y[known], times=moments[known])
        evidence = model._first_evidence(safe_indexing(X, others))
        candidates = {"combined": COMBINED, **{name: (name,) for name in SIMPLER}}
        found = {name: model._combine(evidence, moments[others], methods) for name, methods in candidates.items()}
        return {name: model.classes_[posterior.argmax(axis=1)] != y[others] for name, posterior in found.items()}

    def _posterior(self, method: str, evidence: Evidence, times: Times | None, order: Ints) -> Floats:
        """Return one method's posteriors; `order` sorts the documents by time."""
        log_likelihood, shares = evidence.log_likelihood, np.exp(self.log_prior_)
        if method == "base":
            found: Floats = softmax(evidence.log_proba, axis=1)
            return found
        if method == "tracker":
            found = self._tracker(log_likelihood, times).topic_proba_
            return found
        if method == "chain":
            found = unsorted(sticky_chain(log_likelihood[order], shares).posterior, order)
            return found
        if method == "neighbours":
            found = unsorted(neighbour_posterior(log_likelihood[order]), order)
            return found
        if method == "shares":
            return new_shares(log_likelihood, shares)
        found = softmax(log_likelihood + self.log_prior_, axis=1)
        return found

    def _tracker(self, log_likelihood: Floats, times: Times | None) -> IntensityTracker:
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

    def _refit(self, X: Matrix, posterior: Floats) -> tuple[Any, VectorScaling]:
        """Fit the classifier once more, and calibrate it again, because the class shares have changed."""
        known, y = self._training_
        estimator = self._refitted(known, y, X, posterior)
        columns = np.searchsorted(self.classes_, y)
        n_folds = min(self.cv, int(np.bincount(columns).min()))
        if len(self.classes_) < 2 or n_folds < 2:
            return estimator, VectorScaling(self.scale_, self.bias_)
        held_out = np.empty((len(y), len(self.classes_)))
        for rows, others in folds(n_folds).split(np.zeros(len(y)), y):
            part = self._refitted(safe_indexing(known, rows), y[rows], X, posterior)
            held_out[others] = log_proba_of(part, safe_indexing(known, others))
        return estimator, fit_vector_scaling(held_out, columns)

    def _refitted(self, known: Any, y: Any, X: Any, posterior: Floats) -> Any:
        """Fit the classifier with the stream's posteriors as soft labels; very small ones are omitted."""
        columns, rows = np.nonzero(posterior.T > LEAST_SHARE)
        guessed = safe_indexing(X, rows)
        either = sp.issparse(known) or sp.issparse(guessed)
        joined = sp.vstack([known, guessed]).tocsr() if either else np.concatenate([known, guessed])
        labels = np.concatenate([y, self.classes_[columns]])
        weights = np.concatenate([np.ones(len(y)), self.refit_weight * posterior[rows, columns]])
        return clone(self.estimator_).fit(joined, labels, sample_weight=weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        base = LogisticRegression() if self.estimator is None else self.estimator
        tags.input_tags.sparse = get_tags(base).input_tags.sparse
        tags.input_tags.string = get_tags(base).input_tags.string
        return tags
