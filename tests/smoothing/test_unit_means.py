import numpy as np
import pytest

from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import reading_bandwidths
from driftline.smoothing.unit_means import (
    UnitSums,
    choose_bandwidths,
    left_out_residuals,
    unit_means,
)

TRIANGULAR = Kernel("triangular")


def made_units(n=60, kinds=2, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 100, n))
    weight = rng.integers(1, 9, n).astype(float)
    means = np.column_stack([0.3 + 0.2 * np.sin(times / 15) for _ in range(kinds)])
    return UnitSums(times, weight[:, None] * (means + noise * rng.standard_normal((n, kinds))), weight)


@pytest.mark.parametrize("width", [1e-3, 4.0, 40.0])
def test_residuals_are_those_of_leaving_each_unit_out(width):
    units = made_units()
    expected = np.empty_like(units.sums)
    for u, time in enumerate(units.times):
        kernel = np.maximum(1 - np.abs(units.times - time) / width, 0)
        kernel[u] = 0
        around = kernel @ units.weight
        rest = kernel @ units.sums / around if around > 0 else units.mean()
        expected[u] = units.sums[u] - units.weight[u] * rest
    np.testing.assert_allclose(left_out_residuals(units, TRIANGULAR, width), expected, atol=1e-9)


def test_the_band_follows_the_formula():
    units, when, width = made_units(), np.array([20.0, 50.0, 99.0]), 10.0
    means = unit_means(units, when, TRIANGULAR, width, 0.95)
    squared = left_out_residuals(units, TRIANGULAR, width) ** 2
    for i, time in enumerate(when):
        near, wide = (np.maximum(1 - np.abs(units.times - time) / h, 0) for h in (width, np.sqrt(2) * width))
        A = 2 * near / (near @ units.weight) - wide / (wide @ units.weight)
        np.testing.assert_allclose(means.value[i], A @ units.sums)
        around = np.maximum(1 - np.abs(units.times - time) / (3 * width), 0)
        prior = 2 * units.weight.mean()
        phi = (around @ squared + prior * squared.sum(axis=0) / units.weight.sum()) / (around @ units.weight + prior)
        np.testing.assert_allclose(means.error[i], np.sqrt(phi * (A**2 @ units.weight)))


def test_bands_cover_when_units_share_an_effect():
    covered = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        times = np.arange(80.0)
        weight = rng.integers(20, 400, 80).astype(float)
        truth = 0.2 + 0.1 * np.sin(times / 12)
        units = UnitSums(times, (weight * (truth + 0.05 * rng.standard_normal(80)))[:, None], weight)
        means = unit_means(units, times[5:-5:5], TRIANGULAR, 8.0, 0.95)
        half = means.quantile[:, None] * means.error
        covered.append(np.abs(means.value - truth[5:-5:5, None]) <= half)
    assert 0.9 <= np.mean(covered) <= 0.985


def test_what_moves_gets_a_narrow_window_and_what_rests_a_wide_one():
    rng = np.random.default_rng(0)
    times, weight = np.arange(200.0), np.full(200, 10.0)
    moving = np.exp(-(((times - 100) / 8) ** 2))
    still = np.full(200, 0.5)
    noise = 0.05 * rng.standard_normal((200, 2))
    units = UnitSums(times, 10 * (np.column_stack([moving, still]) + noise), weight)
    narrow, wide = choose_bandwidths(units, TRIANGULAR, reading_bandwidths(times))
    assert narrow < 15
    assert wide > 30
