r"""A naive Bayes classifier by the presence of words, with weights from a hierarchical beta process."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.core.arrays import Floats, Labels, Matrix
from driftline.core.labels import check_given, codes_of, first_classes, labelled_accuracy, labelled_values
from driftline.nonparametric.features.beta_marginals import (
    PresentWords,
    expected_base,
    expected_new_words,
    log_evidence,
    log_occurring,
    quadrature,
)

LEAST, MOST = 0.05, 1e4
"""Bounds of learned concentrations."""


class HierarchicalBetaProcess(ClassifierMixin, TakesCounts, DriftEstimator):
    r"""Classify documents by the presence of words; classes share a base weight of every word.

    Word w has the base weight :math:`b_w`, an atom of a beta process, and in class j the weight :math:`p_{jw} \sim
    \mathrm{Beta}(c b_w, c (1 - b_w))`; a document of class j contains it with probability :math:`p_{jw}` (1) (Thibaux
    and Jordan, 2007). With :math:`m_{jw}` of the :math:`n_j` documents of class j containing it, the expected weight is

    .. math:: \hat p_{jw} = \frac{c\, \mathrm{E}[b_w \mid m_w] + m_{jw}}{c + n_j}:                                 (2)

    naive Bayes with smoothing specific to each word, unlike Laplace's.

    Parameters
    ----------
    concentration : float or "learned"
        c: larger values make classes more similar. "learned" maximises the likelihood, with the weights integrated out.
    base_concentration : float or "learned"
        c₀ of the beta process.

    Attributes
    ----------
    classes_, class_counts_ : ndarray of shape (n_classes,), the labels in order, and the number of documents of each.
    concentration_, base_concentration_, mass_ : float, c, c₀, and the expected number of words in a document, γ.
    base_weights_ : ndarray of shape (n_words,), the expected base weights; 0 for words that no document contains.
    weights_ : ndarray of shape (n_classes, n_words), the expected weights (2).
    new_words_ : ndarray of shape (n_classes,), the expected number of words in the next document that no document
        contains so far.
    log_evidence_ : float, the log-probability of all documents, given their classes and the number of words.

    Examples
    --------
    >>> X = [[1, 2, 0, 0], [3, 0, 1, 0], [0, 0, 1, 2], [0, 1, 0, 1]]
    >>> model = HierarchicalBetaProcess(concentration=2.0, base_concentration=1.0)
    >>> model = model.fit(X, ["war", "war", "sars", "sars"])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 5]])
    array(['war', 'sars'], dtype='<U4')
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "classes_": Array("classes", kind="any"),
        "class_counts_": Array("classes", kind="i", least=1),
        "_present_": Array("classes", "words", kind="i", least=0),
        "base_weights_": Array("words", least=0, most=1),
        "concentration_": Number(least=0),
        "base_concentration_": Number(least=0),
        "mass_": Number(least=0),
        "new_words_": Array("classes", least=0),
        "log_evidence_": Number(),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "base_concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
    }

    def __init__(self, concentration: float | str = "learned", base_concentration: float | str = "learned") -> None:
        self.concentration = concentration
        self.base_concentration = base_concentration

    def __sklearn_tags__(self) -> Tags:
        """Declare that scikit-learn's accuracy checks, in which every document contains every word, do not apply."""
        tags: Tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels) -> HierarchicalBetaProcess:
        """Learn from documents × words counts, of which only presence is used; -1 or None in `y` means unlabelled."""
        check_given(y, type(self).__name__)
        X = self._check_counts(X, reset=True)
        values, known = labelled_values(y, X.shape[0], signs=True)
        self.classes_ = first_classes(values, known)
        codes = codes_of(values, known, self.classes_)[known]
        of_class = sp.csr_matrix(
            (np.ones(len(codes)), (codes, np.flatnonzero(known))), (len(self.classes_), X.shape[0])
        )
        self.class_counts_ = np.bincount(codes, minlength=len(self.classes_))
        self._present_ = np.asarray((of_class @ (X > 0)).toarray(), dtype=np.int64)
        occurring = self._present_.any(axis=0)
        words = PresentWords.of(self._present_[:, occurring], self.class_counts_)
        self.concentration_, self.base_concentration_ = self._concentrations(words)
        points = quadrature(words, self.concentration_, self.base_concentration_)
        self.base_weights_ = np.zeros(X.shape[1])
        self.base_weights_[occurring] = expected_base(words, points)
        both = float(occurring.sum()) / np.exp(log_occurring(points))  # γ c₀ that expects the observed number
        self.mass_ = float(both / self.base_concentration_)
        self.new_words_ = expected_new_words(words, points, self.concentration_, both)
        self.log_evidence_ = log_evidence(words, self.concentration_, self.base_concentration_)
        return self

    @property
    def weights_(self) -> Floats:
        """The expected weight of every word in every class (2)."""
        c = self.concentration_
        return np.asarray((c * self.base_weights_ + self._present_) / (c + self.class_counts_[:, None]))

    def predict_joint_log_proba(self, X: Matrix) -> Floats:
        """Return ln p(class, document), documents × classes, up to a constant of the document."""
        check_is_fitted(self)
        present = self._check_counts(X, reset=False) > 0
        seen = self.base_weights_ > 0
        weights = self.weights_[:, seen]
        logs = np.log(self.class_counts_ / self.class_counts_.sum()) + np.log1p(-weights).sum(axis=1)
        odds = np.log(weights) - np.log1p(-weights)
        n_new = np.asarray(present[:, ~seen].sum(axis=1)).ravel()
        new = -n_new[:, None] * np.log(self.concentration_ + self.class_counts_) - self.new_words_
        return np.asarray(present[:, seen] @ odds.T + logs + new)

    def predict_log_proba(self, X: Matrix) -> Floats:
        """Return the logarithm of `predict_proba`, without losing small probabilities."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Matrix) -> Floats:
        """Return p(class | document), documents × classes."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Matrix) -> np.ndarray:
        """Return the most probable class of each document."""
        best = np.argmax(self.predict_joint_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def score(self, X: Matrix, y: Labels, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the share of correctly classified documents; documents without a label (-1, None) do not count."""
        return labelled_accuracy(self.predict(X), y, sample_weight, classes=self.classes_)

    def _concentrations(self, words: PresentWords) -> tuple[float, float]:
        """Return c and c₀; learned ones maximise (4) of `beta_marginals`."""
        given = (self.concentration, self.base_concentration)
        if "learned" not in given or not len(words.times):
            return tuple(1.0 if value == "learned" else float(value) for value in given)  # type: ignore[return-value]

        def filled(logs: Floats) -> tuple[float, float]:
            found = iter(np.exp(logs).tolist())
            c, base = (next(found) if value == "learned" else float(value) for value in given)
            return c, base

        n = given.count("learned")
        bounds = [(np.log(LEAST), np.log(MOST))] * n
        start = np.full(n, np.log(5.0))
        options = {"xatol": 0.01, "fatol": 0.01, "initial_simplex": np.vstack([start, start + np.eye(n)])}

        def loss(logs: Floats) -> float:
            return -log_evidence(words, *filled(logs))

        best = minimize(loss, start, method="Nelder-Mead", bounds=bounds, options=options)
        return filled(best.x)
