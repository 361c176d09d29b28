"""The parts of expectation propagation, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.intensity import level_matrix

from driftline.compute.cpu.intensity_ep import absorb, filter_stream, mean_rates, mix, move


def test_one_document_by_hand():
    rng = np.random.default_rng(0)
    rates, matrix = np.array([0.2, 0.7, 2.0]), level_matrix(0.3, 3)
    message, moved = rng.dirichlet(np.ones(3), 4).T.copy(), np.empty((3, 4))
    move(message, matrix, 1, moved)
    np.testing.assert_allclose(moved, matrix.T @ message)
    decay = np.exp(-rates * 1.3)
    mass, mean = np.empty(4), np.empty(4)
    mean_rates(moved, rates, decay, mass, mean)
    np.testing.assert_allclose(mass, decay @ moved)
    np.testing.assert_allclose(mean, (rates * decay) @ moved / mass)
    text = rng.random(4)
    others = (text * mean).sum() - text * mean
    after, total = np.empty((3, 4)), np.empty(4)
    absorb(moved, text, others, rates, decay, np.array([1e-30]), after, total)
    expected = moved * decay[:, None] * (np.outer(rates, text) + others)
    np.testing.assert_allclose(after, expected / expected.sum(axis=0))


def test_the_filter_predicts_one_document_ahead():
    """With two documents the evidence can be written down: the chains are independent until the first is seen."""
    rates, matrix, prior = np.array([0.2, 2.0]), level_matrix(0.3, 2), np.array([0.4, 0.6])
    text, gaps = np.array([[1.0, 0.3], [0.2, 1.0]]), np.array([0.0, 0.8])
    means, mixed = np.empty((2, 2)), np.empty(2)
    belief = np.repeat(prior[:, None], 2, axis=1)
    found = filter_stream(text, gaps, rates, matrix, np.zeros(0), 1, belief, False, means, mixed)
    first = text[0] * (prior @ rates)
    beliefs = [prior * (rates * text[0, k] + first[1 - k]) for k in range(2)]
    fade = np.exp(-rates * 0.8)
    second, log_mass = [], 0.0
    for k in range(2):
        before = beliefs[k] / beliefs[k].sum() @ matrix
        second.append(text[1, k] * (before * fade) @ rates / (before @ fade))
        log_mass += np.log(before @ fade)
    assert found == pytest.approx(np.log(first.sum()) + np.log(sum(second)) + log_mass)
    np.testing.assert_allclose(mixed, [first.sum(), sum(second)])
    mix(text, means, mixed)
    np.testing.assert_allclose(mixed, [first.sum(), sum(second)])
