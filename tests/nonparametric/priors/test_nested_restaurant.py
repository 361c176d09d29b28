from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.sequential_seating import all_paths, path_probability

from driftline.core.errors import InvalidInput
from driftline.nonparametric.priors import NestedChineseRestaurant


def test_probabilities_are_those_of_items_one_after_another():
    process = NestedChineseRestaurant(0.8, 3)
    every = all_paths(4, 3)
    found = np.exp([process.log_probability(paths) for paths in every])
    np.testing.assert_allclose(found, [path_probability(paths, 0.8) for paths in every])
    assert found.sum() == pytest.approx(1.0)
    nodes = sum(chance * np.array([len(set(column)) for column in paths.T]) for chance, paths in zip(found, every))
    np.testing.assert_allclose(process.expected_nodes(4), nodes)


def test_draws_have_these_probabilities():
    process, rng, n = NestedChineseRestaurant(1.2, 3), np.random.default_rng(0), 8_000
    found = Counter(process.sample(3, rng).tobytes() for _ in range(n))
    total = 0.0
    for key, times in found.items():
        paths = np.frombuffer(key, dtype=np.int64).reshape(3, 3)
        expected = np.exp(process.log_probability(paths))
        total += expected
        assert times / n == pytest.approx(expected, abs=5 * np.sqrt(expected / n) + 1e-3)
    assert total == pytest.approx(1.0)


def test_one_level_is_certain_and_bad_input_is_refused():
    assert NestedChineseRestaurant(1.0, 1).log_probability(np.zeros((5, 1))) == 0.0
    assert NestedChineseRestaurant(1.0, 2).expected_nodes(0).tolist() == [0.0, 0.0]
    with pytest.raises(InvalidInput, match="depth"):
        NestedChineseRestaurant(1.0, 0)
    with pytest.raises(InvalidInput, match="levels"):
        NestedChineseRestaurant(1.0, 3).log_probability([[0, 1]])
