"""The time of a stream in which rates are measured: the middles of its units, and its calendar steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.analysis.burst_kinds import observed_steps, steps_for
from driftline.core.arrays import Bools, Datetimes, Floats, Ints
from driftline.core.times import TimeAxis
from driftline.streams.exchange import exchange_units
from driftline.streams.units import units_of


class StreamTime(NamedTuple):
    """The values that the rates of all labels and topics share, computed once for the documents of a stream.

    `middles` are the mean times of units, between which long gaps are found. Steps have the `length` of a unit in days,
    and are counted from `first_step`; `observed` marks those in which the stream was observed.
    """

    middles: Floats
    length: float
    first_step: float
    observed: Bools

    @classmethod
    def of(cls, times: Datetimes, kind: str | None = None) -> StreamTime:
        """Return the time of a stream with documents at these times; `kind` is that of its units of exchange.

        >>> StreamTime.of(np.array(["1970-01-03", "1970-01-03", "1970-01-05"], dtype="datetime64[us]"))[1:3]
        (1.0, 2.0)
        """
        steps, length = steps_for(times, exchange_units(times).kind if kind is None else kind)
        first_step = float(np.floor(TimeAxis("datetime").values(times).min() / length))
        return cls(units_of(times).middle, length, first_step, observed_steps(steps))

    def step_of(self, days: float) -> float:
        """Return the step of a time in days, with its fraction."""
        return days / self.length - self.first_step

    def steps(self, times: Datetimes) -> Ints:
        """Return the whole steps of times."""
        return (np.floor(TimeAxis("datetime").values(times) / self.length) - self.first_step).astype(np.int64)
