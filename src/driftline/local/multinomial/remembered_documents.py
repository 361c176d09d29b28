"""The documents that a model keeps: all of them, or with a memory the recent ones and the sums of the others."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.local.history import History
from driftline.local.local_estimator import LocalEstimator


class RememberedDocuments(LocalEstimator):
    """Keeps documents in order of time, and turns those beyond the `memory` into sums."""

    memory: Duration | None
    _rows_: sp.csr_matrix
    _row_times_: Floats
    _forgotten_: Floats
    _forgotten_before_: float

    def _remember(self, X: Matrix, times: Floats) -> None:
        order = np.argsort(times, kind="stable")
        self._rows_ = sp.csr_matrix(X)[order]
        self._row_times_ = times[order]
        self.__dict__.pop("_cached_history", None)

    def _forget(self) -> None:
        """Replace documents further back than twice the memory by sums."""
        reach = self._memory
        old = int(np.searchsorted(self._row_times_, self._row_times_[-1] - 2 * reach, side="left"))
        if old == 0:
            return
        self._forgotten_ = self._forgotten_ + np.asarray(self._rows_[:old].sum(axis=0)).ravel()
        self._forgotten_before_ = max(self._forgotten_before_, float(self._row_times_[old - 1]))
        self._remember(self._rows_[old:], self._row_times_[old:])

    @property
    def _memory(self) -> float:
        """The longest reach of a finite bandwidth."""
        if self.memory is None:
            return np.inf
        if self.side == "both":
            raise InvalidInput(
                "a two-sided model may be evaluated at any time, so it must keep all documents; pass side='past'"
            )
        length = self._time_axis.span(self.memory)
        if not length > 0:
            raise InvalidInput(f"the memory must be above zero, not {self.memory!r}")
        return length

    @property
    def _widest(self) -> float:
        return self._memory / self._kernel.support

    def _remembered(self, at: Floats) -> Floats:
        """Return the times, with those of discarded documents replaced by a time before the memory begins."""
        return at if np.isinf(self._forgotten_before_) else np.where(self._is_forgotten(at), -np.inf, at)

    def _is_forgotten(self, at: Floats) -> Bools:
        return at <= self._forgotten_before_ + (0.0 if self.memory is None else self._memory)

    @property
    def _history(self) -> History:
        cached = self.__dict__.get("_cached_history")
        if cached is None:
            forgotten = None if np.isinf(self._forgotten_before_) else self._forgotten_
            cached = History.of(self._rows_, self._row_times_, forgotten)
            self.__dict__["_cached_history"] = cached
        return cached
