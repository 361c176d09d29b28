"""Times of documents that arrive one after another: in order, or only a little late."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Tags

from driftline.base.estimator import DriftEstimator
from driftline.core.arrays import Floats, Times
from driftline.core.errors import UnorderedTimes
from driftline.core.times import Duration, days, describe_span


class ArrivingEstimator(DriftEstimator):
    """Base of the estimators of streams, whose rows arrive in the order of their times, sparse or not."""

    reorder_within: Duration

    def __sklearn_tags__(self) -> Tags:
        """Declare that input may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _span(self, duration: Duration) -> float:
        """Return a duration on the axis of the times; if these are numbers, a string is a number of days."""
        if isinstance(duration, str) and self.time_axis_kind_ == "number":
            return days(duration)
        return self._time_axis.span(duration)

    def _times(self, times: Times, n: int, first: int = 0, *, reset: bool = False) -> Floats:
        """Return the times; without any, the numbers of the documents in the stream."""
        found: Floats = self._check_times(times, n, reset=reset)
        return np.asarray(found + first) if times is None else found

    def _ordered(self, when: Floats, latest: float) -> Floats:
        """Return the times in order: a document that is only a little late arrives with the newest before it."""
        newest = np.maximum.accumulate(np.concatenate([[latest], when]))[1:]
        late = np.flatnonzero(newest - when > self._span(self.reorder_within))
        if len(late):
            lag = float(newest[late[0]] - when[late[0]])
            dated = self.time_axis_kind_ == "datetime"
            raise UnorderedTimes(int(late[0]), describe_span(lag) if dated else f"{lag:g}")
        return newest
