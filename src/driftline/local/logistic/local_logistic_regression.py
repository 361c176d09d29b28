r"""A logistic regression whose coefficients change over time."""

from __future__ import annotations

import numbers
import warnings
from typing import ClassVar

import numpy as np
from scipy.special import expit, log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesRows
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Anything, Array, Layout, Number, Optional, Sparse, Together
from driftline.core.arrays import Bools, Floats, Labels, Matrix, Times
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.progress import announce
from driftline.core.results import Results
from driftline.core.times import Duration
from driftline.local.fit_times import resolve_bandwidths
from driftline.local.local_estimator import LocalClassifier
from driftline.local.logistic.bounded_stream import extend
from driftline.local.logistic.fit_contest import CONTEST, RIVALS, advance, begin
from driftline.local.logistic.fit_path import Effort
from driftline.local.logistic.fitted_attributes import FittedAttributes
from driftline.local.logistic.fitted_path import State, learn
from driftline.local.logistic.local_fit import Training
from driftline.local.logistic.window_choice import Search
from driftline.local.logistic.word_coefficients import (
    CoefficientChange,
    changed_coefficients,
    coefficient_curves,
    default_times,
)
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Side
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import columns_of


def _learns_forward(model: LocalLogisticRegression) -> bool:
    return bool(model.side == "past")


class LocalLogisticRegression(TakesRows, FittedAttributes):
    r"""Classify documents by a logistic regression fitted around the time of each document.

    At time t the coefficients maximise the locally weighted conditional likelihood, less a penalty:

    .. math:: \hat\eta_t = \arg\min_\eta \sum_i \frac{K((t-\tau_i)/h)}{K(0)}\, \ell(y_i, \langle x_i, \eta\rangle)
              + \frac1C \Big(\alpha\|\eta-\eta_0\|_1 + \frac{1-\alpha}{2}\|\eta-\eta_0\|^2\Big)

    A document at time t itself has weight 1, so an infinite bandwidth is the ordinary (global) fit. The fits are made
    on a grid of times and interpolated in between.

    Parameters
    ----------
    kernel : {"tricube", "triangular", "uniform", "epanechnikov", "gaussian"}
        The shape of the weights in time.
    bandwidth : number, duration, "cv", "global" or a list of these
        The width h. ``"cv"`` and lists are selected by log-loss on left-out documents; the candidates of ``"cv"``
        include the global fit.
    side : {"both", "past"}
        Whether documents on both sides of a time count, or only those strictly before it.
    penalty : {"l2", "l1", "elasticnet"}
        The penalty on the coefficients.
    C : float, "cv" or a list of floats
        The inverse strength of the penalty; several values are selected together with the bandwidth.
    l1_ratio : float
        The share α of the absolute penalty in ``"elasticnet"``.
    center : {"global", "zero"}
        Centre of the penalty: the global fit, including the intercept, or η₀ = 0 with a free intercept.
    global_C : float, optional
        The C of the global fit; by default the best of those tried. A C that suits deviations from the global fit may
        be far too small for that fit itself, so a complete set of selected settings is `bandwidth_`, `C_` and
        `global_C_`.
    grid : {"auto", "exact"} or int
        Times of the fits: ``"auto"`` is 4 per bandwidth (8 for a past-only kernel), a number sets another density, and
        ``"exact"`` fits at every requested time on request.
    fit_intercept : bool
        Whether there is an intercept.
    cv : int
        Number of folds for the selection of settings.
    max_iter : int
        Maximum number of Newton steps of one fit.
    tol : float
        The norm of the gradient, scaled by the curvature, at which a fit ends.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns, so that a word can be given by name.
    n_jobs : int, optional
        The number of threads; the results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    bandwidth_, C_, global_C_ : float
        The settings in use.
    candidates_ : list of (bandwidth, C, log-loss)
        The candidates compared in the selection.
    standing_ : list of (rival, log-loss)
        With ``side="past"`` and ``bandwidth="cv"``: the fits that compete to predict the next documents, the best
        first. The best is used for the newest time and later ones.
    coef_, intercept_ : ndarray
        The global fit; with ``side="past"``, to all documents seen.
    n_iter_ : int
        Maximum number of Newton steps of any fit.

    Examples
    --------
    The first word is evidence for class 1 early and against it late:

    >>> import numpy as np
    >>> X = np.tile([[1.0, 0.0], [0.0, 1.0]], (20, 1))
    >>> y = np.where(np.arange(40) < 20, X[:, 0], X[:, 1]).astype(int)
    >>> model = LocalLogisticRegression(bandwidth=8.0).fit(X, y, times=np.arange(40.0))
    >>> model.predict([[1.0, 0.0], [1.0, 0.0]], times=[5.0, 35.0])
    array([1, 0])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "classes_": Array("classes", kind="any"),
        "global_C_": Number(least=0),
        "bandwidth_": Number(least=0, finite=False),
        "C_": Number(least=0),
        "candidates_": Anything(),
        "_documents_": Sparse("documents", "words"),
        "_labels_": Array("documents", kind="i", below="classes"),
        "_document_times_": Array("documents", ordered=True),
        "_background_times_": Array("backgrounds", finite=False, ordered=True),
        "_background_coefficients_": Array("backgrounds", "outputs", "words"),
        "_background_intercepts_": Array("backgrounds", "outputs"),
        "_path_times_": Array("fits", ordered=True),
        "_path_base_": Array("fits", kind="i", least=-1, below="backgrounds"),
        "_path_coefficients_": Sparse("path rows", "words"),
        "_path_intercepts_": Array("fits", "outputs"),
        "_anchor_": Number(finite=False),
        "_newest_": Number(finite=False),
        "_remembered_since_": Number(finite=False),
        "_precision_": Array("words+1", "outputs"),
        "coef_": Array("outputs", "words"),
        "intercept_": Array("outputs"),
        "n_iter_": Number(least=0, whole=True),
        "standing_": Anything(),
        "_rivals_": Optional(CONTEST),
        "_latest_": Optional(Together({"coefficients": Array("outputs", "words"), "intercepts": Array("outputs")})),
    }

    def _state_sizes(self) -> dict[str, int]:
        return {"rivals": len(RIVALS)}

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and (
            sizes["outputs"] != self._n_outputs
            or sizes["path rows"] != sizes["fits"] * sizes["outputs"]
            or not sizes["backgrounds"]
            or (self._rivals_ is not None and self._rivals_[3] > sizes["recent"])
        ):
            raise ModelFileError("the classes and the fits of the model are inconsistent; it is damaged")
        return sizes

    _parameter_constraints: ClassVar[Constraints] = {
        **LocalClassifier._parameter_constraints,
        "penalty": [StrOptions({"l2", "l1", "elasticnet"})],
        "C": [Interval(numbers.Real, 0, None, closed="neither"), StrOptions({"cv"}), list, tuple],
        "l1_ratio": [Interval(numbers.Real, 0, 1, closed="both")],
        "center": [StrOptions({"zero", "global"})],
        "global_C": [None, Interval(numbers.Real, 0, None, closed="neither")],
        "grid": [StrOptions({"auto", "exact"}), Interval(numbers.Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "cv": [Interval(numbers.Integral, 2, None, closed="left")],
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "tol": [Interval(numbers.Real, 0, None, closed="neither")],
        "vocabulary": "no_validation",
        "n_jobs": [None, numbers.Integral],
    }

    def __init__(
        self,
        kernel: str = "tricube",
        bandwidth: Duration = "cv",
        side: Side = "both",
        penalty: str = "l2",
        C: float | str | list[float] | tuple[float, ...] = 1.0,
        l1_ratio: float = 0.5,
        center: str = "global",
        global_C: float | None = None,
        grid: int | str = "auto",
        fit_intercept: bool = True,
        cv: int = 5,
        max_iter: int = 200,
        tol: float = 1e-5,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.side = side
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.center = center
        self.global_C = global_C
        self.grid = grid
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels, *, times: Times = None) -> LocalLogisticRegression:
        """Learn from documents × words, a label per document (-1 or None: unlabelled) and a time per document."""
        return self._learn(X, y, times, None)

    @available_if(_learns_forward)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Matrix, y: Labels, classes: Labels | None = None, *, times: Times = None
    ) -> LocalLogisticRegression:
        """Learn from documents that are not older than any before (``side="past"`` only).

        The first call selects the open settings, so it should contain a substantial part of the stream, or the classes
        and the bandwidth should be given. Later calls keep the documents within two bandwidths of the newest one; the
        global model continues from its last state, in which older documents are represented by their curvature. With
        ``bandwidth="cv"``, kernels and windows of several sizes and the global model are compared again every 50
        documents, and the best predicts the next ones (`standing_`). Without times, documents follow those seen so far.
        """
        if not hasattr(self, "classes_"):
            return self._learn(X, y, times, classes)
        X = self._check_rows(X, reset=False)
        at = self._check_more_times(times, X.shape[0], self._newest_)
        known, codes = self._check_more_labels(y, X.shape[0])
        batch = Training.in_order(X[known], codes, at[known], self._n_outputs)
        state, effort = extend(self._state, batch)
        contest = self._contest
        if contest is not None:
            contest = advance(contest, batch, state.background, self._settings)
        self._keep(state, contest)
        self._report(effort)
        return self

    def decision_function(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the score of every document: one number for two classes, otherwise one per class."""
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        when = self._check_times(times, X.shape[0], reset=False)
        scores, inside = self._state.scores(X, when)
        self._warn_outside(when, inside, "labelled document")
        return scores[:, 0] if self._n_outputs == 1 else scores

    def predict_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the probability of every class for every document at its time."""
        scores = self.decision_function(X, times=times)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        found: Floats = softmax(scores, axis=1)
        return found

    def predict_log_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the logarithm of `predict_proba`, without losing small probabilities."""
        scores = self.decision_function(X, times=times)
        if scores.ndim == 1:
            return np.column_stack([-np.logaddexp(0, scores), -np.logaddexp(0, -scores)])
        found: Floats = log_softmax(scores, axis=1)
        return found

    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return the most probable class of every document at its time."""
        scores = self.decision_function(X, times=times)
        found: np.ndarray = self.classes_[(scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)]
        return found

    def outside_support(self, when: Times) -> Bools:
        """Return for every time whether no document lies within the bandwidth, so that the result is extrapolated."""
        check_is_fitted(self)
        return ~self._state.supported(self._time_axis.values(when))

    def coefficients(self, when: Times) -> Floats:
        """Return the coefficients at the requested times: (times, columns), or (times, classes, columns)."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        found, _, inside = self._state.coefficients(at)
        self._warn_outside(at, inside, "labelled document")
        return found[:, 0] if self._n_outputs == 1 else found

    def intercepts(self, when: Times) -> Floats:
        """Return the intercepts at the requested times: (times,), or (times, classes)."""
        check_is_fitted(self)
        at = self._time_axis.values(when)
        _, found, inside = self._state.coefficients(at)
        self._warn_outside(at, inside, "labelled document")
        return found[:, 0] if self._n_outputs == 1 else found

    def coefficient_curve(
        self, word: str | int, when: Times = None, *, label: object = None, level: float = 0.95
    ) -> Curve:
        """Return a word's coefficient over time with its band; `label` is the class, if there are several.

        The band covers the variation over other documents of the same times, not the shrinkage by the penalty; there is
        none if the word does not occur. Without `when`, up to 60 times are spread over the stream.
        """
        check_is_fitted(self)
        columns, _ = columns_of(word, self.vocabulary, self.n_features_in_)
        state, at, shown = self._curve_times(when)
        return coefficient_curves(state, [(int(columns[0]), self._output(label))], at, shown, level)[0]

    def changed_coefficients(
        self, n_words: int = 10, when: Times = None, *, level: float = 0.95
    ) -> Results[CoefficientChange]:
        """Return the words whose coefficients changed most over time, each with its curve, the greatest change first.

        The change is the standard deviation of the coefficient over the documents' times, times the root mean square of
        the word's values: the dependence of the word's contribution to a document's score on its time.
        """
        check_is_fitted(self)
        state, at, shown = self._curve_times(when)
        return changed_coefficients(state, n_words, at, shown, level, self.vocabulary, self.classes_)

    def word_movement(
        self, n_words: int = 10, when: Times = None, *, level: float = 0.95
    ) -> Results[CoefficientChange]:
        """Deprecated name of `changed_coefficients`."""
        warnings.warn("word_movement is now called changed_coefficients", FutureWarning, stacklevel=2)
        return self.changed_coefficients(n_words, when, level=level)

    def _learn(self, X: Matrix, y: Labels, times: Times, classes: Labels | None) -> LocalLogisticRegression:
        X = self._check_rows(X, reset=True)
        at = self._check_times(times, X.shape[0], reset=True)
        known, codes = self._check_first_labels(y, X.shape[0], classes)
        training = Training.in_order(X[known], codes, at[known], self._n_outputs)
        bandwidths = resolve_bandwidths(self.bandwidth, self._time_axis, training.times, self._kernel)
        penalties = self._penalties()
        announce("preparing compiled code (the first run takes longer)", verbose=self.verbose)
        search = Search(bandwidths, penalties, self._points, self.cv, self.global_C)
        state, self.global_C_, candidates, effort = learn(training, self._objective(penalties[0]), search)
        self.bandwidth_, self.C_ = state.bandwidth, state.objective.C
        self.candidates_ = [tuple(candidate) for candidate in candidates]
        contested = self.side == "past" and isinstance(self.bandwidth, str) and self.bandwidth == "cv"
        self._keep(state, begin(training, state.background, self._settings) if contested else None)
        self._report(effort)
        return self

    def _report(self, effort: Effort) -> None:
        self.n_iter_ = max(effort.most_steps, 1)
        if effort.n_unconverged:
            warnings.warn(
                f"{effort.n_unconverged} local fits did not converge within {self.max_iter} steps; "
                f"raise max_iter, scale the columns, or lower C",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _curve_times(self, when: Times) -> tuple[State, Floats, np.ndarray]:
        state = self._state
        at = default_times(state) if when is None else self._time_axis.values(when)
        return state, at, self._time_axis.restore(at)

    def _output(self, label: object) -> int:
        if self._n_outputs == 1:
            return 0
        if label is None:
            raise InvalidInput(f"there are {len(self.classes_)} classes; select one with label=")
        return self._class_number(label)
