"""Resampling."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.particles import resample, reweigh, systematic


def test_each_particle_is_drawn_in_proportion():
    weights = np.array([0.5, 0.1, 0.0, 0.4])
    chosen = np.empty(4, dtype=np.int64)
    tally = np.zeros(4)
    for uniform in np.linspace(0.0003, 0.9993, 1000):
        systematic(weights, uniform, chosen)
        counts = np.bincount(chosen, minlength=4)
        assert (np.abs(counts - 4 * weights) < 1).all(), "never more than one away from its share"
        tally += counts / 4000
    np.testing.assert_allclose(tally, weights, atol=0.002)


def test_particles_are_chosen_anew_only_when_few_of_them_count():
    rng, chosen = np.random.default_rng(0), np.empty(4, dtype=np.int64)
    even = np.array([0.3, 0.3, 0.2, 0.2])
    assert not resample(even, rng, chosen)
    assert even.tolist() == [0.3, 0.3, 0.2, 0.2]
    one = np.array([0.97, 0.01, 0.01, 0.01])
    assert resample(one, rng, chosen)
    assert one.tolist() == [0.25] * 4
    assert (chosen[:3] == 0).all()


def test_weights_beyond_the_range_of_numbers():
    weights = np.empty(2)
    found = reweigh(np.array([-2000.0, -2000.0 + np.log(3)]), weights)
    np.testing.assert_allclose(found, -2000.0 + np.log(4))
    np.testing.assert_allclose(weights, [0.25, 0.75])
