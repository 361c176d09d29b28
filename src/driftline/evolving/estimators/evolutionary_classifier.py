"""Few labels, drifting concepts: a classifier that is updated incrementally as the stream advances."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.evolving.estimators.frame_classifier import FrameClassifier
from driftline.evolving.frames.neighbour_graph import neighbours_in_groups
from driftline.evolving.paper.document_kernels import form_for
from driftline.evolving.paper.paper_method import Chain
from driftline.evolving.pool.member_pool import Pool
from driftline.text.vocabulary import WordList

POOL_DEFAULTS = {"smoothing": (0.0, 0.6, 0.85), "ridge": None, "memory": 200, "context": 1000}
PLAIN_RIDGE = 0.1
"""Default ridge of a member without smoothing: as strong as that of logistic regression with C = 10."""
SMOOTHED_RIDGE = 0.01
"""Default ridge of a member with smoothing, whose rows are shorter."""
PAPER_DEFAULTS = {
    "kernel": "linear",
    "form": None,
    "loss": "squared",
    "gamma_a": 0.3,
    "gamma_i": 1.0,
    "kernel_gamma": None,
    "graph_width": None,
    "laplacian": "plain",
}


class EvolutionaryClassifier(FrameClassifier):
    r"""Classify every document of a stream from a few labels, while the content of the classes drifts.

    The stream is divided into frames (such as months). Within a frame, similar documents are connected in a graph,
    along which labels are propagated; each frame continues from the state of the one before.

    The default (``method="pool"``) trains logistic regressions on labelled documents *smoothed over the graph*, each
    continuing from the frame before. One of them does not use the graph: it is logistic regression on the labels so
    far. Two kinds of evidence combine them. The member that *ranks* documents best, by leaving out pairs of labels and
    by forecasts within frames, determines the order of the documents, so that a misleading graph does no harm; the
    log-loss of the forecasts determines the level of the probabilities.

    ``method="paper"`` is the method of Jia, Yan and Zhang (IJCAI 2009), exactly: in each frame the minimiser of

    .. math:: \sum_{i\ labelled} \ell(y_i, f(x_i)) + \frac{\gamma_I}{n^2} f^\top L f + \gamma_A \|f - f_{t-1}\|_K^2
              \tag{12}

    Parameters
    ----------
    method : {"pool", "paper"}
    n_neighbors : int
        Number of neighbours of a document in the graph, by cosine.
    smoothing : sequence of float, pool only
        Weight of the graph in each member, from 0 (none) to below 1. Default (0, 0.6, 0.85).
    ridge : float or sequence of float, pool only
        The weight of :math:`\|w - w_{t-1}\|^2 / 2`, for all members or for each. Default 0.1 for a member without
        smoothing and 0.01 for one with it.
    memory : int, pool only
        Number of labelled documents of earlier frames that are learned again with each frame. Default 200. The effect
        of older ones is kept; with 0, only the frame's own labels are used.
    context : int, pool only
        Number of documents of earlier frames in the graph of a frame. Default 1000.
    kernel : {"linear", "rbf", "cosine", "precomputed"}, paper only
        Default "linear". With "precomputed", X is the kernel between the documents of a frame; see `partial_fit`.
    form : {"primal", "dual"}, paper only
        "primal" keeps a weight for every word, and is exact; "dual" a weight for every document of the frame, under
        the representer constraint (14). Default: primal for the linear kernel, dual for the others.
    loss : {"squared", "hinge", "logistic"}, paper only
        Default "squared".
    gamma_a, gamma_i : float, paper only
        The weights of the temporal and the spatial regulariser; see `driftline.evolving.frames.forward_validation`.
    kernel_gamma : float, paper only
        The γ of the RBF kernel. Default: one over the mean squared distance of the first frame's documents.
    graph_width : float, paper only
        The σ of the graph's Gaussian weights (3), in radians. Default: the median distance of neighbours.
    laplacian : {"plain", "normalised"}, paper only
        Default "plain".
    weighting : {"auto", "tfidf"} or None
        Transformation of counts: tf-idf of unit length, with document frequencies of the frames so far; or none, as
        for embeddings. ``"auto"`` is none if the first documents have a negative value, or are dense and have
        fractions, and tf-idf otherwise. A precomputed kernel has no counts.
    keep_history : bool
        Keep the function of every frame, for `predict` with times and for `weight_changes`: words × classes numbers per
        frame.
    vocabulary : Vocabulary or sequence of str, optional
        The words of the columns.
    n_jobs : int or None
        Threads of the neighbour search; the result does not depend on it.

    Attributes
    ----------
    classes_ : array
        Grows when a new label occurs, unless `classes` was given.
    transduction_, label_distributions_ : array
        The class of every document of the last call, and its probabilities. Labelled documents keep their label.
    frame_rows_ : array of int
        Rows of the documents that belong to the current frame.
    diagnostics_ : list of FrameDiagnostics
        One entry per frame: costs, and the accuracy with which its labels were predicted.

    Examples
    --------
    >>> X = np.array([[3, 0, 0, 0], [0, 2, 0, 0], [2, 0, 0, 0], [0, 3, 0, 0]])
    >>> model = EvolutionaryClassifier().partial_fit(X, ["war", "peace", None, None])
    >>> model.transduction_
    array(['war', 'peace', 'war', 'peace'], dtype='<U5')
    >>> later = np.array([[1, 0, 2, 0], [0, 1, 0, 3], [2, 0, 2, 0], [0, 2, 0, 2]])
    >>> model.partial_fit(later).predict(later)
    array(['war', 'peace', 'war', 'peace'], dtype='<U5')
    >>> model.suggest(1)
    array([1])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions({"pool", "paper"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "smoothing": ["array-like", None],
        "ridge": [Interval(Real, 0, None, closed="neither"), "array-like", None],
        "memory": [Interval(Integral, 0, None, closed="left"), None],
        "context": [Interval(Integral, 0, None, closed="left"), None],
        "kernel": [StrOptions({"linear", "rbf", "cosine", "precomputed"}), None],
        "form": [StrOptions({"primal", "dual"}), None],
        "loss": [StrOptions({"squared", "hinge", "logistic"}), None],
        "gamma_a": [Interval(Real, 0, None, closed="neither"), None],
        "gamma_i": [Interval(Real, 0, None, closed="left"), None],
        "kernel_gamma": [Interval(Real, 0, None, closed="neither"), None],
        "graph_width": [Interval(Real, 0, None, closed="neither"), None],
        "laplacian": [StrOptions({"plain", "normalised"}), None],
        "weighting": [StrOptions({"auto", "tfidf"}), None],
        "keep_history": ["boolean"],
        "vocabulary": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        method: str = "pool",
        *,
        n_neighbors: int = 10,
        smoothing: Sequence[float] | None = None,
        ridge: float | Sequence[float] | None = None,
        memory: int | None = None,
        context: int | None = None,
        kernel: str | None = None,
        form: str | None = None,
        loss: str | None = None,
        gamma_a: float | None = None,
        gamma_i: float | None = None,
        kernel_gamma: float | None = None,
        graph_width: float | None = None,
        laplacian: str | None = None,
        weighting: str | None = "auto",
        keep_history: bool = False,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.ridge = ridge
        self.memory = memory
        self.context = context
        self.kernel = kernel
        self.form = form
        self.loss = loss
        self.gamma_a = gamma_a
        self.gamma_i = gamma_i
        self.kernel_gamma = kernel_gamma
        self.graph_width = graph_width
        self.laplacian = laplacian
        self.weighting = weighting
        self.keep_history = keep_history
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Matrix, y: Labels, *, times: Times = None, every: object = None, classes: Labels | None = None
    ) -> EvolutionaryClassifier:
        """Learn a whole stream frame by frame, each frame without those after it.

        Parameters
        ----------
        X : documents × words
        y : labels
            −1, or None among strings, if unknown.
        times : one time per document
            None is document order.
        every : step such as ``"1mo"``, or number of frames
            See `driftline.streams.frames.frame_bounds`; None means a single frame.
        classes : all possible classes
            Default: those in `y`.
        """
        self._fit(X, y, times, every, classes)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: Matrix,
        y: Labels | None = None,
        *,
        times: Times = None,
        classes: Labels | None = None,
        previous: npt.ArrayLike | None = None,
    ) -> EvolutionaryClassifier:
        """Learn the next frame.

        Parameters
        ----------
        X : documents × words
            May be empty. With ``kernel="precomputed"``, the kernel between the documents of the frame.
        y : labels
            −1, or None among strings, if unknown; None if none is known.
        times : one time per document
            The frame begins with the first of them. Default: one after the frame before.
        classes : all possible classes
            Used in the first call only; without it, classes are added as they occur.
        previous : array
            For ``kernel="precomputed"`` only: the kernel between the documents of this frame and of the one before.
        """
        if previous is not None and not self._is_pairwise:
            raise InvalidInput("`previous` is the kernel with the frame before; it needs kernel='precomputed'")
        self._partial_fit(X, y, times, classes, cross=None if previous is None else np.asarray(previous, dtype=float))
        return self

    def _new_model(self) -> Pool | Chain:
        options = self._options()
        if self.method == "pool":
            options.pop("context")
            strengths = np.asarray(options["smoothing"], dtype=np.float64)
            if strengths.ndim != 1 or not len(strengths) or (strengths < 0).any() or (strengths >= 1).any():
                raise InvalidInput(f"smoothing must be a number from 0 to below 1 per member, not {self.smoothing!r}")
            options["ridge"] = _ridges(options["ridge"], strengths)
            return Pool(**options)
        options["form"] = form_for(options["kernel"], options["form"])
        normalised = options.pop("laplacian") == "normalised"
        return Chain(**options, normalised=normalised)

    def _options(self) -> dict[str, Any]:
        """Return the options of the chosen method; refuse those of the other."""
        own, other = (POOL_DEFAULTS, PAPER_DEFAULTS) if self.method == "pool" else (PAPER_DEFAULTS, POOL_DEFAULTS)
        strange = [name for name in other if getattr(self, name) is not None]
        if strange:
            raise InvalidInput(f"{', '.join(strange)}: not an option of method={self.method!r}; omit it")
        return {name: default if getattr(self, name) is None else getattr(self, name) for name, default in own.items()}

    def _neighbours(self, features: Counts) -> sp.csr_matrix:
        if self.method == "pool" and not self._is_pairwise:
            return neighbours_in_groups(features, self.n_neighbors, n_jobs=self.n_jobs)
        return super()._neighbours(features)

    def _next_context(self) -> tuple[Counts, Ints]:
        if self.method == "paper":
            return self._context_documents_, self._context_codes_
        kept = sp.vstack([self._frame_documents_, self._context_documents_], format="csr")[: self._options()["context"]]
        return kept, np.full(kept.shape[0], -1)

    def _probabilities_now(self, X: Matrix) -> Floats:
        """Classify documents of the current frame by their positions in the graph, and others by their words alone."""
        probabilities = super()._probabilities_now(X)
        if self.method == "pool":
            places = self._places(X)
            inside = places >= 0
            probabilities[inside] = self.model_.frame_probabilities_[places[inside]]
        return probabilities

    def _places(self, X: Matrix) -> Ints:
        """Return the index in the frame of the document equal to each row, −1 if none; of identical ones, the first."""
        known = {key: place for place, key in reversed(list(enumerate(_row_keys(self._frame_documents_))))}
        return np.array([known.get(key, -1) for key in _row_keys(X)], dtype=np.int64)


def _ridges(ridge: npt.ArrayLike, strengths: Floats) -> Floats:
    """Return one ridge per member."""
    if ridge is None:
        return np.where(strengths > 0, SMOOTHED_RIDGE, PLAIN_RIDGE)
    given = np.asarray(ridge)
    is_number = given.dtype.kind in "iuf"
    if not is_number or given.shape not in ((), strengths.shape) or not (given > 0).all():
        raise InvalidInput(
            f"ridge must be one number above 0, or one for each of {len(strengths)} members, not {ridge!r}"
        )
    return np.broadcast_to(given, strengths.shape).astype(np.float64)


def _row_keys(X: Matrix) -> list[tuple[bytes, bytes]]:
    X = sp.csr_matrix(X, copy=True)
    X.eliminate_zeros()
    X.sort_indices()
    indices, data = X.indices.astype(np.int64), X.data
    return [(indices[a:b].tobytes(), data[a:b].tobytes()) for a, b in pairwise(X.indptr)]
