r"""The paper's classifiers: one function per frame, each close to the one before.

.. math:: f_t = \arg\min \sum_{i\ labelled} \ell(y_i, f(x_i)) + \gamma_I \|f\|_I^2 + \gamma_A \|f - f_{t-1}\|_K^2
          \tag{12}
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Either, Layout, Number, Optional, Sparse
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import ModelFileError
from driftline.evolving.frames.frame_data import FrameData, class_probabilities, for_every_class, with_classes
from driftline.evolving.frames.neighbour_graph import Matrix, laplacian, weighted
from driftline.evolving.paper.document_kernels import KernelFactor, KernelName, factor, kernel_matrix, kernel_scale
from driftline.evolving.paper.frame_problem import FrameProblem, solve
from driftline.evolving.paper.losses import LossName


class Chain(DriftEstimator):
    """f_1, f_2, … one at a time, in the primal form (weights of words) or the dual (weights of documents).

    With ``remembers=False`` every frame is learned independently: ‖f_t‖² replaces ‖f_t − f_{t−1}‖² (footnote 2).
    Functions are kept in the layout of `driftline.evolving.frames.frame_data.signs`: of two classes only the second.
    """

    _state_layout: ClassVar[Layout | None] = {
        "n_classes_": Number("classes", least=0),
        "kernel_scale_": Optional(Number(least=0)),
        "function_": Array("supported", "outputs"),
        "support_": Optional(Either(Sparse("supported", "words"), Array("supported", kind="i", least=0))),
        "squared_norm_": Array("outputs", least=0),
        "previous_function_": Array("supported before", "outputs"),
        "previous_support_": Optional(
            Either(Sparse("supported before", "words"), Array("supported before", kind="i", least=0))
        ),
        "previous_squared_norm_": Array("outputs", least=0),
        "predicted_": Optional(Array("fresh", "classes", least=0)),
        "held_out_": Optional(Array("fresh", "classes", least=0)),
        "frame_probabilities_": Optional(Array("frame documents", "classes", least=0)),
        "spatial_cost_": Optional(Array("outputs")),
        "temporal_cost_": Optional(Array("outputs")),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and self.form == "primal" and sizes.setdefault("words", sizes["supported"]) != sizes["supported"]:
            raise ModelFileError("the functions of two frames differ in their words; the model is damaged")
        return sizes

    def __init__(
        self,
        *,
        kernel: KernelName = "linear",
        form: str = "primal",
        loss: LossName = "squared",
        gamma_a: float = 1.0,
        gamma_i: float = 1.0,
        kernel_gamma: float | None = None,
        graph_width: float | None = None,
        normalised: bool = False,
        remembers: bool = True,
    ) -> None:
        self.kernel = kernel
        self.form = form
        self.loss = loss
        self.gamma_a = gamma_a
        self.gamma_i = gamma_i
        self.kernel_gamma = kernel_gamma
        self.graph_width = graph_width
        self.normalised = normalised
        self.remembers = remembers

    def begin(self, n_features: int) -> Chain:
        """Reset the model."""
        self.n_classes_ = 0
        self.kernel_scale_ = self.kernel_gamma
        """The γ of the RBF kernel; None until the first frame has set it."""
        self.function_ = np.zeros((n_features if self.form == "primal" else 0, 0))
        self.support_: Counts | None = None
        """The documents (dual form) of the function's expansion; their numbers for precomputed kernels."""
        self.squared_norm_ = np.zeros(0)
        self.begin_frame(0)
        return self

    def begin_frame(self, number: int) -> None:
        """Use the function of the last frame as the past of the next one."""
        self.previous_function_, self.previous_support_ = self.function_, self.support_
        self.previous_squared_norm_ = self.squared_norm_

    def restart_frame(self) -> None:
        """Restore the state before the current frame, which will be learned again."""
        self.function_, self.support_ = self.previous_function_, self.previous_support_
        self.squared_norm_ = self.previous_squared_norm_

    def grow_classes(self, places: Ints, n_classes: int) -> None:
        """Add classes; the old ones are now at `places`. Unknown values of a class are zero."""
        for name in ("function_", "previous_function_"):
            setattr(self, name, with_classes(getattr(self, name), places, n_classes))
        for name in ("squared_norm_", "previous_squared_norm_"):
            setattr(self, name, np.abs(with_classes(getattr(self, name)[None], places, n_classes))[0])
        self.n_classes_ = n_classes

    def grow_features(self, n_features: int) -> None:
        """Add words, which have no weight yet."""
        for when in ("", "previous_"):
            function, support = getattr(self, f"{when}function_"), getattr(self, f"{when}support_")
            if self.form == "primal":
                missing = np.zeros((n_features - len(function), function.shape[1]))
                setattr(self, f"{when}function_", np.vstack([function, missing]))
            elif support is not None:
                wider = sp.csr_matrix(support)
                wider.resize(wider.shape[0], n_features)
                setattr(self, f"{when}support_", wider)

    def learn(self, frame: FrameData, fresh: Ints) -> None:
        """Learn the current frame. `fresh` are the rows whose labels are new: they are scored before they are used."""
        self.predicted_ = self._predicted(frame, fresh)
        self.held_out_ = self.predicted_
        graph = weighted(frame.neighbours, weights="gaussian", width=self.graph_width)
        L = laplacian(graph, normalised=self.normalised)
        scores = self._learn_primal(frame, L) if self.form == "primal" else self._learn_dual(frame, L)
        n = max(frame.features.shape[0], 1)
        self.spatial_cost_ = np.einsum("ic,ic->c", scores, L @ scores) / n**2
        self.frame_probabilities_ = class_probabilities(scores[: frame.n_documents], frame.n_classes)

    def probabilities(self, features: Matrix) -> Floats:
        """Return one row per document, one column per class; rows sum to one."""
        return class_probabilities(self._scores(features), self.n_classes_)

    def linear_function(self) -> Floats | None:
        """Return words and, last, the intercept × classes; None if the kernel is not linear."""
        if self.kernel != "linear":
            return None
        columns = self.function_
        if self.form == "dual":
            columns = np.zeros((0, columns.shape[1])) if self.support_ is None else self.support_.T @ columns
        return for_every_class(np.vstack([columns, np.zeros((1, columns.shape[1]))]), self.n_classes_)

    def _learn_primal(self, frame: FrameData, L: sp.csr_matrix) -> Floats:
        previous = self.previous_function_ if self.remembers else np.zeros_like(self.previous_function_)
        self.function_ = solve(self._problem(frame, frame.features, L, previous), self.loss)
        self.squared_norm_ = (self.function_**2).sum(axis=0)
        self.temporal_cost_ = ((self.function_ - previous) ** 2).sum(axis=0)
        return np.asarray(frame.features @ self.function_)

    def _learn_dual(self, frame: FrameData, L: sp.csr_matrix) -> Floats:
        X = frame.features
        if self.kernel_scale_ is None:
            self.kernel_scale_ = kernel_scale(X)
        precomputed = self.kernel == "precomputed"
        K = np.asarray(X) if precomputed else kernel_matrix(self.kernel, X, X, self.kernel_scale_)
        factored = factor(K)
        previous, past_norm = self._past_coordinates(frame, factored)
        theta = solve(self._problem(frame, factored.features, L, previous), self.loss)
        self.function_ = factored.expansion(theta)
        self.support_ = factored.pivots if precomputed else X[factored.pivots]
        self.squared_norm_ = (theta**2).sum(axis=0)
        between = 2 * (theta * previous).sum(axis=0)
        self.temporal_cost_ = np.maximum(self.squared_norm_ - between + past_norm, 0.0)  # (17)
        return factored.features @ theta

    def _past_coordinates(self, frame: FrameData, factored: KernelFactor) -> tuple[Floats, Floats]:
        """Return the part of f_{t−1} in the span of this frame, and ‖f_{t−1}‖²."""
        values = self._past_values(frame, np.arange(frame.features.shape[0])) if self.remembers else None
        if values is None:
            columns = self.previous_function_.shape[1]
            return np.zeros((factored.features.shape[1], columns)), np.zeros(columns)
        return factored.coordinates(values), self.previous_squared_norm_

    def _past_values(self, frame: FrameData, rows: Ints) -> Floats | None:
        """Return K_{t,t−1} α_{t−1} of some documents of the frame; None if there is no past."""
        if self.previous_support_ is None:
            return None
        if self.kernel == "precomputed":
            if frame.cross is None:
                return None
            return frame.cross[rows][:, self.previous_support_] @ self.previous_function_
        cross = kernel_matrix(self.kernel, frame.features[rows], self.previous_support_, self.kernel_scale_)
        return cross @ self.previous_function_

    def _predicted(self, frame: FrameData, fresh: Ints) -> Floats:
        """Return the current function's probabilities for documents with unseen labels."""
        if self.kernel == "precomputed":
            values = self._past_values(frame, fresh)
            scores = np.zeros((len(fresh), self.function_.shape[1])) if values is None else values
        else:
            scores = self._scores(frame.features[fresh])
        return class_probabilities(scores, frame.n_classes)

    def _problem(self, frame: FrameData, features: Matrix, L: sp.csr_matrix, previous: Floats) -> FrameProblem:
        return FrameProblem(features, L, frame.labelled, frame.targets(), previous, self.gamma_a, self.gamma_i)

    def _scores(self, features: Matrix) -> Floats:
        if self.form == "primal":
            return np.asarray(features @ self.function_)
        if self.support_ is None or self.kernel_scale_ is None:
            return np.zeros((features.shape[0], self.function_.shape[1]))
        if self.kernel == "precomputed":
            return np.asarray(features)[:, self.support_] @ self.function_
        return kernel_matrix(self.kernel, features, self.support_, self.kernel_scale_) @ self.function_
