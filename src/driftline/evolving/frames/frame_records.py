"""Records of past frames: functions, costs, and the accuracy of predicted labels."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from driftline.base.estimator import DriftEstimator
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.results import Results
from driftline.core.times import Instant
from driftline.evolving.paper.paper_method import Chain
from driftline.evolving.pool.member_pool import Pool
from driftline.text.vocabulary import WordList


class FrameDiagnostics(NamedTuple):
    """One frame in numbers (figure 2 of the paper).

    `spatial_cost` is ‖f_t‖²_I and `temporal_cost` ‖f_t − f_{t−1}‖²_K, both summed over classes; `prediction_accuracy`
    is the share of its labels that were predicted correctly before they were learned; NaN without labels or a model.
    """

    start: Instant
    n_documents: int
    n_labelled: int
    spatial_cost: float
    temporal_cost: float
    prediction_accuracy: float

    @property
    def foreseen_accuracy(self) -> float:
        """The former name of `prediction_accuracy`."""
        warnings.warn("FrameDiagnostics.foreseen_accuracy is now prediction_accuracy", FutureWarning, stacklevel=2)
        return self.prediction_accuracy


class WeightChange(NamedTuple):
    """A word whose weight for a class changed from one frame to another."""

    word: str
    label: object
    before: float
    after: float

    @property
    def change(self) -> float:
        """The signed change."""
        return self.after - self.before


class FrameRecords(DriftEstimator):
    """Keeps one record per frame, and evaluates them."""

    model_: Pool | Chain
    classes_: np.ndarray
    frame_starts_: list[float]
    vocabulary: WordList | None

    def _begin_records(self) -> None:
        self._records_: list[list[float]] = []
        self._functions_: list[Any] = []
        self._classes_then_: list[np.ndarray] = []
        self._classes_seen_ = self.classes_[:0]
        self._classes_seen_before_ = self.classes_[:0]

    def _record_frame(self, codes: Ints, fresh: Ints, *, keep_function: bool, same_frame: bool) -> None:
        model = self.model_
        if not same_frame:
            self._classes_seen_before_ = self._classes_seen_
        n_right, n_predicted = self._predicted_of(codes[fresh])
        if same_frame:
            before = self._records_.pop()
            n_right, n_predicted = n_right + before[4], n_predicted + before[5]
            self._functions_.pop()
            self._classes_then_.pop()
        costs = [float(model.spatial_cost_.sum()), float(model.temporal_cost_.sum())]
        n_labelled = float((codes >= 0).sum())
        self._records_.append([float(len(codes)), n_labelled, *costs, n_right, n_predicted])
        self._functions_.append(model.linear_function() if keep_function else None)
        self._classes_then_.append(self.classes_)

    def _predicted_of(self, codes: Ints) -> tuple[float, float]:
        """Return the numbers of correctly predicted labels and of all labels; a new class cannot be predicted."""
        seen = (
            np.isin(self.classes_, self._classes_seen_)
            if len(self._classes_seen_)
            else np.zeros(len(self.classes_), bool)
        )
        self._classes_seen_ = self.classes_[seen | np.isin(np.arange(len(self.classes_)), codes)]
        if not seen.any() or not len(codes):
            return 0.0, 0.0
        named = np.argmax(np.where(seen, self.model_.predicted_, -1.0), axis=1)
        return float((named == codes).sum()), float(len(codes))

    def _forget_predicted(self) -> None:
        """Discard the prediction counts of the current frame: it will be learned again."""
        self._classes_seen_ = self._classes_seen_before_
        self._records_[-1] = [*self._records_[-1][:4], 0.0, 0.0]

    @property
    def diagnostics_(self) -> Results[FrameDiagnostics]:
        """One entry per frame: sizes, costs, and the accuracy of predicted labels."""
        starts = self._time_axis.restore(np.array(self.frame_starts_))
        records = (
            FrameDiagnostics(
                start, int(n), int(labelled), spatial, temporal, n_right / n_predicted if n_predicted else np.nan
            )
            for start, (n, labelled, spatial, temporal, n_right, n_predicted) in zip(starts, self._records_)
        )
        return Results(FrameDiagnostics, records, name="start", quantity="n_documents")

    def weight_changes(self, n: int = 10, *, since: int = -2, until: int = -1) -> Results[WeightChange]:
        """Return the words whose weight for a class changed most between two frames, the largest change first.

        Frames are given by number; −1 is the last one. Functions of past frames exist only if they were kept.
        """
        before, after = (self._function_of(frame) for frame in (since, until))
        change = np.abs(after - before)[:-1]
        order = np.argsort(-change, axis=None, kind="stable")[:n]
        places = [np.unravel_index(place, change.shape) for place in order]
        found = (
            WeightChange(self._word(v), self.classes_[c], float(before[v, c]), float(after[v, c]))
            for v, c in places
            if change[v, c] > 0
        )
        return Results(WeightChange, found, name="word", quantity="change")

    def _function_of(self, frame: int) -> Floats:
        """Return the coefficients of a frame, words and intercept × the current classes; zero if unknown then."""
        n = len(self._functions_)
        if not -n <= frame < n:
            raise InvalidInput(f"there is no frame {frame}; {n} have been learned")
        function = self._functions_[frame]
        if function is None:
            raise InvalidInput(
                "the functions of past frames were not kept; set keep_history=True, and use a linear kernel"
            )
        words = self._functions_[-1].shape[0]
        result = np.zeros((words, len(self.classes_)))
        places = np.searchsorted(self.classes_, self._classes_then_[frame])
        known = np.vstack([function[:-1], np.zeros((words - len(function), function.shape[1])), function[-1:]])
        result[:, places] = known
        return result

    def _word(self, column: int) -> str:
        return str(column) if self.vocabulary is None else str(list(self.vocabulary)[column])
