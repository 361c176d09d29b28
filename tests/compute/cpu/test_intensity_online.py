"""The ring of the online filter."""

from __future__ import annotations

import numpy as np
from tests.oracles.intensity import level_matrix

from driftline.compute.cpu.intensity_online import update


def test_the_ring_is_filled_before_anything_is_smoothed():
    rates, matrix = np.array([0.2, 1.0]), level_matrix(0.2, 2)
    message = np.full((2, 3), 0.5)
    places = 3
    ring = (np.zeros((places, 2, 3)), np.zeros((places, 3)), np.zeros((places, 3)), np.zeros((places, 2)))
    matrices, count, found = np.zeros((places, 2, 2)), np.array([0, 0]), np.full((4, 3), -1.0)
    text = np.array([1.0, 0.5, 0.25])
    for t in range(4):
        update(text, 0.5 * t, rates, matrix, np.zeros(0), 1, message, *ring, matrices, count, found)
        assert count[0] == t + 1
        assert (found[2] >= 0).all() == (t >= places - 1)
        np.testing.assert_allclose(found[0].sum(), 1)
        np.testing.assert_allclose(message.sum(axis=0), 1)
    np.testing.assert_allclose(found[2].sum(), 1)
    assert ((found[3] > 0.2) & (found[3] < 1.0)).all()
