"""Times of documents that arrive one after another: in order, or only slightly late."""

from __future__ import annotations

import numpy as np

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesRows
from driftline.core.arrays import Floats, Times
from driftline.core.errors import UnorderedTimes
from driftline.core.times import Duration, days, describe_span


class ArrivingEstimator(TakesRows, DriftEstimator):
    """Base of the estimators of streams, whose rows, sparse or not, arrive in time order."""

    reorder_within: Duration

    def _span(self, duration: Duration) -> float:
        """Return a duration on the axis of the times; if these are numbers, a string is a number of days."""
        if isinstance(duration, str) and self.time_axis_kind_ == "number":
            return days(duration)
        return self._time_axis.span(duration)

    def _times(self, times: Times, n: int, first: int = 0, *, reset: bool = False) -> Floats:
        """Return the times, or the numbers of the documents in the stream if there are none."""
        found: Floats = self._check_times(times, n, reset=reset)
        return np.asarray(found + first) if times is None else found

    def _ordered(self, when: Floats, latest: float) -> Floats:
        """Return the times in order: a document that is only slightly late gets the latest time before it."""
        newest = np.maximum.accumulate(np.concatenate([[latest], when]))[1:]
        late = np.flatnonzero(newest - when > self._span(self.reorder_within))
        if len(late):
            lag = float(newest[late[0]] - when[late[0]])
            dated = self.time_axis_kind_ == "datetime"
            raise UnorderedTimes(int(late[0]), describe_span(lag) if dated else f"{lag:g}")
        return newest
