"""Grid times, windows, support and candidate bandwidths."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.local import timeline
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel

SIDES = ("both", "past")


@pytest.mark.parametrize("name", KERNEL_NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_weights_are_one_at_no_distance(name, side):
    kernel = Kernel(name, side)
    assert timeline.scaled_weights(kernel, np.array([1e-12]), 3.0)[0] == pytest.approx(1)
    assert timeline.scaled_weights(kernel, np.array([1.0]), math.inf)[0] == 1
    assert timeline.scaled_weights(kernel, np.array([-1.0]), math.inf)[0] == (1 if side == "both" else 0)


@settings(max_examples=60, deadline=None)
@given(
    times=st.lists(st.floats(-50, 50), min_size=1, max_size=12),
    when=st.lists(st.floats(-80, 80), min_size=1, max_size=8),
    bandwidth=st.floats(0.1, 40),
    name=st.sampled_from(KERNEL_NAMES),
    side=st.sampled_from(SIDES),
)
def test_window_and_support_agree_with_the_weights(times, when, bandwidth, name, side):
    kernel, times, when = Kernel(name, side), np.sort(times), np.array(when)
    supported = timeline.has_support(times, kernel, bandwidth, when)
    for t, inside in zip(when, supported):
        weights = timeline.scaled_weights(kernel, t - times, bandwidth)
        first, last = timeline.window(times, kernel, bandwidth, t)
        assert not weights[:first].any()
        assert not weights[last:].any()
        if weights.any():
            assert inside
        if inside:  # what lies inside by a hair may weigh nothing
            near = (t - times) / bandwidth
            assert (np.abs(near[near > 0] if side == "past" else near) <= kernel.support + 1e-9).any()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["tricube", "gaussian"])
def test_the_grid_reaches_every_supported_time(side, name):
    rng = np.random.default_rng(0)
    kernel = Kernel(name, side)
    times = np.sort(np.concatenate([rng.uniform(0, 10, 30), [500.0]]))
    grid = timeline.grid_times(times, kernel, 2.0, 4, times[0])
    assert (np.diff(grid) > 0).all()
    assert len(grid) < 120  # none in the long gap
    when = rng.uniform(-20, 520, 4000)
    when = when[timeline.has_support(times, kernel, 2.0, when)]
    mixed = timeline.blend(grid, kernel, when)
    step = 2.0 / 4
    if side == "both":
        assert (grid[mixed.left] <= when).all()
        assert (grid[mixed.right] >= when).all()
        assert np.allclose(grid[mixed.right] - grid[mixed.left], step)
        assert np.allclose(grid[mixed.left] + mixed.share * step, when)
    else:
        assert (grid[mixed.left] <= when).all()
        assert (when - grid[mixed.left] <= step + 1e-9).all()
        assert not mixed.share.any()
        assert timeline.just_after(times[-1]) in grid


def test_a_past_only_grid_never_looks_ahead():
    kernel = Kernel("tricube", "past")
    grid = timeline.grid_times(np.arange(20.0), kernel, 5.0, 4, 0.0)
    when = np.linspace(0.1, 19, 50)
    assert (grid[timeline.blend(grid, kernel, when).left] <= when).all()


def test_candidates_are_halvings_of_the_span_and_infinity():
    kernel = Kernel()
    assert timeline.candidate_bandwidths(np.zeros(50), kernel) == [math.inf]
    assert timeline.candidate_bandwidths(np.arange(5.0), kernel) == [math.inf]
    many = timeline.candidate_bandwidths(np.linspace(0, 512, 10_000_000 // 100), kernel)
    assert many[0] == 1.0
    assert many[-2:] == [512.0, math.inf]
    few = timeline.candidate_bandwidths(np.linspace(0, 512, 200), kernel, fewest=5)
    assert min(few) < min(timeline.candidate_bandwidths(np.linspace(0, 512, 200), kernel))


def test_bandwidths_by_name_number_and_duration():
    number, dates, kernel = TimeAxis("number"), TimeAxis("datetime"), Kernel()
    times = np.arange(100.0)
    assert timeline.resolve_bandwidths("global", number, times, kernel) == [math.inf]
    assert timeline.resolve_bandwidths(3, number, times, kernel) == [3.0]
    assert timeline.resolve_bandwidths("36h", dates, times, kernel) == [1.5]
    assert timeline.resolve_bandwidths(datetime.timedelta(days=2), dates, times, kernel) == [2.0]
    assert timeline.resolve_bandwidths([5, "global", 5.0], number, times, kernel) == [5.0, math.inf]
    assert math.inf in timeline.resolve_bandwidths("cv", number, times, kernel)
    for wrong in ("wide", [], "2d", math.nan):
        with pytest.raises(InvalidInput):
            timeline.resolve_bandwidths(wrong, number, times, kernel)
