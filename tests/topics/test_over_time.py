from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.smoothing.kernels import Kernel
from driftline.topics import LDA, over_time, topics_over_time
from tests.topics.corpora import drawn


def moving(n=2000, seed=0):
    """Documents whose topic shares scatter around known curves, as times and shares."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 100, n))
    mean = truth(times)
    return times, np.array([rng.dirichlet(1.5 * row) for row in mean])


def truth(times):
    bump = 0.05 + 0.4 * np.exp(-(((times - 60) / 12) ** 2))
    return np.column_stack([bump, 0.5 * (1 - bump) * np.ones_like(times), 0.5 * (1 - bump)])


def test_bands_cover_the_truth():
    covered = []
    for seed in range(8):
        times, shares = moving(seed=seed)
        when = np.linspace(3, 97, 60)
        curves = topics_over_time(shares, None, times=times, when=when)
        expected = truth(when).T
        covered.append((curves.lower <= expected) & (expected <= curves.upper))
    assert 0.9 <= np.mean(covered) <= 0.99


def left_out(times, shares, width):
    """The mean squared error of the local mean of all other documents, document by document."""
    total = np.zeros(shares.shape[1])
    for d in range(len(times)):
        weights = np.maximum(1 - np.abs(times - times[d]) / width, 0)
        weights[d] = 0
        rest = weights @ shares / weights.sum() if weights.sum() > 1e-9 else shares.mean(axis=0)
        total += (shares[d] - rest) ** 2
    return total / len(times)


@pytest.mark.parametrize("width", [0.001, 0.5, 7.0])
def test_errors_are_those_of_leaving_each_document_out(width):
    times, shares = moving(120)
    times = np.round(times, 1)  # some share a time
    _, errors = over_time._widths(over_time._Grouped.of(shares, times, width), Kernel("triangular"), width)
    np.testing.assert_allclose(errors, left_out(times, shares, width), rtol=1e-9)


def test_many_times_are_as_good_as_all_of_them(monkeypatch):
    times, shares = moving(9_000)
    rounded = topics_over_time(shares, None, times=times)
    assert len(over_time._Grouped.of(shares, times, None).times) < 8_000
    assert len(over_time._Grouped.of(shares, times, 0.01).times) == 9_000, "a narrow window sees every time"
    monkeypatch.setattr(over_time, "MOST_TIMES", 10**6)
    exact = topics_over_time(shares, None, times=times)
    np.testing.assert_allclose(rounded.bandwidth, exact.bandwidth, rtol=1e-3)
    np.testing.assert_allclose(rounded.share, exact.share, atol=1e-4)
    np.testing.assert_array_equal(rounded.p_value, exact.p_value)


def test_a_calm_topic_has_a_wide_window_and_a_burst_a_narrow_one():
    times, shares = moving()
    rng = np.random.default_rng(3)
    shares = np.column_stack([shares, rng.dirichlet([1, 9], len(times))])
    curves = topics_over_time(shares, None, times=times)
    assert curves.bandwidth[0] < 30 < curves.bandwidth[3]
    assert curves.share[0].max() == pytest.approx(0.45, abs=0.06)
    assert abs(curves.times[curves.share[0].argmax()] - 60) < 6


def test_trends_are_called_when_they_are_there_and_seldom_otherwise():
    rng = np.random.default_rng(1)
    false, found = 0, 0
    for _ in range(60):
        times = rng.uniform(0, 10, 300)
        still = rng.dirichlet([1.0, 1.0, 1.0], 300)
        false += int(topics_over_time(still, None, times=times, bandwidth=5.0).p_value[0] < 0.05)
        rising = np.where(rng.random(300) < 0.3 + 0.04 * times, 0.9, 0.1)
        result = topics_over_time(np.column_stack([rising, 1 - rising]), None, times=times, bandwidth=5.0)
        found += int(result.significant[0] and result.trend[0] > 0 > result.trend[1])
    assert false <= 9
    assert found >= 50


def test_dates_durations_and_a_model():
    X, _ = drawn(200, 50, 3)
    days = np.datetime64("2003-01-01") + np.arange(200)
    model = LDA(3, random_state=0, max_epochs=5).fit(X)
    curves = topics_over_time(model, X, times=days, bandwidth="30d")
    assert curves.times.dtype.kind == "M"
    assert (curves.bandwidth == 30).all()
    assert curves.share.shape == (3, 200)
    np.testing.assert_allclose(curves.share.sum(axis=0), 1, atol=0.05)
    curve = curves.curve(1)
    assert (curve.lower <= curve.value).all()
    assert (curve.value <= curve.upper).all()
    assert (curve.effective_size > 0).all()


def test_awkward_streams():
    with pytest.raises(InvalidInput, match="no document"):
        topics_over_time(np.empty((0, 2)), None)
    alone = topics_over_time(np.array([[0.3, 0.7]]), None)
    np.testing.assert_allclose(alone.share[:, 0], [0.3, 0.7])
    assert (alone.p_value == 1).all()
    together = topics_over_time(np.tile([0.3, 0.7], (9, 1)), None, times=np.full(9, 4.0))
    np.testing.assert_allclose(together.share, np.tile([[0.3], [0.7]], 200))
    gap = topics_over_time(np.tile([0.3, 0.7], (4, 1)), None, times=[0, 1, 99, 100], when=[50.0], bandwidth=2.0)
    assert gap.lower[0, 0] == 0
    assert gap.upper[0, 0] == 1
