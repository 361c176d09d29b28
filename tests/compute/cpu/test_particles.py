"""Resampling."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu.particles import systematic


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
