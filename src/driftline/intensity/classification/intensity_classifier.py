"""A time-aware classifier: any classifier, corrected by the intensities of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, indexable

from driftline.base.checked_matrices import checked_features
from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesInputOfEstimator
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
    Either,
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
from driftline.intensity.classification.class_sequence import class_posterior
from driftline.intensity.classification.classifier_scores import Evidence, geometric_mean, log_proba_of
from driftline.intensity.classification.forward_choice import (
    CANDIDATES,
    COMBINED,
    ORIGINS,
    Choice,
    Predicted,
    choose,
    overrules_too_often,
)
from driftline.intensity.classification.held_out_calibration import calibrate
from driftline.intensity.classification.stream_refit import refit_on_stream
from driftline.intensity.classification.vector_scaling import VectorScaling
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

METHODS = ("tracker", "chain", "neighbours", "shares", "calibration", "base")
"""The models of the stream whose posteriors can be combined."""

LEAST_SIGNAL = 3.0
"""Nats by which calibrated probabilities must beat the class shares for re-estimating the shares of a stream."""

LEAST_TO_VALIDATE = 2
"""Minimum number of documents of each class before an origin; fewer cannot be calibrated."""


class IntensityClassifier(TakesInputOfEstimator, MetaEstimatorMixin, ClassifierMixin, DriftEstimator):
    r"""Correct a text classifier by the times of a stream's documents.

    The classifier's log-probabilities are calibrated by vector scaling on cross-validated predictions, and divided by
    the class shares in training: the result is the likelihood of each document under each class. Three models of the
    stream turn it into posteriors: the intensities of the classes (`IntensityTracker`), a chain in which a document
    often has the class of the one before it, and a prior from the neighbouring documents.

    By default the answer is the geometric mean of the three, one of the first two alone, or class shares re-estimated
    on the stream, but only if that made clearly fewer errors than the classifier's own answer, calibrated or not, when
    later training documents were predicted from earlier ones (`driftline.intensity.classification.forward_choice`). If
    it overrules that simpler answer much more often on a new stream than in the validation, the stream differs from the
    training documents, and the simpler answer is given. The classifier is used alone if its calibrated probabilities
    are hardly better on held-out training documents than the class shares (`signal_`): such likelihoods do not
    determine the shares of a stream.

    Documents are classified together: pass a whole stream, or a segment of it, to `predict`. Each document's prediction
    depends on its neighbours in time, before and after.

    Parameters
    ----------
    estimator : the classifier, with probabilities or decision scores; None for logistic regression.
    n_levels, ratio : the ladder of intensities, centred at the mean rate of a class. The result hardly depends on it,
    nor on `transition` between 0.01 and 0.4.
    time : as in `IntensityTracker`: "operational" or "index" if the collection has gaps.
    clip_gaps : bounds on the gaps, in mean gaps.
    methods : methods to combine, one or several of "tracker", "chain", "neighbours", "shares" (class shares
        re-estimated on the stream, no time), "calibration" (no stream at all) and "base" (the classifier's own
        probabilities). "auto" chooses by forward validation as described above, and is "base" if `signal_` is below 3
        nats or there are too few documents to validate. `fit` then takes about twice as long.
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
    methods_ : the methods that `predict` combines, unless a stream is too unlike the training documents
        (`methods_used`).
    simpler_ : with methods="auto", the answer that is then given, "base" or "calibration"; otherwise None.
    compared_ : the answer that `methods_` may overrule no more often than in validation; `simpler_`, or "base".
    overruled_ : with methods="auto", the share of the last validated documents on which `methods_` differ from
        `compared_` ("chosen"), and the calibrated classifier from the uncalibrated one ("calibration").
    validation_errors_ : with methods="auto", the number of errors of every candidate in forward validation; None if
        there are too few documents or the signal is too weak.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 0, 1], 50)
    >>> X = rng.normal(0, 1, (200, 2)) + 1.0 * np.column_stack([y == 0, y == 1])
    >>> model = IntensityClassifier().fit(X[::2], y[::2], times=range(0, 200, 2))
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
        "simpler_": Optional(Text(("base", "calibration"))),
        "compared_": Optional(Text(("base", "calibration"))),
        "overruled_": Optional(Together(dict.fromkeys(("chosen", "calibration"), Number(least=0, most=1)))),
        "validation_errors_": Optional(
            Either(
                Together(dict.fromkeys(CANDIDATES, Number(least=0))),
                Together(dict.fromkeys(("combined", "base", "calibration"), Number(least=0))),
            )
        ),
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
        estimator: object = None,
        n_levels: int = 8,
        ratio: float = 2.0,
        transition: float | str = 0.1,
        inference: str = "auto",
        time: str = "gap",
        clip_gaps: tuple[float, float] | None = (1e-4, 5.0),
        methods: str | Sequence[str] = "auto",
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
    def fit(self, X: Matrix, y: Labels, *, times: Times = None) -> IntensityClassifier:
        """Fit and calibrate the classifier on the labelled documents; -1 or None marks those that have no label.

        With methods="auto" later documents are predicted from earlier ones; without times, the order of the documents
        counts. The times also fix the kind of time of the classifier.
        """
        check_given(y, type(self).__name__)
        names = self._method_names()
        X, y = indexable(checked_features(X), y)
        moments = self._check_times(times, num_samples(X), reset=True, decide=self.methods == "auto")
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
        (self.scale_, self.bias_), self.signal_, held_out = calibration
        self._training_: tuple[Matrix, np.ndarray] | None = (X, y) if self.refit else None
        self.methods_ = list(names)
        self.simpler_: str | None = None
        self.overruled_: dict[str, float] | None = None
        self.compared_: str | None = None
        self.validation_errors_: dict[str, int] | None = None
        if self.methods == "auto":
            choice = self._validated(X, y, moments, held_out) if self.signal_ >= LEAST_SIGNAL else None
            self.methods_ = list(CANDIDATES["base" if choice is None else choice.chosen])
            if choice is not None:
                _, self.simpler_, self.validation_errors_, self.overruled_, self.compared_ = choice
        return self

    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return each document's most probable class, given the whole stream."""
        columns = self.predict_proba(X, times=times).argmax(axis=1)
        found: np.ndarray = self.classes_[columns]
        return found

    def predict_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return p(class | whole stream), documents × classes."""
        check_is_fitted(self)
        evidence, methods = self._evidence(X, times)
        return self._combine(evidence, times, methods)

    def methods_used(self, X: Matrix, *, times: Times = None) -> list[str]:
        """Return the methods whose posteriors `predict` combines on this stream.

        They are `methods_`, unless these overrule the simpler answer too often here.
        """
        check_is_fitted(self)
        return self._methods_for(self._first_evidence(X), times)

    def predict_log_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, times=times))

    def score(
        self, X: Matrix, y: Labels | None, sample_weight: npt.ArrayLike | None = None, *, times: Times = None
    ) -> float:
        """Return the share of correctly classified documents; documents without a label (-1, None) do not count."""
        return labelled_accuracy(self.predict(X, times=times), y, sample_weight, classes=self.classes_)

    def log_likelihood(self, X: Matrix) -> Floats:
        """Return the calibrated log p(document | class), up to a constant per document: input of `IntensityTracker`."""
        check_is_fitted(self)
        return self._first_evidence(X).log_likelihood

    def track(self, X: Matrix, *, times: Times = None) -> IntensityTracker:
        """Return the fitted tracker of a stream: intensities of the classes with bands, and their bursts."""
        check_is_fitted(self)
        return self._tracker(self._evidence(X, times)[0].log_likelihood, times)

    def _evidence(self, X: Matrix, times: Times) -> tuple[Evidence, list[str]]:
        """Return the classifier's scores of the stream, after a refit if requested, and the methods to combine."""
        X = checked_features(X)
        first = self._first_evidence(X)
        methods = self._methods_for(first, times)
        if self._training_ is None:
            return first, methods
        (X,) = indexable(X)
        posterior = self._combine(first, times, methods)
        calibration = VectorScaling(self.scale_, self.bias_)
        refitted = refit_on_stream(
            self.estimator_, self._training_, X, posterior, calibration, self.refit_weight, self.cv
        )
        return self._evidence_of(*refitted, X), methods

    def _methods_for(self, evidence: Evidence, times: Times) -> list[str]:
        """Return the methods, or the simpler answer where they overrule it more often than validation allows."""
        methods: list[str] = self.methods_
        simpler, overruled = getattr(self, "simpler_", None), getattr(self, "overruled_", None)
        if simpler is None or overruled is None:
            return methods
        if methods != [simpler]:
            compared = getattr(self, "compared_", None) or simpler
            differs = self._columns(evidence, times, methods) != self._columns(evidence, times, [compared])
            methods = [simpler] if overrules_too_often(differs, overruled["chosen"]) else methods
        if methods == ["calibration"]:
            differs = self._columns(evidence, times, methods) != self._columns(evidence, times, ["base"])
            methods = ["base"] if overrules_too_often(differs, overruled["calibration"]) else methods
        return methods

    def _columns(self, evidence: Evidence, times: Times, methods: Sequence[str]) -> Ints:
        """Return the most probable class of every document, as its column."""
        found: Ints = self._combine(evidence, times, methods).argmax(axis=1)
        return found

    def _first_evidence(self, X: Matrix) -> Evidence:
        return self._evidence_of(self.estimator_, VectorScaling(self.scale_, self.bias_), X)

    def _evidence_of(self, estimator: object, calibration: VectorScaling, X: Matrix) -> Evidence:
        log_proba = log_proba_of(estimator, X)
        return Evidence(log_proba, calibration.scores(log_proba) - self.log_prior_)

    def _combine(self, evidence: Evidence, times: Times, methods: Sequence[str]) -> Floats:
        """Return the normalised geometric mean of the methods' posteriors."""
        order = np.argsort(self._check_times(times, len(evidence.log_proba), reset=False), kind="stable")
        return geometric_mean([self._posterior(name, evidence, times, order) for name in methods])

    def _method_names(self) -> tuple[str, ...]:
        if self.methods == "auto":
            return COMBINED
        names = (self.methods,) if isinstance(self.methods, str) else tuple(self.methods)
        if not names or any(name not in METHODS for name in names):
            raise InvalidInput(f"methods must be one or several of {', '.join(METHODS)}, not {self.methods!r}")
        return names

    def _validated(
        self, X: Matrix, y: np.ndarray, moments: Floats, held_out: tuple[Bools, Bools] | None
    ) -> Choice | None:
        """Predict later training documents from earlier ones, from each origin; None if none has enough documents."""
        order = np.argsort(moments, kind="stable")
        origins = []
        for share in ORIGINS:
            known, others = np.split(order, [int(share * len(order))])
            classes, counts = np.unique(y[known], return_counts=True)
            if len(classes) < 2 or counts.min() < LEAST_TO_VALIDATE or not len(others):
                continue
            try:
                origins.append(self._predicted(known, others, X, y, moments))
            except ValueError:  # scikit-learn's error for too few documents; the classifier has been fitted to all
                continue
        return choose(origins, held_out) if origins else None

    def _predicted(self, known: Ints, others: Ints, X: Matrix, y: np.ndarray, moments: Floats) -> Predicted:
        """Learn from the known documents, and predict the others by every candidate."""
        model = clone(self).set_params(methods=COMBINED, refit=False)
        model.fit(safe_indexing(X, known), y[known], times=moments[known])
        evidence = model._first_evidence(safe_indexing(X, others))
        single = {name: model._combine(evidence, moments[others], (name,)) for name in METHODS}
        place = np.searchsorted(self.classes_, model.classes_)
        columns = {
            name: place[geometric_mean([single[method] for method in methods]).argmax(axis=1)]
            for name, methods in CANDIDATES.items()
        }
        return Predicted(np.searchsorted(self.classes_, y[others]), columns)

    def _posterior(self, method: str, evidence: Evidence, times: Times, order: Ints) -> Floats:
        """Return one method's posteriors; `order` sorts the documents by time."""
        if method == "base":
            found: Floats = softmax(evidence.log_proba, axis=1)
            return found
        if method == "tracker":
            found = self._tracker(evidence.log_likelihood, times).topic_proba_
            return found
        return class_posterior(method, evidence.log_likelihood, self.log_prior_, order)

    def _tracker(self, log_likelihood: Floats, times: Times) -> IntensityTracker:
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
        return tracker.fit(log_likelihood, times=range(n) if times is None else times)
