"""Base of the clusterings of rows that arrive one after another: all at once, in parts, or row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from driftline.base.sklearn_private import fit_context
from driftline.core.arrays import Ints, Labels, Matrix, Times
from driftline.core.times import Moment
from driftline.nonparametric.stories.arrivals import ArrivingEstimator


class RowStream(ArrivingEstimator, ABC):
    """Base of `CluStream` and `DenStream`; `_learn` continues with rows."""

    labels_: Ints

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> Self:
        """Start again with these rows, in time order."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        return self._learn(X, times)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> Self:
        """Continue with the next rows; a stream in parts gives the same clusters as the whole."""
        return self._learn(X, times)

    def update(self, x: Matrix, time: Moment | None = None) -> int:
        """Process one row; return its cluster, −1 for an outlier."""
        self.partial_fit(np.atleast_2d(np.asarray(x)), times=None if time is None else [time])
        return int(self.labels_[0])

    @abstractmethod
    def _learn(self, X: Matrix, times: Times) -> Self:
        """Continue with rows, in time order."""
