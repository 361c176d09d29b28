"""Multipliers of bounded counts, where steps are independent and the multipliers are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit, softmax

from driftline.inference.bounded_counts import NEAR, CountBound, bounding_multipliers, dual_terms

N = np.array([10.0, 40.0])
SCORES = np.array([0.3, -1.2])


def bound(low, high, cost=np.inf):
    """Return a bound for two groups of independent steps, each in state 0 or not."""
    return CountBound(np.array([True, False]), np.arange(2), np.asarray(low, float), np.asarray(high, float), cost)


def expected(multipliers):
    """Return the expected number of steps in state 0, by group."""
    return [N * expit(SCORES - multipliers[0])]


def multiplier(count, group):
    """Return the multiplier with which a count is expected: the inverse of `expected`."""
    return SCORES[group] - logit(count / N[group])


def test_a_count_within_its_bounds_has_no_multiplier():
    at = expected([np.zeros(2)])[0]
    (found,) = bounding_multipliers(expected, [bound(at - 1, at + 1)])
    np.testing.assert_array_equal(found, [0.0, 0.0])
    (found,) = bounding_multipliers(expected, [bound(at, at)])
    np.testing.assert_array_equal(found, [0.0, 0.0])


@pytest.mark.parametrize("counts", [(2.0, 0.5), (9.5, 39.0), (5.0, 12.0), (1.0, 30.0)])
def test_groups_reach_their_nearest_bound(counts):
    low, high = np.array(counts) - 0.25, np.array(counts) + 0.25
    at = expected([np.zeros(2)])[0]
    target = np.clip(at, low, high)
    (found,) = bounding_multipliers(expected, [bound(low, high)])
    np.testing.assert_allclose(expected([found])[0], target, atol=NEAR * target.max())
    np.testing.assert_allclose(found, [multiplier(target[group], group) for group in range(2)], atol=3e-3)


def test_only_the_group_that_is_out_of_bounds_is_moved():
    at = expected([np.zeros(2)])[0]
    (found,) = bounding_multipliers(expected, [bound([0.0, 20.0], [10.0, 40.0])])
    assert found[0] == 0
    assert at[1] < 20
    assert found[1] == pytest.approx(multiplier(20.0, 1), abs=1e-3)


@pytest.mark.parametrize(("low", "high"), [([9.9, 39.9], [10, 40]), ([0, 0], [0.1, 0.1])])
def test_a_cost_limits_the_multiplier(low, high):
    (found,) = bounding_multipliers(expected, [bound(low, high, cost=1.5)])
    np.testing.assert_allclose(np.abs(found), 1.5)
    assert (np.sign(found) == (1 if high[0] < 5 else -1)).all()


def test_a_count_that_cannot_be_reached_has_the_largest_multiplier():
    (found,) = bounding_multipliers(expected, [bound([11.0, 41.0], [12.0, 42.0])])
    np.testing.assert_array_equal(found, [-30.0, -30.0])


def test_bounds_that_depend_on_each_other_hold_together():
    scores, n = np.array([0.5, -0.4, 0.1]), 20.0
    calls = []

    def of_three(multipliers):
        calls.append(multipliers)
        shares = softmax(scores - np.array([multipliers[0][0], multipliers[1][0], 0.0]))
        return [n * shares[:1], n * shares[1:2]]

    shares = np.array([0.15, 0.6, 0.25])
    states = np.eye(3, dtype=bool)
    group = np.zeros(1, dtype=np.int64)
    bounds = [CountBound(states[j], group, n * shares[j : j + 1], n * shares[j : j + 1]) for j in range(2)]
    found = bounding_multipliers(of_three, bounds)
    wanted = (scores[:2] - scores[2]) - np.log(shares[:2] / shares[2])
    np.testing.assert_allclose([part[0] for part in found], wanted, atol=5e-3)
    assert len(calls) < 200  # the rounds end when nothing moves any more


def test_three_bounds_are_given_their_own_multipliers():
    scores, n, shares = np.array([0.5, -0.4, 0.1, 0.9]), 20.0, np.array([0.15, 0.5, 0.25, 0.1])

    def of_four(multipliers):
        assert len(multipliers) == 3
        each = softmax(scores - np.array([*(part[0] for part in multipliers), 0.0]))
        return [n * each[j : j + 1] for j in range(3)]

    group, target = np.zeros(1, dtype=np.int64), n * shares
    bounds = [CountBound(np.arange(4) == j, group, target[j : j + 1], target[j : j + 1]) for j in range(3)]
    found = bounding_multipliers(of_four, bounds)
    wanted = (scores[:3] - scores[3]) - np.log(shares[:3] / shares[3])
    np.testing.assert_allclose([part[0] for part in found], wanted, atol=0.02)


SEARCHES = [
    (0.3, 10, 0.02, 11),
    (-1.2, 40, 39.5, 10),
    (3.0, 1000, 3.0, 15),
    (-6.0, 1000, 900.0, 13),
    (-2.0, 5, 4.9, 10),
    (0.0, 2, 2 * expit(-1.0), 2),
    (0.0, 2, 2 * expit(3.0), 3),
    (40.0, 10, 5.0, 6),
    (0.0, 2, 2 * expit(-0.5), 6),
    (-3.0, 1000, 60.0, 6),
    (-5.0, 1000, 100.0, 7),
    (8.0, 1000, 990.0, 9),
    (-8.0, 1000, 2.0, 8),
]
"""Score, number of steps, bound, and number of evaluations of a search; 1, 3 and 30 are evaluated on the way."""


def evaluated(score, n, target):
    """Return the multipliers of groups of independent steps, and those that were tried on the way."""
    tried = []

    def counted(multipliers):
        tried.append(multipliers[0].copy())
        return [n * expit(score - multipliers[0])]

    bounds = CountBound(np.array([True]), np.arange(len(n)), target, target)
    (found,) = bounding_multipliers(counted, [bounds])
    return found, tried


@pytest.mark.parametrize(("score", "n", "target", "n_evaluations"), SEARCHES)
def test_the_search_needs_few_evaluations(score, n, target, n_evaluations):
    found, tried = evaluated(*(np.array([float(value)]) for value in (score, n, target)))
    assert abs(n * expit(score - found[0]) - target) <= NEAR * max(target, 1.0) or found[0] == 30
    assert len(tried) == n_evaluations  # without the Illinois rule, twice as many


def test_groups_are_searched_together_and_each_as_if_it_were_alone():
    groups = np.array([(*each[:3],) for each in SEARCHES] + [(0.0, 10.0, 5.0)])
    found, tried = evaluated(*groups.T)
    alone = [evaluated(*group[:, None])[0][0] for group in groups]
    np.testing.assert_array_equal(found, alone)
    assert len(tried) == 16
    assert found[-1] == 0


def test_a_count_that_is_near_enough_is_left():
    (found,) = bounding_multipliers(expected, [bound(expected([np.zeros(2)])[0] - [9e-5, 0.0], [10.0, 40.0])])
    np.testing.assert_array_equal(found, [0.0, 0.0])
    at = expected([np.zeros(2)])[0] * (1 + 9e-5)
    (found,) = bounding_multipliers(expected, [bound(at, at)])
    np.testing.assert_array_equal(found, [0.0, 0.0])


def test_a_small_count_must_be_as_near_as_a_count_of_one():
    for missed, is_left in ((0.9e-4, True), (1.5e-4, False)):
        low = np.array([expit(-1.0) + missed])
        found, _ = evaluated(np.array([-1.0]), np.array([1.0]), low)
        assert (found[0] == 0) == is_left


def test_a_cost_that_is_nearly_enough_is_spent_whole():
    at = expected([np.full(2, 1.5)])[0] - 0.2  # a little more than 1.5 would be needed
    (found,) = bounding_multipliers(expected, [bound([0.0, 0.0], at, cost=1.5)])
    np.testing.assert_array_equal(found, [1.5, 1.5])


def test_no_bound_needs_no_multiplier():
    assert bounding_multipliers(expected, []) == []


def test_dual_terms_are_those_of_the_bound_that_is_active():
    bounds = [bound([1.0, 2.0], [3.0, np.inf]), bound([5.0, 6.0], [7.0, 8.0])]
    multipliers = [np.array([2.0, -0.5]), np.array([0.0, 1.0])]
    assert dual_terms(multipliers, bounds) == 2 * 3 - 0.5 * 2 + 1 * 8
    assert dual_terms([np.zeros(2), np.zeros(2)], bounds) == 0
