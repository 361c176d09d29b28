"""One chain of levels: filtering, smoothing, drawing, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from tests.oracles.intensity import level_matrix
from tests.oracles.markov import smoothed_by_enumeration

from driftline.compute.cpu.intensity_chains import (
    expected_topics,
    filter_chain,
    sample_levels,
    sample_topics,
    smooth_chain,
    step_matrix,
)

RATES = np.array([0.3, 1.0, 2.5])
PRIOR = np.array([0.5, 0.2, 0.3])
MATRIX = level_matrix(0.4, 3)


@pytest.fixture
def chain():
    rng = np.random.default_rng(0)
    weights, gaps = rng.random(6), rng.exponential(1, 6)
    sites = weights[:, None] * np.log(RATES) - np.outer(gaps, RATES)
    return weights, gaps, smoothed_by_enumeration(PRIOR, [MATRIX] * 6, sites)


def test_smoothing_equals_enumeration(chain):
    weights, gaps, (evidence, probabilities, expected_moves, _) = chain
    levels, moves = np.empty((6, 3)), np.zeros((3, 3))
    fixed = (weights, gaps, RATES, MATRIX, np.zeros(0), 1, PRIOR)
    assert smooth_chain(*fixed, levels, moves) == pytest.approx(evidence)
    np.testing.assert_allclose(levels, probabilities)
    np.testing.assert_allclose(moves, expected_moves)
    assert filter_chain(*fixed, levels) == pytest.approx(evidence)
    np.testing.assert_allclose(levels[-1], probabilities[-1])


def test_draws_follow_the_posterior(chain):
    weights, gaps, (_, probabilities, expected_moves, _) = chain
    rng = np.random.default_rng(1)
    paths, filtered = np.empty((4000, 6), dtype=np.int64), np.empty((6, 3))
    for path in paths:
        sample_levels(weights, gaps, RATES, MATRIX, np.zeros(0), 1, PRIOR, rng.random(6), filtered, path)
    tally = (paths[:, :, None] == np.arange(3)).mean(axis=0)
    np.testing.assert_allclose(tally, probabilities, atol=0.03)
    moves = np.zeros((3, 3))
    np.add.at(moves, (paths[:, :-1].ravel(), paths[:, 1:].ravel()), 1 / 4000)
    np.testing.assert_allclose(moves, expected_moves, atol=0.08)


def test_moves_in_time_are_the_matrix_exponential():
    Q = MATRIX - np.eye(3)
    values, vectors = np.linalg.eigh(Q)
    matrix = np.empty((3, 3))
    step_matrix(vectors, values, 1.7, matrix)
    np.testing.assert_allclose(matrix, expm(1.7 * Q), atol=1e-12)
    step_matrix(MATRIX, np.zeros(0), 1.7, matrix)
    np.testing.assert_allclose(matrix, expm(1.7 * Q), atol=1e-12, err_msg="without speeds nothing is touched")


def test_topics_given_levels():
    text, levels = np.array([[1.0, 0.2], [0.0, 1.0]]), np.array([[0, 0], [2, 2]])
    proba, topics = np.zeros((2, 2)), np.empty(2, dtype=np.int64)
    sample_topics(text, RATES, levels, np.array([0.3, 0.0]), topics, proba)
    np.testing.assert_allclose(proba, [[0.3 / 0.8, 0.5 / 0.8], [0.0, 1.0]])
    assert topics.tolist() == [0, 1]
    gain = expected_topics(text, np.log(RATES[levels.T]), proba)
    np.testing.assert_allclose(proba, [[0.3 / 0.8, 0.5 / 0.8], [0.0, 1.0]])
    share = np.array([0.375, 0.625])
    assert gain == pytest.approx((share * (np.log([1.0, 0.2]) - np.log(share))).sum())
