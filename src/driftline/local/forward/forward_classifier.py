r"""A classifier of the next documents that learns from the part of the past that predicted best."""

from __future__ import annotations

import copy
import math
import numbers
import warnings
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesRows
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Anything, Array, Layout, Number, Sparse, Text
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import Seed
from driftline.core.times import Duration, Instant
from driftline.local.forward.candidate_table import as_dict, lead_in_words
from driftline.local.forward.reach import KINDS, reaches
from driftline.local.forward.rolling_origin import AVERAGE, Plan, Validation, carry_out, validate
from driftline.local.forward.saved_plan import SavedPlan, as_saved, from_saved, is_plan
from driftline.local.local_estimator import DURATIONS, LocalClassifier
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel
from driftline.streams.units import units_on_axis
from driftline.text.vocabulary import WordList

CANDIDATES = (*KINDS, AVERAGE)
"""The kinds of candidates."""

PENALTIES = (0.1, 1.0, 10.0, 100.0)
"""The values of C that are tried unless others are given."""

FEWEST_VALIDATED = 40
"""Minimum number of labelled documents for a validation."""

REVISE_AFTER = 0.05
"""Share of new documents, of those kept, after which the validation is repeated."""

FEWEST_BEFORE_REVISION = 200
"""Minimum number of new documents after which the validation is repeated."""

TOLERANCE = 1e-4
"""Tolerance of the final fit."""

MOST_VALIDATED = 20_000
"""Number of latest documents that the validation uses."""


class ForwardClassifier(TakesRows, LocalClassifier):
    r"""Classify the next documents by a logistic regression on the part of the past that has predicted best.

    The extent of the past to learn from is a trade-off: more documents reduce the noise, but older ones may be
    outdated. Candidates are fitted before each of several origins and predict the documents after it. Candidates are
    all documents, windows of the last documents or days, and weights that fall with age (a past-only tricube kernel) in
    a fit that is shrunk towards the fit to all documents. The window with the lowest log-loss (or all documents) is
    fitted again and classifies future documents, unless another candidate is better by a test over the origins, or
    simply better if the window lacks a class. Once the model is updated, all candidates that are as good as the best
    within the error are averaged.

    Parameters
    ----------
    candidates : sequence of {"all", "documents", "time", "kernel", "average"}
        The kinds of candidates. ``"average"`` averages those that cannot be distinguished from the best where origins
        predict different documents: in updates, or with a short `horizon`; otherwise one is used alone.
    C : float or a list of floats
        Inverse strengths of the penalty; the best is selected for each candidate.
    n_origins : int
        Number of origins, spread evenly over the second half of the documents.
    horizon : number or duration, optional
        The time after an origin within which documents are predicted, such as ``"90d"``: the time for which the model
        will be in use without updates. By default all documents after the origin; once `partial_fit` is used, those up
        to the next origin, because the model is then evidently updated.
    memory : int
        Number of latest documents that are kept; older ones are discarded.
    random_state : int, Generator or None
        Seed of the resampling of days, which estimates the share of `wins`.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns.
    verbose : bool
        Show progress.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    chosen_ : str
        The chosen candidate, or the number of candidates that are averaged, in words.
    rival_, lead_ : str
        The best other candidate, and its difference in accuracy; it may be better, but not clearly.
    candidates_ : list of dict
        The chosen one, then the others, the best first: its `name`, `kind`, `C`, the reaches of its `parts`, forward
        `accuracy` and `log_loss`; `accuracy_behind` and `loss_behind`, which are (mean, low, high) of its paired
        differences from the chosen one with 95 % intervals by days; and `wins`, the share of resamples of the days in
        which it has the lowest log-loss. Empty if there were fewer than 40 labelled documents.
    coef_, intercept_ : ndarray
        The fit that classifies future documents.

    Examples
    --------
    The first word means class 1 in the first half and class 0 in the second:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((1200, 2))
    >>> y = ((X[:, 0] > X[:, 1]) == (np.arange(1200) < 600)).astype(int)
    >>> model = ForwardClassifier(candidates=["all", "documents"]).fit(X, y, times=np.arange(1200.0))
    >>> model.chosen_, model.predict([[1.0, 0.0]]).tolist()
    ('last 250 documents', [0])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "classes_": Array("classes", kind="any"),
        "_documents_": Sparse("documents", "words"),
        "_labels_": Array("documents", kind="i", below="classes"),
        "_document_times_": Array("documents", ordered=True),
        "_plan_": Anything(),
        "_n_since_validation_": Number(least=0, whole=True),
        "_validated_times_": Array("validated"),
        "_validated_labels_": Array("validated", kind="i", below="classes"),
        "_validated_log_chances_": Array("validated", "classes"),
        "chosen_": Text(),
        "rival_": Text(),
        "lead_": Text(),
        "candidates_": Anything(),
        "coef_": Array("outputs", "words"),
        "intercept_": Array("outputs"),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "candidates": [list, tuple],
        "C": [Interval(numbers.Real, 0, None, closed="neither"), list, tuple],
        "n_origins": [Interval(numbers.Integral, 1, None, closed="left")],
        "horizon": [None, *DURATIONS, Interval(numbers.Real, 0, None, closed="neither")],
        "memory": [Interval(numbers.Integral, 1, None, closed="left")],
        "random_state": "no_validation",
        "vocabulary": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        candidates: Sequence[str] = CANDIDATES,
        C: float | list[float] | tuple[float, ...] = PENALTIES,
        n_origins: int = 5,
        horizon: Duration | None = None,
        memory: int = 50_000,
        random_state: Seed = 0,
        vocabulary: WordList | None = None,
        verbose: bool = False,
    ) -> None:
        self.candidates = candidates
        self.C = C
        self.n_origins = n_origins
        self.horizon = horizon
        self.memory = memory
        self.random_state = random_state
        self.vocabulary = vocabulary
        self.verbose = verbose

    learns_new_classes: ClassVar[bool] = True
    """Whether `partial_fit` adds the new ones of its `classes`."""

    _documents_: Counts
    _labels_: Ints
    _document_times_: Floats
    _n_since_validation_: int
    coef_: Floats
    intercept_: Floats

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and (sizes["outputs"] != self._n_outputs or not is_plan(self._plan_, CANDIDATES)):
            raise ModelFileError("the classes and the fit of the model are inconsistent; it is damaged")
        return sizes

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels, *, times: Times | None = None) -> ForwardClassifier:
        """Learn from documents × columns, a label per document (-1 or None: unlabelled) and a time per document."""
        return self._learn(X, y, times, None)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Matrix, y: Labels, classes: Labels | None = None, *, times: Times | None = None
    ) -> ForwardClassifier:
        """Learn from more documents, and select again after every 5 % of new ones (at least 200).

        Without times, documents follow those seen so far. If `classes` has new ones, they are added.
        """
        if not hasattr(self, "classes_"):
            return self._learn(X, y, times, classes)
        X = self._check_rows(X, reset=False)
        if classes is not None:
            self._add_classes(np.asarray(classes))
        newest = float(self._document_times_[-1])
        at = self._check_more_times(times, X.shape[0], newest)
        known, codes = self._check_more_labels(y, X.shape[0])
        self._keep(
            sp.vstack([self._documents_, X[known]], format="csr"),
            np.concatenate([self._labels_, codes]),
            np.concatenate([self._document_times_, at[known]]),
        )
        n_new = self._n_since_validation_ + len(codes)
        self._n_since_validation_ = n_new
        if n_new >= max(REVISE_AFTER * len(self._labels_), FEWEST_BEFORE_REVISION):
            self._select(None)
        self._fit_plan()
        return self

    def grow_vocabulary(self, vocabulary: WordList) -> ForwardClassifier:
        """Append columns, with zeros for the documents so far; `vocabulary` has all words, the new ones last."""
        check_is_fitted(self)
        n_more = len(vocabulary) - self.n_features_in_
        if n_more < 0:
            raise InvalidInput(f"the vocabulary has {len(vocabulary)} words, but the model {self.n_features_in_}")
        documents = self._documents_.copy()
        documents.resize(documents.shape[0], len(vocabulary))
        self._documents_ = documents
        self.coef_ = np.pad(self.coef_, ((0, 0), (0, n_more)))
        self.n_features_in_ = len(vocabulary)
        self.vocabulary = vocabulary
        return self

    def decision_function(self, X: Matrix, *, times: Times | None = None) -> Floats:
        """Return the score of every document: one number for two classes, otherwise one per class.

        The latest fit is used for all times.
        """
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        if times is not None:
            self._check_times(times, X.shape[0], reset=False)
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        return scores[:, 0] if self._n_outputs == 1 else scores

    def predict_proba(self, X: Matrix, *, times: Times | None = None) -> Floats:
        """Return the probability of every class for every document."""
        scores = self.decision_function(X, times=times)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        found: Floats = softmax(scores, axis=1)
        return found

    def predict(self, X: Matrix, *, times: Times | None = None) -> np.ndarray:
        """Return the most probable class of every document."""
        scores = self.decision_function(X, times=times)
        found: np.ndarray = self.classes_[(scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)]
        return found

    def forward_predictions(self) -> tuple[np.ndarray, np.ndarray, Floats]:
        """Return times, true labels and log-probabilities of the documents that the chosen candidate predicted.

        These are the predictions of the validation: each was made before the document was learned from.
        """
        check_is_fitted(self)
        times = self._time_axis.restore(self._validated_times_)
        return times, self.classes_[self._validated_labels_], self._validated_log_chances_

    def learned_documents(self) -> tuple[Counts, np.ndarray, np.ndarray]:
        """Return rows, labels and times of the learned documents that are kept, in order of time."""
        check_is_fitted(self)
        times = self._time_axis.restore(self._document_times_)
        return self._documents_, self.classes_[self._labels_], times

    def refitted(self, X: Matrix, y: Labels, *, times: Times) -> ForwardClassifier:
        """Return a copy that is fitted to these documents instead, in the way that was chosen, without validation.

        The documents are in order of time, and their labels are among `classes_`.
        """
        other = copy.copy(self)
        other._documents_ = self._check_rows(X, reset=False)
        other._labels_ = np.searchsorted(self.classes_, np.asarray(y))
        other._document_times_ = self._time_axis.values(times)
        other._carry_out()
        return other

    @property
    def newest_(self) -> Instant:
        """The time of the newest document that was learned."""
        newest: Instant = self._time_axis.restore(self._document_times_[-1:])[0]
        return newest

    @property
    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    @property
    def _objective(self) -> Objective:
        kernel = Kernel("tricube", "past")
        return Objective(kernel, 1.0, tol=TOLERANCE, verbose=self.verbose)

    @property
    def _training(self) -> Training:
        return Training(self._documents_, self._labels_, self._document_times_, self._n_outputs)

    def _learn(self, X: Matrix, y: Labels, times: Times | None, classes: Labels | None) -> ForwardClassifier:
        wrong = [kind for kind in self.candidates if kind not in CANDIDATES]
        if wrong or not set(self.candidates) & set(KINDS):
            raise InvalidInput(
                f"candidates must be among {', '.join(CANDIDATES)}, and one of them not an average; "
                f"not {list(self.candidates)!r}"
            )
        X = self._check_rows(X, reset=True)
        at = self._check_times(times, X.shape[0], reset=True)
        known, codes = self._check_first_labels(y, X.shape[0], classes)
        self._keep(X[known], codes, at[known])
        self._select(math.inf)
        self._fit_plan()
        return self

    def _add_classes(self, classes: np.ndarray) -> None:
        """Add classes that are new; the validation is then due, because its scores lack them."""
        both = np.union1d(self.classes_, classes)
        if len(both) > len(self.classes_):
            self._labels_ = np.searchsorted(both, self.classes_)[self._labels_]
            self.classes_ = both
            self._n_since_validation_ = max(len(self._labels_), FEWEST_BEFORE_REVISION)

    def _keep(self, X: Counts, labels: Ints, times: Floats) -> None:
        order = np.argsort(times, kind="stable")[-self.memory :]
        self._documents_, self._labels_, self._document_times_ = X[order], labels[order], times[order]

    def _penalties(self) -> list[float]:
        given = self.C if isinstance(self.C, list | tuple) else [self.C]
        if not given or not all(0 < C < np.inf for C in given):
            raise InvalidInput(f"C must be positive and finite, or a list of such numbers, not {self.C!r}")
        return sorted({float(C) for C in given})

    def _select(self, horizon: float | None) -> None:
        """Validate the candidates on the latest documents, up to a horizon if none was given, and choose the best."""
        self._n_since_validation_ = 0
        training, penalties = self._training, self._penalties()
        training = training.rows(slice(max(len(training.times) - MOST_VALIDATED, 0), None))
        kinds = [kind for kind in self.candidates if kind != AVERAGE]
        candidates = reaches(training.times, kinds)
        found: Validation | None = None
        if len(training.times) >= FEWEST_VALIDATED:
            found = validate(
                training,
                units_on_axis(self._time_axis, training.times).index,
                candidates,
                penalties,
                self._objective,
                n_origins=self.n_origins,
                horizon=horizon if self.horizon is None else self._time_axis.span(self.horizon),
                average=AVERAGE in self.candidates,
                random_state=self.random_state,
            )
        plain = Plan(candidates[0].kind, (candidates[0],), (_middle(penalties),), _middle(penalties))
        plan = found.scored[0].plan if found else plain
        self._plan_: SavedPlan = as_saved(plan)
        self._describe(plan, found)

    def _describe(self, plan: Plan, found: Validation | None) -> None:
        """Store the validation in plain attributes, which can be saved."""
        dated = self.time_axis_kind_ != "number"
        self.chosen_ = plan.described(dated=dated)
        scored = found.scored if found else []
        self.candidates_ = [as_dict(each, dated=dated) for each in scored]
        self.rival_ = self.candidates_[1]["name"] if len(scored) > 1 else "none"
        self.lead_ = lead_in_words(self.candidates_[1]) if len(scored) > 1 else "none"
        places = found.documents if found else np.empty(0, dtype=np.int64)
        offset = max(len(self._labels_) - MOST_VALIDATED, 0)
        self._validated_times_ = self._document_times_[offset + places]
        self._validated_labels_ = self._labels_[offset + places]
        empty = np.empty((0, len(self.classes_)))
        self._validated_log_chances_ = log_softmax(found.scores, axis=1) if found else empty

    def _fit_plan(self) -> None:
        if not self._carry_out():
            warnings.warn("the fit did not converge; scale the columns, or lower C", ConvergenceWarning, stacklevel=4)

    def _carry_out(self) -> bool:
        """Fit the plan to the kept documents; return whether all fits converged."""
        (self.coef_, self.intercept_), converged = carry_out(from_saved(self._plan_), self._training, self._objective)
        return converged


def _middle(penalties: list[float]) -> float:
    return penalties[len(penalties) // 2]
