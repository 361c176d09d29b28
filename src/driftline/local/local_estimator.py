"""Base of the local estimators: a kernel with its side and bandwidth, continuing streams, and times without data."""

from __future__ import annotations

import datetime
import numbers
import warnings
from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.core.arrays import Bools, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.core.labels import check_given, codes_of, first_classes, labelled_accuracy, labelled_values
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel, Side

DURATIONS = [np.timedelta64, datetime.timedelta, str]
"""Types of durations other than numbers; they come first, since a timedelta64 also counts as a number."""


class LocalEstimator(DriftEstimator):
    """Base of the estimators that weight documents by their distance in time.

    A subclass has the parameters `kernel`, `bandwidth`, `side` and `verbose`, and adds its own constraints.
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "kernel": [StrOptions(set(KERNEL_NAMES))],
        "bandwidth": [*DURATIONS, Interval(numbers.Real, 0, None, closed="right"), list, tuple],
        "side": [StrOptions({"both", "past"})],
        "verbose": ["verbose"],
    }

    kernel: str
    side: Side

    @property
    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.side)

    def _check_more_times(self, times: Times, n: int, newest: float) -> Floats:
        """Return the times of `n` more documents; without times they follow the newest so far, one by one."""
        if times is None and self.time_axis_kind_ == "number":
            return newest + 1 + np.arange(n, dtype=np.float64)
        return self._check_times(times, n, reset=False)

    def _warn_outside(self, when: Floats, inside: Bools, data: str = "document", *, stacklevel: int = 3) -> None:
        """Warn if there are times around which there is no data."""
        if not inside.all():
            first, n = self._time_axis.restore(when[~inside])[0], int((~inside).sum())
            have = "has" if n == 1 else "have"
            warnings.warn(
                f"{n} of {len(inside)} times {have} no {data} within the bandwidth (the first is {first}); "
                f"beyond the stream, its nearest model is used; within it, that of the whole stream",
                OutsideSupportWarning,
                stacklevel=stacklevel,
            )


class LocalClassifier(ClassifierMixin, LocalEstimator):
    """Base of the local classifiers: partly missing labels, and classes fixed by the first documents."""

    classes_: np.ndarray

    @abstractmethod
    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return the class of each document."""

    def score(
        self, X: Matrix, y: Labels | None, sample_weight: npt.ArrayLike | None = None, *, times: Times = None
    ) -> float:
        """Return the share of correctly classified documents; those without a label (-1, None) do not count."""
        check_given(y, type(self).__name__)
        return labelled_accuracy(self.predict(X, times=times), y, sample_weight, classes=self.classes_)

    def _check_first_labels(self, y: Labels | None, n: int, classes: Labels | None) -> tuple[Bools, Ints]:
        """Return a mask of the first documents with a label, and the numbers of their classes, which are now fixed."""
        check_given(y, type(self).__name__)
        labels, known = labelled_values(y, n, classes=classes, signs=True)
        self.classes_ = first_classes(labels, known, classes, at_least=2)
        if not known.any():
            raise InvalidInput("no document has a label; label at least one document")
        return known, codes_of(labels, known, self.classes_)[known]

    def _check_more_labels(self, y: Labels | None, n: int) -> tuple[Bools, Ints]:
        """Return a mask of further documents with a label, and the numbers of their classes."""
        check_given(y, type(self).__name__)
        labels, known = labelled_values(y, n, classes=self.classes_)
        return known, codes_of(labels, known, self.classes_)[known]

    def _class_number(self, label: object) -> int:
        """Return the index of a label among the classes."""
        found = np.flatnonzero(self.classes_ == label)
        if not len(found):
            raise InvalidInput(f"{label!r} is not one of the classes {self.classes_.tolist()}")
        return int(found[0])
