"""The time of a stream: steps of its units, those that were observed, and middles for long gaps."""

from __future__ import annotations

import numpy as np

from driftline.analysis.stream_time import StreamTime
from driftline.streams.units import units_of

START = np.datetime64("2024-01-01", "us")


def test_steps_are_counted_from_the_first_of_the_stream_not_of_a_label():
    days = np.repeat(np.arange(100), 5)
    times = START + days * np.timedelta64(1, "D") + np.timedelta64(3, "h")
    stream = StreamTime.of(times)
    assert stream.length == 1.0
    assert stream.observed.shape == (100,)
    assert stream.steps(times[days >= 40]).min() == 40
    assert stream.step_of(stream.first_step + 40.5) == 40.5
    np.testing.assert_array_equal(stream.middles, units_of(times).middle)


def test_the_kind_of_units_determines_the_length_of_steps():
    times = START + np.arange(0, 24 * 90, 5) * np.timedelta64(1, "h")
    assert StreamTime.of(times, "6h").length == 0.25
    assert StreamTime.of(times, "group").length == 1.0
