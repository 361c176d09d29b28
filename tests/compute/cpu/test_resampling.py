"""Resampling: expected counts, the threshold, and weights beyond the range of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.resampling import choose, resample, reweigh

WEIGHTS = np.array([0.5, 0.1, 0.0, 0.4])


def test_systematic_counts_are_never_more_than_one_from_their_share():
    chosen, tally = np.empty(4, dtype=np.int64), np.zeros(4)
    for uniform in np.linspace(0.0003, 0.9993, 1000):
        choose(WEIGHTS, np.array([uniform]), chosen)
        counts = np.bincount(chosen, minlength=4)
        assert (np.abs(counts - 4 * WEIGHTS) < 1).all()
        tally += counts / 4000
    np.testing.assert_allclose(tally, WEIGHTS, atol=0.002)


def test_stratified_points_lie_one_in_every_interval():
    chosen = np.empty(4, dtype=np.int64)
    choose(WEIGHTS, np.array([0.9, 0.1, 0.9, 0.1]), chosen)
    edges = np.cumsum(WEIGHTS)
    assert chosen.tolist() == [int(np.searchsorted(edges, point)) for point in (0.225, 0.275, 0.725, 0.775)]
    choose(WEIGHTS, np.array([0.9, 0.1, 0.1, 0.9]), chosen)
    assert chosen.tolist() == [0, 0, 1, 3]


@pytest.mark.parametrize("stratified", [False, True])
def test_expected_counts_are_unbiased(stratified):
    rng, chosen, tally = np.random.default_rng(1), np.empty(5, dtype=np.int64), np.zeros(5)
    given = np.array([0.62, 0.03, 0.2, 0.0, 0.15])
    n = 40_000
    for _ in range(n):
        weights = given.copy()
        assert resample(weights, stratified, 1.0, rng, chosen)
        tally += np.bincount(chosen, minlength=5)
    np.testing.assert_allclose(tally / n, 5 * given, atol=4 * np.sqrt(1 / 4 / n) * 2)


def test_particles_are_chosen_again_only_when_few_of_them_count():
    rng, chosen = np.random.default_rng(0), np.empty(4, dtype=np.int64)
    even = np.array([0.3, 0.3, 0.2, 0.2])
    assert not resample(even, False, 0.5, rng, chosen)
    assert even.tolist() == [0.3, 0.3, 0.2, 0.2]
    assert resample(even.copy(), False, 0.97, rng, chosen), "3.85 of 4 count"
    assert not resample(even, False, 0.95, rng, chosen)
    one = np.array([0.97, 0.01, 0.01, 0.01])
    assert resample(one, False, 0.5, rng, chosen)
    assert one.tolist() == [0.25] * 4
    assert (chosen[:3] == 0).all()


def test_weights_beyond_the_range_of_numbers():
    weights = np.empty(2)
    found = reweigh(np.array([-2000.0, -2000.0 + np.log(3)]), weights)
    np.testing.assert_allclose(found, -2000.0 + np.log(4))
    np.testing.assert_allclose(weights, [0.25, 0.75])
