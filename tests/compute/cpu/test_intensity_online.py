"""The ring of the online filter."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.intensity import level_matrix

from driftline.compute.cpu.intensity_online import advance, next_gap, update
from driftline.compute.variant_codes import GAP, INDEX, OPERATIONAL


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


def test_gaps_are_measured_bounded_and_never_negative():
    clock = np.array([np.nan, 2.0])
    gaps = [next_gap(time, clock, 2.0, GAP, 50, 0.1, 3.0) for time in (5.0, 6.0, 4.0, 5.0, 100.0)]
    assert gaps == [0.0, 0.5, 0.1, 0.1, 3.0], "the first has none; a late one comes at the time of the one before"
    assert clock[0] == 100.0
    assert next_gap(107.0, clock, 2.0, INDEX, 50, 0.0, np.inf) == 1.0
    clock[1] = 7.0
    assert next_gap(114.0, clock, 2.0, OPERATIONAL, 50, 0.0, np.inf) == 1.0
    still = np.array([0.0, 0.0])
    assert next_gap(0.0, still, 2.0, OPERATIONAL, 50, 0.0, np.inf) == 0.0


@pytest.mark.parametrize("logs", [[np.nan, 0.0], [-np.inf, -np.inf], [np.inf, 0.0]])
def test_an_impossible_document_changes_nothing(logs):
    fixed = (np.array([0.2, 1.0]), level_matrix(0.2, 2), np.zeros(0), 1)
    ring = [np.full((2, 2), 0.5), np.zeros((1, 2, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2))]
    ring = (*ring, np.zeros((1, 2, 2)))
    clock, count, found, levels = np.array([0.0, 1.0]), np.array([0, 7]), np.zeros((4, 2)), np.zeros((2, 2))
    settings = (1.0, GAP, 50, 0.0, np.inf)
    assert advance(np.array(logs), 3.0, clock, *settings, fixed, ring, count, found, levels) == -1
    assert (clock[0], count[0], levels.sum()) == (0.0, 0, 0.0)
    assert advance(np.zeros(2), 3.0, clock, *settings, fixed, ring, count, found, levels) == 7
    np.testing.assert_allclose(levels.sum(axis=1), 1)
    np.testing.assert_allclose(found[0], 0.5)
