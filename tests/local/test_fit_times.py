"""Grid times, windows, support and candidate bandwidths."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.drifting import labelled_stream

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.core.times import TimeAxis
from driftline.local import LocalLogisticRegression, LocalMultinomial, LocalNaiveBayes, fit_times
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel

SIDES = ("both", "past")


@pytest.mark.parametrize("name", KERNEL_NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_weights_are_one_at_no_distance(name, side):
    kernel = Kernel(name, side)
    assert kernel.relative_weights(np.array([1e-12]), 3.0)[0] == pytest.approx(1)
    assert kernel.relative_weights(np.array([1.0]), math.inf)[0] == 1
    assert kernel.relative_weights(np.array([-1.0]), math.inf)[0] == (1 if side == "both" else 0)


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
    supported = fit_times.has_support(times, kernel, bandwidth, when)
    for t, inside in zip(when, supported):
        weights = kernel.relative_weights(t - times, bandwidth)
        first, last = fit_times.window(times, kernel, bandwidth, t)
        assert not weights[:first].any()
        assert not weights[last:].any()
        if weights.any():
            assert inside
        if inside:  # a point just inside may have zero weight
            near = (t - times) / bandwidth
            assert (np.abs(near[near > 0] if side == "past" else near) <= kernel.support + 1e-9).any()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["tricube", "gaussian"])
def test_the_grid_reaches_every_supported_time(side, name):
    rng = np.random.default_rng(0)
    kernel = Kernel(name, side)
    times = np.sort(np.concatenate([rng.uniform(0, 10, 30), [500.0]]))
    grid = fit_times.grid_times(times, kernel, 2.0, 4, times[0])
    assert (np.diff(grid) > 0).all()
    assert len(grid) < 120  # none in the long gap
    when = rng.uniform(-20, 520, 4000)
    when = when[fit_times.has_support(times, kernel, 2.0, when)]
    answering = fit_times.answering_times(times, kernel, when)
    mixed = fit_times.blend(grid, kernel, when, answering)
    step = 2.0 / 4
    if side == "both":
        when = answering
        assert (grid[mixed.left] <= when).all()
        assert (grid[mixed.right] >= when).all()
        assert np.allclose(grid[mixed.right] - grid[mixed.left], step)
        assert np.allclose(grid[mixed.left] + mixed.share * step, when)
    else:
        assert (grid[mixed.left] <= when).all()
        assert (answering - grid[mixed.left] <= step + 1e-9).all()
        assert (grid[mixed.left] - answering <= step + 1e-9).all(), "a silence is not waited out"
        assert not mixed.share.any()
        assert fit_times.just_after(times[-1]) in grid


def test_a_past_only_grid_never_looks_ahead():
    kernel = Kernel("tricube", "past")
    times, when = np.arange(20.0), np.linspace(0.1, 19, 50)
    grid = fit_times.grid_times(times, kernel, 5.0, 4, 0.0)
    answering = fit_times.answering_times(times, kernel, when)
    assert (grid[fit_times.blend(grid, kernel, when, answering).left] <= when).all()


def test_candidates_are_halvings_of_the_span_and_infinity():
    kernel = Kernel()
    assert fit_times.candidate_bandwidths(np.zeros(50), kernel) == [math.inf]
    assert fit_times.candidate_bandwidths(np.arange(5.0), kernel) == [math.inf]
    many = fit_times.candidate_bandwidths(np.linspace(0, 512, 10_000_000 // 100), kernel)
    assert many[0] == 1.0
    assert many[-2:] == [512.0, math.inf]
    few = fit_times.candidate_bandwidths(np.linspace(0, 512, 200), kernel, fewest=5)
    assert min(few) < min(fit_times.candidate_bandwidths(np.linspace(0, 512, 200), kernel))


def test_bandwidths_by_name_number_and_duration():
    number, dates, kernel = TimeAxis("number"), TimeAxis("datetime"), Kernel()
    times = np.arange(100.0)
    assert fit_times.resolve_bandwidths("global", number, times, kernel) == [math.inf]
    assert fit_times.resolve_bandwidths(3, number, times, kernel) == [3.0]
    assert fit_times.resolve_bandwidths("36h", dates, times, kernel) == [1.5]
    assert fit_times.resolve_bandwidths(datetime.timedelta(days=2), dates, times, kernel) == [2.0]
    assert fit_times.resolve_bandwidths([5, "global", 5.0], number, times, kernel) == [5.0, math.inf]
    assert math.inf in fit_times.resolve_bandwidths("cv", number, times, kernel)
    for wrong in ("wide", [], "2d", math.nan):
        with pytest.raises(InvalidInput):
            fit_times.resolve_bandwidths(wrong, number, times, kernel)


@settings(max_examples=60, deadline=None)
@given(
    times=st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    when=st.lists(st.floats(-80, 80), min_size=1, max_size=8),
    side=st.sampled_from(SIDES),
)
def test_the_model_of_the_nearest_known_document_answers_beyond_it(times, when, side):
    times, when = np.sort(np.array(times, dtype=float)), np.array(when)
    found = fit_times.answering_times(times, Kernel("tricube", side), when)
    for t, answer in zip(when, found):
        if side == "both":
            assert answer == min(max(t, times[0]), times[-1])
        else:
            before = [time for time in times if time < t]
            assert answer == (fit_times.just_after(max(before)) if before else t)
            assert answer <= t


MODELS = [
    lambda side: LocalLogisticRegression(bandwidth=1.5, side=side),
    lambda side: LocalLogisticRegression(bandwidth=1.5, side=side, grid="exact"),
    lambda side: LocalNaiveBayes(bandwidth=1.5, strength=1.0, side=side),
    lambda side: LocalNaiveBayes(bandwidth=1.5, strength=1.0, side=side, grid="exact"),
]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("make", MODELS)
def test_beyond_the_last_document_the_latest_local_fit_answers(make, side):
    X, y, times = labelled_stream()
    model = make(side).fit(X, y, times=times)
    last = times[-1] if side == "both" else fit_times.just_after(times[-1])
    now = model.predict_proba(X, times=np.full(len(y), last))
    with pytest.warns(OutsideSupportWarning, match="nearest model"):
        later = model.predict_proba(X, times=np.full(len(y), times[-1] + 15.0))
    np.testing.assert_array_equal(later, now)
    whole = type(model)(bandwidth="global", side=side).fit(X, y, times=times)
    assert np.abs(later - whole.predict_proba(X, times=np.full(len(y), last))).max() > 0.1


@pytest.mark.parametrize("side", SIDES)
def test_so_do_the_latest_distributions_of_words(side):
    X, _, times = labelled_stream()
    model = LocalMultinomial(bandwidth=1.5, side=side).fit(X, times=times)
    last = times[-1] if side == "both" else fit_times.just_after(times[-1])
    later = [times[-1] + 15.0]
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_array_equal(model.probabilities(later), model.probabilities([last]))
    here = model.score_samples(X, times=np.full(len(times), last))
    with pytest.warns(OutsideSupportWarning):
        there = model.score_samples(X, times=np.full(len(times), later[0]))
    np.testing.assert_array_equal(here, there)


def test_a_silence_does_not_make_a_past_only_model_forget():
    X, y, times = labelled_stream()
    silent = np.where(times > 5, times + 100, times)
    model = LocalLogisticRegression(bandwidth=1.5, side="past").fit(X, y, times=silent)
    before = LocalLogisticRegression(bandwidth=1.5, side="past").fit(
        X[times <= 5], y[times <= 5], times=times[times <= 5]
    )
    when = np.full(len(y), 60.0)
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_allclose(model.predict_proba(X, times=when), before.predict_proba(X, times=when), atol=0.05)
