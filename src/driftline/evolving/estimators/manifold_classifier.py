"""Manifold regularisation: semi-supervised classification of one frame at a time."""

from __future__ import annotations

from typing import ClassVar

from driftline.base.sklearn_private import Constraints, StrOptions, fit_context
from driftline.core.arrays import Labels, Matrix, Times
from driftline.evolving.estimators.frame_classifier import FrameClassifier
from driftline.evolving.estimators.paper_parameters import PAPER_PARAMETERS
from driftline.evolving.paper.document_kernels import form_for
from driftline.evolving.paper.paper_method import Chain
from driftline.text.vocabulary import WordList


class ManifoldClassifier(FrameClassifier):
    r"""Classify documents of which only a few are labelled, by words and by a neighbour graph (LapRLS and others).

    .. math:: \sum_{i\ labelled} \ell(y_i, f(x_i)) + \frac{\gamma_I}{n^2} f^\top L f + \gamma_A \|f\|_K^2        \tag{1}

    With the squared loss this is Laplacian regularised least squares, with the hinge loss the Laplacian support vector
    machine. Several frames are learned independently: the paper's baseline "SSL". The methods that the paper names as
    special cases are scikit-learn's `LabelPropagation` and `LabelSpreading`.

    Parameters and attributes are those of `EvolutionaryClassifier` with ``method="paper"``.

    >>> X = [[3, 0, 0, 1], [0, 2, 1, 0], [2, 0, 0, 0], [0, 3, 0, 1], [0, 0, 0, 0]]
    >>> ManifoldClassifier().fit(X, [0, 1, -1, -1, -1]).transduction_
    array([0, 1, 0, 1, 0])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **PAPER_PARAMETERS,
        "kernel": [StrOptions({"linear", "rbf", "cosine", "precomputed"})],
        "form": [StrOptions({"primal", "dual"}), None],
        "keep_history": ["boolean"],
        "vocabulary": ["array-like", None],
    }

    def __init__(
        self,
        *,
        kernel: str = "linear",
        form: str | None = None,
        loss: str = "squared",
        gamma_a: float = 0.1,
        gamma_i: float = 1.0,
        kernel_gamma: float | None = None,
        n_neighbors: int = 10,
        graph_width: float | None = None,
        laplacian: str = "plain",
        weighting: str | None = "auto",
        keep_history: bool = False,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.form = form
        self.loss = loss
        self.gamma_a = gamma_a
        self.gamma_i = gamma_i
        self.kernel_gamma = kernel_gamma
        self.n_neighbors = n_neighbors
        self.graph_width = graph_width
        self.laplacian = laplacian
        self.weighting = weighting
        self.keep_history = keep_history
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Matrix, y: Labels, *, times: Times = None, every: object = None, classes: Labels | None = None
    ) -> ManifoldClassifier:
        """Learn all documents as one frame, or with `every` each frame independently; −1 and None are unlabelled."""
        self._fit(X, y, times, every, classes)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Matrix, y: Labels | None = None, *, times: Times = None, classes: Labels | None = None
    ) -> ManifoldClassifier:
        """Learn the next frame independently; only the classes and the document frequencies are carried over."""
        self._partial_fit(X, y, times, classes)
        return self

    def _new_model(self) -> Chain:
        return Chain(
            kernel=self.kernel,  # type: ignore[arg-type]
            form=form_for(self.kernel, self.form),  # type: ignore[arg-type]
            loss=self.loss,  # type: ignore[arg-type]
            gamma_a=self.gamma_a,
            gamma_i=self.gamma_i,
            kernel_gamma=self.kernel_gamma,
            graph_width=self.graph_width,
            normalised=self.laplacian == "normalised",
            remembers=False,
        )
