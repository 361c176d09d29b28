"""All frames learned jointly, each from its past and its future: the smoother for the online classifier."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Flag, Layout, Number, Optional, Sparse
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.labels import check_given, codes_of, first_classes, labelled_accuracy, labelled_values
from driftline.evolving.estimators.paper_parameters import PAPER_PARAMETERS
from driftline.evolving.frames.frame_data import class_probabilities, frame_edges, signs
from driftline.evolving.frames.neighbour_graph import laplacian, neighbour_graph
from driftline.evolving.frames.tfidf import are_counts, document_frequencies, tfidf
from driftline.evolving.paper.document_kernels import factor, kernel_matrix, kernel_scale
from driftline.evolving.paper.joint_problem import JointFrame, solve_jointly


class EvolutionarySmoother(ClassifierMixin, DriftEstimator):
    r"""Learn the functions of all frames jointly, the minimiser of (6), for analysis of a complete stream.

    .. math:: \sum_t \Big[ \sum_{i\ labelled} \ell(y_i, f_t(x_i)) + \frac{\gamma_I}{n_t^2} f_t^\top L_t f_t \Big]
              + \gamma_A \|f_1\|_K^2 + \gamma_A \sum_{t \ge 2} \|f_t - f_{t-1}\|_K^2                            \tag{6}

    A label affects the frames before it as well as those after it, so that a document of a month without labels is
    classified by the months around it. Parameters are those of `EvolutionaryClassifier` with ``method="paper"``; with a
    kernel other than the linear one, the functions are expansions over the documents of all frames (7), whose kernel
    matrix is formed: use at most a few thousand documents.

    Attributes
    ----------
    functions_ : array, frames × features × classes
        Weights of words for the linear kernel, otherwise coordinates in the span of `support_`. Of two classes only the
        second.
    transduction_, label_distributions_ : array
        The class of every document, and its probabilities.

    >>> X = np.array([[3, 0, 0], [0, 2, 0], [2, 0, 0], [0, 3, 1], [2, 0, 1], [0, 1, 2]])
    >>> times = [0, 0, 1, 1, 2, 2]
    >>> model = EvolutionarySmoother().fit(X, [0, 1, -1, -1, 0, 1], times=times, every=1.0)
    >>> model.transduction_
    array([0, 1, 0, 1, 0, 1])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "classes_": Array("classes", kind="any"),
        "_document_frequencies_": Array("words", least=0),
        "_n_documents_": Number(least=0, whole=True),
        "_weighs_words_": Optional(Flag()),
        "kernel_scale_": Optional(Number(least=0)),
        "support_": Optional(Sparse("support", "words")),
        "_to_coordinates_": Optional(Array("support", "coordinates")),
        "frame_starts_": Array("edges", finite=False, ordered=True),
        "functions_": Array("frames", None, "outputs"),
        "label_distributions_": Array("documents", "classes", least=0),
        "transduction_": Array("documents", kind="any"),
    }

    _parameter_constraints: ClassVar[Constraints] = PAPER_PARAMETERS

    def __init__(
        self,
        *,
        kernel: str = "linear",
        loss: str = "squared",
        gamma_a: float = 0.1,
        gamma_i: float = 1.0,
        kernel_gamma: float | None = None,
        n_neighbors: int = 10,
        graph_width: float | None = None,
        laplacian: str = "plain",
        weighting: str | None = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.gamma_a = gamma_a
        self.gamma_i = gamma_i
        self.kernel_gamma = kernel_gamma
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.laplacian = laplacian
        self.weighting = weighting
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels, *, times: Times = None, every: object = None) -> EvolutionarySmoother:
        """Learn the stream; `every` divides it into frames (None: one), −1 and None are unlabelled."""
        check_given(y, type(self).__name__)
        if self.weighting == "auto":
            self._weighs_words_ = are_counts(X)
        X = self._check_documents(X, reset=True)
        values, labelled = labelled_values(y, X.shape[0])
        moments = self._check_times(times, X.shape[0], reset=True, decide=every is not None)
        self.classes_ = first_classes(values, labelled)
        codes = codes_of(values, labelled, self.classes_)
        self._document_frequencies_, self._n_documents_ = document_frequencies(X), X.shape[0]
        documents = self._weighted(X)
        features = self._coordinates(documents)
        order = np.argsort(moments, kind="stable")
        self.frame_starts_, bounds = frame_edges(self._time_axis, moments[order], every)
        frames = [order[a:b] for a, b in pairwise(bounds)]
        problem = [self._joint_frame(documents[rows], features[rows], codes[rows]) for rows in frames]
        self.functions_ = solve_jointly(problem, self.gamma_a, self.gamma_i, self.loss)  # type: ignore[arg-type]
        self.label_distributions_ = self._probabilities(features, self._frames_of(moments))
        known = np.flatnonzero(codes >= 0)
        self.label_distributions_[known] = np.eye(len(self.classes_))[codes[known]]
        self.transduction_ = self.classes_[np.argmax(self.label_distributions_, axis=1)]
        return self

    def predict_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the probability of every class, by the function of each document's frame; without times, the last."""
        check_is_fitted(self, "functions_")
        X = self._check_documents(X, reset=False)
        if times is None:
            frames = np.full(X.shape[0], len(self.functions_) - 1)
        else:
            frames = self._frames_of(self._check_times(times, X.shape[0], reset=False))
        documents = self._weighted(X)
        if self.kernel != "linear":
            documents = kernel_matrix(self.kernel, documents, self.support_, self.kernel_scale_)  # type: ignore[arg-type]
            documents = documents @ self._to_coordinates_
        return self._probabilities(documents, frames)

    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return the most probable class of every document."""
        probabilities = self.predict_proba(X, times=times)
        found: np.ndarray = self.classes_[np.argmax(probabilities, axis=1)]
        return found

    def score(self, X: Matrix, y: Labels | None, *, times: Times = None) -> float:
        """Return the accuracy on the documents that have a label."""
        return labelled_accuracy(self.predict(X, times=times), y, classes=self.classes_)

    def _joint_frame(self, documents: sp.csr_matrix, features: Counts, codes: Ints) -> JointFrame:
        graph = neighbour_graph(documents, self.n_neighbors, width=self.graph_width, n_jobs=self.n_jobs)
        rows = np.flatnonzero(codes >= 0)
        L = laplacian(graph, normalised=self.laplacian == "normalised")
        return JointFrame(sp.csr_matrix(features), L, rows, signs(codes[rows], len(self.classes_)))

    def _coordinates(self, documents: sp.csr_matrix) -> Counts:
        """Return the features of the linear functions: words, or coordinates in the span of all documents (7)."""
        if self.kernel == "linear":
            return documents
        self.kernel_scale_ = self.kernel_gamma or kernel_scale(documents)
        kernel = kernel_matrix(self.kernel, documents, documents, self.kernel_scale_)  # type: ignore[arg-type]
        factored = factor(kernel)
        self.support_ = documents[factored.pivots]
        self._to_coordinates_ = factored.expansion(np.eye(len(factored.pivots)))
        return factored.features

    def _probabilities(self, features: Counts, frames: Ints) -> Floats:
        result = np.zeros((features.shape[0], len(self.classes_)))
        for frame in np.unique(frames):
            rows = np.flatnonzero(frames == frame)
            result[rows] = class_probabilities(np.asarray(features[rows] @ self.functions_[frame]), len(self.classes_))
        return result

    def _frames_of(self, moments: Floats) -> Ints:
        places = np.searchsorted(self.frame_starts_, moments, side="right") - 1
        return np.clip(places, 0, len(self.frame_starts_) - 2)

    def _weighted(self, X: Matrix) -> sp.csr_matrix:
        return tfidf(X, self._document_frequencies_, self._n_documents_) if self._is_weighted else X

    @property
    def _is_weighted(self) -> bool:
        return self._weighs_words_ if self.weighting == "auto" else self.weighting == "tfidf"

    def _check_documents(self, X: Matrix, *, reset: bool) -> Counts:
        return self._check_counts(X, reset=reset) if self._is_weighted else self._check_rows(X, reset=reset)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.weighting == "tfidf"
        tags.classifier_tags.poor_score = True
        return tags
