import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import jensenshannon

from driftline.monitoring.unit_permutation import (
    mean_distances,
    p_value,
    rate_differences,
    shuffle_units,
    word_divergences,
)

RNG = np.random.default_rng(0)
UNIT = np.repeat(np.arange(12), 5)
IS_NEW = UNIT >= 8
ASSIGNED = shuffle_units(UNIT, IS_NEW, 60, 0)


def rows_of(assigned, k):
    return assigned.is_new[k][assigned.of_document]


def test_statistics_are_those_of_the_assigned_documents():
    events, exposure = RNG.poisson(1.0, 60).astype(float), RNG.integers(1, 9, 60).astype(float)
    chances = RNG.dirichlet([0.5, 1.0, 2.0], 60)
    contains = sp.csr_matrix((RNG.random((60, 7)) < 0.3).astype(float))
    rates, shares, words = (
        rate_differences(ASSIGNED, events, exposure),
        mean_distances(ASSIGNED, chances),
        word_divergences(ASSIGNED, contains),
    )
    for k in range(61):
        new = rows_of(ASSIGNED, k)
        expected = events[new].sum() / exposure[new].sum() - events[~new].sum() / exposure[~new].sum()
        assert rates[k] == pytest.approx(expected)
        one, other = (chances[rows].mean(axis=0) for rows in (new, ~new))
        assert shares[k] == pytest.approx(0.5 * np.abs(one - other).sum())
        one, other = (np.asarray(contains[rows].sum(axis=0)).ravel() for rows in (new, ~new))
        assert words[k] == pytest.approx(jensenshannon(one, other, base=2) ** 2)


def test_whole_units_are_shuffled_and_the_first_assignment_is_true():
    assert np.array_equal(rows_of(ASSIGNED, 0), IS_NEW)
    assert (ASSIGNED.is_new.sum(axis=1) == 4).all()
    assert ASSIGNED.n_new == 4
    divided = shuffle_units(np.array([0, 1, 1, 2]), np.array([False, False, True, True]), 5, 0)
    assert divided.is_new.shape == (6, 4)


def test_a_p_value_agrees_with_enumeration():
    values = RNG.normal(size=60) + 0.8 * IS_NEW
    assigned = shuffle_units(UNIT, IS_NEW, 4000, 1)
    found = p_value(rate_differences(assigned, values, np.ones(60)))
    sums = np.bincount(UNIT, weights=values)
    true = sums[8:].sum()
    every = [sums[list(chosen)].sum() for chosen in itertools.combinations(range(12), 4)]
    assert found == pytest.approx(np.mean(np.array(every) >= true - 1e-9), abs=0.02)


def test_the_smallest_p_value_is_known():
    assert shuffle_units(np.arange(5), np.arange(5) == 4, 999, 0).smallest_p_value == pytest.approx(0.2)
    assert shuffle_units(np.arange(60), np.arange(60) >= 30, 99, 0).smallest_p_value == pytest.approx(0.01)
    assert shuffle_units(np.arange(3), np.ones(3, dtype=bool), 9, 0).smallest_p_value == 1.0
