r"""Logistic regression on smoothed rows of labelled documents, continued from frame to frame.

A labelled document is represented by its row of :math:`P X`: itself and, with decreasing weight, its neighbours in the
graph. In each frame,

.. math:: w_t = \arg\min \sum_i \log(1 + e^{-y_i (\tilde x_i^\top w + b)})
          + \frac\gamma2 (\|w - \bar w\|^2 + (b - \bar b)^2)

over the labelled documents in memory: those of this frame, and earlier ones up to the size of the memory. When a
document leaves the memory, its dual variable is frozen, and its contribution becomes part of :math:`\bar w`. With a
memory of one frame, :math:`\bar w = w_{t-1}`: the temporal regulariser of (12).
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Either, Layout, Sparse
from driftline.core.arrays import Floats, Ints
from driftline.engines.blas import one_blas_thread
from driftline.evolving.frames.frame_data import signs, with_classes
from driftline.evolving.pool.dual_logistic import MOST_DENSE, solve_dual, solve_dual_by_products

STRIP = 32
"""Number of documents made dense at a time."""


class Learned(NamedTuple):
    """Scores of labelled documents without their labels; classes are in the layout of `signs`.

    `held_out` has the scores of the frame's documents, each without its own label; `placements` has the
    rates at which documents in memory are ranked correctly against one of the other class if neither has a label.
    """

    held_out: Floats
    placements: Floats


class SmoothedLogistic(DriftEstimator):
    """One such regression, for one strength of smoothing. Classes are in the layout of `signs`."""

    _state_layout: ClassVar[Layout | None] = {
        "frozen_": Array("words+1", "outputs"),
        "weights_": Array("words+1", "outputs"),
        "rows_": Sparse("documents", "words"),
        "codes_": Array("documents", kind="i", least=0),
        "frames_": Array("documents", kind="i", least=0),
        "duals_": Array("documents", "outputs"),
        "duals_before_": Array("documents before", "outputs"),
        "gram_": Either(Array("documents", "documents"), Array(0, 0)),
    }

    def __init__(self, *, smoothing: float = 0.7, ridge: float = 0.02, memory: int = 200) -> None:
        self.smoothing = smoothing
        self.ridge = ridge
        self.memory = memory

    def begin(self, n_features: int) -> SmoothedLogistic:
        """Reset the regression."""
        self.frozen_ = np.zeros((n_features + 1, 0))
        """Words and, last, the intercept × classes: the contribution of documents that have left the memory."""
        self.weights_ = self.frozen_
        self.rows_ = sp.csr_matrix((0, n_features))
        self.codes_ = np.zeros(0, dtype=np.int64)
        self.frames_ = np.zeros(0, dtype=np.int64)
        self.duals_ = np.zeros((0, 0))
        self.duals_before_ = self.duals_
        """The weights at the start of the current frame, from which it can be restored."""
        self.gram_ = np.zeros((0, 0))
        return self

    def begin_frame(self) -> None:
        """Freeze the documents that no longer fit into the memory, whole frames at a time."""
        held = len(self.codes_)
        frames, sizes = np.unique(self.frames_, return_counts=True)
        for frame, size in zip(frames, sizes):
            if held <= self.memory:
                break
            held -= int(size)
            old = self.frames_ == frame
            self.frozen_ = self.frozen_ + self._contribution(old)
            self._keep(~old)
        self.duals_before_ = self.duals_

    def restart_frame(self) -> None:
        """Restore the state before the current frame, whose documents are the last ones."""
        self._keep(np.arange(len(self.codes_)) < len(self.duals_before_))
        self.duals_ = self.duals_before_
        self.weights_ = self.frozen_ + self._contribution(np.ones(len(self.codes_), dtype=np.bool_))

    def grow_classes(self, places: Ints, n_classes: int) -> None:
        """Add classes; the old ones are now at `places`."""
        self.frozen_ = with_classes(self.frozen_, places, n_classes)
        self.weights_ = with_classes(self.weights_, places, n_classes)
        self.duals_ = with_classes(self.duals_, places, n_classes)
        self.duals_before_ = with_classes(self.duals_before_, places, n_classes)
        self.codes_ = places[self.codes_]

    def grow_features(self, n_features: int) -> None:
        """Add words, which have no weight yet."""
        missing = n_features + 1 - len(self.frozen_)
        self.frozen_, self.weights_ = (
            np.vstack([part[:-1], np.zeros((missing, part.shape[1])), part[-1:]])
            for part in (self.frozen_, self.weights_)
        )
        self.rows_ = self.rows_.copy()
        self.rows_.resize(self.rows_.shape[0], n_features)

    def scores(self, rows: sp.csr_matrix) -> Floats:
        """Return the scores of rows of words."""
        found: Floats = np.asarray(rows @ self.weights_[:-1]) + self.weights_[-1]
        return found

    def learn(self, rows: sp.csr_matrix, codes: Ints, frame: int, n_classes: int) -> Learned:
        """Learn the labelled documents of a frame, replacing an earlier result for it."""
        self._keep(self.frames_ != frame)
        self._append(rows, codes, frame)
        targets = signs(self.codes_, n_classes)
        offsets = np.asarray(self.rows_ @ self.frozen_[:-1]) + self.frozen_[-1]
        with one_blas_thread():
            solve = self._solve if len(self.codes_) <= MOST_DENSE else self._solve_by_products
            duals, held_out, placements = solve(offsets, targets)
        self.duals_ = duals
        self.weights_ = self.frozen_ + self._contribution(np.ones(len(self.codes_), dtype=np.bool_))
        return Learned(held_out[self.frames_ == frame], placements)

    def _solve(self, offsets: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
        """Return dual variables, held-out scores and placements."""
        gram = (self.gram_ + 1.0) / self.ridge
        duals, held_out, placements = (np.empty_like(offsets) for _ in range(3))
        for c in range(targets.shape[1]):
            found = solve_dual(gram, offsets[:, c], targets[:, c], self.duals_[:, c])
            duals[:, c], held_out[:, c], placements[:, c] = found.duals, found.held_out, found.placements
        return duals, held_out, placements

    def _solve_by_products(self, offsets: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same for very many documents; their scores before learning replace held-out ones."""
        before = self.scores(self.rows_)
        duals = np.empty_like(offsets)
        for c in range(targets.shape[1]):
            duals[:, c], _ = solve_dual_by_products(self._times_gram, offsets[:, c], targets[:, c], self.duals_[:, c])
        return duals, before, np.full_like(before, 0.5)

    def _times_gram(self, duals: Floats) -> Floats:
        found: Floats = (self.rows_ @ (self.rows_.T @ duals) + duals.sum()) / self.ridge
        return found

    def _contribution(self, documents: np.ndarray) -> Floats:
        duals = self.duals_[documents]
        words = self.rows_[documents].T @ duals
        return np.vstack([words, duals.sum(axis=0)]) / self.ridge

    def _keep(self, documents: np.ndarray) -> None:
        if documents.all():
            return
        self.rows_, self.codes_, self.frames_ = self.rows_[documents], self.codes_[documents], self.frames_[documents]
        self.duals_ = self.duals_[documents]
        if self.gram_.size:
            self.gram_ = self.gram_[np.ix_(documents, documents)]

    def _append(self, rows: sp.csr_matrix, codes: Ints, frame: int) -> None:
        n_old = len(self.codes_)
        if n_old + len(codes) <= MOST_DENSE:
            if len(self.gram_) != n_old:  # there were too many documents for a dense Gram matrix
                self.gram_ = _products(self.rows_, self.rows_)
            across = _products(self.rows_, rows)
            self.gram_ = np.block([[self.gram_, across], [across.T, _products(rows, rows)]])
        else:
            self.gram_ = np.zeros((0, 0))
        self.rows_ = sp.vstack([self.rows_, rows], format="csr")
        self.codes_ = np.concatenate([self.codes_, codes])
        self.frames_ = np.concatenate([self.frames_, np.full(len(codes), frame)])
        self.duals_ = np.vstack([self.duals_, np.zeros((len(codes), self.duals_.shape[1]))])


def _products(one: sp.csr_matrix, other: sp.csr_matrix) -> Floats:
    """Return one @ otherᵀ: a dense right-hand side, in strips, is faster because smoothed rows have many words."""
    strips = [
        np.asarray(one @ other[first : first + STRIP].T.toarray(order="C")) for first in range(0, other.shape[0], STRIP)
    ]
    return np.hstack(strips) if strips else np.zeros((one.shape[0], 0))
