r"""A classifier of linked documents: any text classifier, and links along which labels are propagated."""

from __future__ import annotations

import itertools
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted, indexable

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
from driftline.base.state_layout import COLUMNS, Array, Flag, Layout, Number, Optional, Part
from driftline.core.arrays import Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedClassifier
from driftline.core.labels import check_given, codes_of, labelled_accuracy, labelled_values, plain_labels
from driftline.inference.message_passing import Beliefs, FactorGraph, propagate

COUPLINGS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Candidates for the coupling."""

TEXT_WEIGHTS = (0.5, 1.0)
"""Candidates for the weight of the text."""

USUAL = (1.0, 0.5)
"""Default coupling and weight of the text if there are too few labels for selection."""

N_FOLDS = 5
"""Number of folds of the labelled documents, each predicted from the others."""

STEPS_TO_COMPARE = 20
"""Maximum number of steps of message passing when candidates are compared."""

LEAST_PROBABILITY = 1e-12
"""Lower bound of the text's probability of a class, so that links can outweigh it."""


class LinkedClassifier(TakesInputOfEstimator, MetaEstimatorMixin, ClassifierMixin, DriftEstimator):
    r"""Classify linked documents: by citations, replies, authors or similarity.

    A classifier of the text gives :math:`p_d(k)`; links between documents favour equal labels. Together they are a
    Markov random field over the labels of all documents,

    .. math:: p(y) \propto \exp\Bigl(w \sum_d \ln p_d(y_d) + J \sum_{(d, e) \in \mathrm{links}} [y_d = y_e]\Bigr),  (1)

    in which known labels are fixed, so that they also affect documents several links away. The probabilities of labels
    are computed by message passing: exactly if the links have no cycle, otherwise approximately.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, or None for logistic regression
        The text classifier, fitted to the labelled documents: ``LinkedClassifier(MultinomialNB())``.
    coupling : float or "cv"
        J. "cv" selects it by the log-probability of held-out labels, in five folds.
    text_weight : float or "cv"
        w. Linked documents are redundant, so a value below one may be better.
    damping : float
        Weight of the old message in every step; increase it if messages do not converge.
    max_steps, tolerance : int, float
        Maximum number of steps, and the change in messages below which they stop.

    Attributes
    ----------
    classes_ : the labels, in order.
    label_proba_, labels_ : ndarray of shape (n_documents, n_classes) and (n_documents,)
        The probabilities of the labels of the documents of the fit, including known ones, and the most probable labels.
    coupling_, text_weight_ : as given or selected.
    validation_ : ndarray of shape (n_candidates, 3)
        Coupling, weight of the text and mean log-probability of the held-out labels, if they were selected.
    converged_, n_steps_ : whether the messages converged, and the number of steps.
    estimator_ : the classifier of the text.

    Examples
    --------
    >>> X = [[3, 0], [1, 1], [1, 1], [0, 3], [1, 1]]
    >>> links = np.zeros((5, 5))
    >>> links[[0, 1, 3], [1, 2, 4]] = 1  # a chain of three documents, and a pair
    >>> model = LinkedClassifier(coupling=2.0, text_weight=1.0).fit(X, ["a", None, None, "b", None], links=links)
    >>> model.labels_.tolist()
    ['a', 'a', 'a', 'b', 'b']
    """

    _state_layout: ClassVar[Layout | None] = {
        **{name: Optional(held) for name, held in COLUMNS.items()},
        "estimator_": Part(),
        "classes_": Array("classes", kind="any"),
        "coupling_": Number(least=0),
        "text_weight_": Number(least=0),
        "validation_": Array(None, 3, finite=False),
        "label_proba_": Array("documents", "classes", least=0),
        "labels_": Array("documents", kind="any"),
        "converged_": Flag(),
        "n_steps_": Number(least=0, whole=True),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "coupling": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "text_weight": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "damping": [Interval(Real, 0, 1, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: object = None,
        coupling: float | str = "cv",
        text_weight: float | str = "cv",
        damping: float = 0.0,
        max_steps: int = 100,
        tolerance: float = 1e-4,
    ) -> None:
        self.estimator = estimator
        self.coupling = coupling
        self.text_weight = text_weight
        self.damping = damping
        self.max_steps = max_steps
        self.tolerance = tolerance

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Matrix, y: Labels, *, links: Matrix | None = None) -> LinkedClassifier:
        """Learn from documents of which some have labels; -1 or None marks documents without a label.

        `links` is a documents × documents matrix, sparse or not: a non-zero entry is a link, in either direction.
        """
        check_given(y, type(self).__name__)
        X, y = indexable(checked_features(X), y)
        values, labelled = labelled_values(y, num_samples(X), signs=True)
        if not labelled.any():
            raise InvalidInput("no document has a label; label some documents of each class")
        rows = np.flatnonzero(labelled)
        self.estimator_ = self._learned(X, rows, plain_labels(values[rows]))
        self.classes_ = self.estimator_.classes_
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        known = codes_of(values, labelled, self.classes_)
        stream = _Linked(known, _pairs(links, len(known)))
        self.coupling_, self.text_weight_, self.validation_ = self._choose(X, stream)
        beliefs = self._beliefs(_text(self.estimator_, X), stream, self.coupling_, self.text_weight_)
        self.label_proba_ = np.exp(beliefs.log_probabilities)
        self.labels_ = self.classes_[beliefs.states]
        self.converged_, self.n_steps_ = beliefs.converged, beliefs.n_steps
        return self

    def predict_proba(self, X: Matrix, *, links: Matrix | None = None, known: Labels | None = None) -> Floats:
        """Return p(label | all documents and links), documents × classes.

        `links` are between the documents of X, and `known` are their known labels (-1 or None: unknown).
        """
        return np.exp(self._beliefs_of(X, links, known).log_probabilities)

    def predict(self, X: Matrix, *, links: Matrix | None = None, known: Labels | None = None) -> np.ndarray:
        """Return the most probable label of each document."""
        columns = self.predict_proba(X, links=links, known=known).argmax(axis=1)
        found: np.ndarray = self.classes_[columns]
        return found

    def predict_jointly(self, X: Matrix, *, links: Matrix | None = None, known: Labels | None = None) -> np.ndarray:
        """Return the most probable joint labels, by max-product.

        `predict` selects the label of each document separately, which minimises the expected number of errors, but its
        labels may be improbable or even impossible as a whole.
        """
        found: np.ndarray = self.classes_[self._beliefs_of(X, links, known, maximise=True).states]
        return found

    def score(
        self,
        X: Matrix,
        y: Labels,
        sample_weight: npt.ArrayLike | None = None,
        *,
        links: Matrix | None = None,
        known: Labels | None = None,
    ) -> float:
        """Return the share of correctly classified documents; documents without a label (-1, None) do not count."""
        return labelled_accuracy(self.predict(X, links=links, known=known), y, sample_weight, classes=self.classes_)

    def _learned(self, X: Matrix, rows: Ints, labels: Labels | None) -> FittedClassifier:
        base = LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator
        known = X if len(rows) == num_samples(X) else safe_indexing(X, rows)
        fitted: FittedClassifier = clone(base).fit(known, labels)
        return fitted

    def _choose(self, X: Matrix, stream: _Linked) -> tuple[float, float, Floats]:
        """Return the coupling, the weight of the text, and the scores of all pairs of candidates on held-out labels."""
        couplings = COUPLINGS if self.coupling == "cv" else (float(self.coupling),)
        weights = TEXT_WEIGHTS if self.text_weight == "cv" else (float(self.text_weight),)
        tried = np.array([*itertools.product(couplings, weights)])
        if len(tried) == 1:
            return couplings[0], weights[0], np.empty((0, 3))
        rows = np.flatnonzero(stream.known >= 0)
        counts = np.bincount(stream.known[rows])
        n_folds = min(N_FOLDS, int(counts[counts > 0].min()))
        if len(stream.links) == 0:
            return couplings[0], weights[-1], np.empty((0, 3))
        if n_folds < 2 or len(self.classes_) < 2:
            coupling = USUAL[0] if self.coupling == "cv" else couplings[0]
            weight = USUAL[1] if self.text_weight == "cv" else weights[0]
            return coupling, weight, np.empty((0, 3))
        scores = np.zeros(len(tried))
        for learned, hidden in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(rows, stream.known[rows]):
            known = stream.known.copy()
            known[rows[hidden]] = -1
            base = self._learned(X, rows[learned], self.classes_[stream.known[rows[learned]]])
            text, at = _text(base, X), (rows[hidden], stream.known[rows[hidden]])
            for number, (coupling, weight) in enumerate(tried):
                found = self._beliefs(text, _Linked(known, stream.links), coupling, weight, STEPS_TO_COMPARE)
                scores[number] += np.maximum(found.log_probabilities[at], np.log(LEAST_PROBABILITY)).sum()
        best = tried[int(np.argmax(scores))]
        return float(best[0]), float(best[1]), np.column_stack([tried, scores / len(rows)])

    def _beliefs_of(self, X: Matrix, links: Matrix | None, known: Labels | None, *, maximise: bool = False) -> Beliefs:
        check_is_fitted(self)
        text = _text(self.estimator_, checked_features(X))
        codes = codes_of(*labelled_values(known, len(text), classes=self.classes_), self.classes_)
        stream = _Linked(codes, _pairs(links, len(text)))
        return self._beliefs(text, stream, self.coupling_, self.text_weight_, maximise=maximise)

    def _beliefs(
        self,
        text: Floats,
        stream: _Linked,
        coupling: float,
        weight: float,
        most: int | None = None,
        *,
        maximise: bool = False,
    ) -> Beliefs:
        """Return the probabilities of (1), or the most probable labels."""
        unary = weight * text
        fixed = np.flatnonzero(stream.known >= 0)
        unary[fixed] = -np.inf
        unary[fixed, stream.known[fixed]] = 0.0
        graph = FactorGraph.pairwise(unary, stream.links, coupling * np.eye(text.shape[1]))
        return propagate(
            graph,
            maximise=maximise,
            damping=float(self.damping),
            max_steps=min(self.max_steps, most or self.max_steps),
            tolerance=float(self.tolerance),
        )


class _Linked(NamedTuple):
    """Known labels as codes, -1 if unknown, and links as pairs of documents."""

    known: Ints
    links: Ints


def _text(estimator: FittedClassifier, X: Matrix) -> Floats:
    """Return the log-probabilities of the text classifier."""
    return np.log(np.maximum(np.asarray(estimator.predict_proba(X), dtype=np.float64), LEAST_PROBABILITY))


def _pairs(links: Matrix | None, n: int) -> Ints:
    """Return every link once, as the numbers of two different documents."""
    if links is None:
        return np.empty((0, 2), dtype=np.int64)
    matrix = sp.csr_matrix(links)
    if matrix.shape != (n, n):
        raise InvalidInput(
            f"links is {matrix.shape[0]} × {matrix.shape[1]}, but there are {n} documents; pass a {n} × {n} matrix"
        )
    if not np.isfinite(matrix.data.astype(np.float64)).all():
        raise InvalidInput("links contains NaN or infinity; pass a matrix of numbers, zero for no link")
    matrix = sp.csr_matrix(matrix != 0)
    both = sp.triu(matrix + matrix.T, k=1).tocoo()
    return np.column_stack([both.row, both.col]).astype(np.int64)
