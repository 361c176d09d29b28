"""Manifold regularisation on a frame together with the one before it."""

from __future__ import annotations

from typing import ClassVar

from driftline.base.sklearn_private import Constraints, StrOptions
from driftline.core.arrays import Counts, Ints
from driftline.evolving.estimators.manifold_classifier import ManifoldClassifier


class TwoFrameClassifier(ManifoldClassifier):
    """Learn each frame from its own documents and labels and those of the frame before (the paper's "SSL-naive").

    Earlier frames have no effect. Parameters and attributes are those of `ManifoldClassifier`, without precomputed
    kernels.

    >>> X = [[3, 0, 0, 1], [0, 2, 1, 0], [2, 0, 0, 0], [0, 3, 0, 1]]
    >>> model = TwoFrameClassifier().partial_fit(X, [0, 1, -1, -1])
    >>> model.partial_fit(X).transduction_
    array([0, 1, 0, 1])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ManifoldClassifier._parameter_constraints,
        "kernel": [StrOptions({"linear", "rbf", "cosine"})],
    }

    def _next_context(self) -> tuple[Counts, Ints]:
        return self._frame_documents_, self._frame_codes_
