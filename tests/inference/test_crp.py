from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from driftline.inference.crp import draw_partition, draw_table_counts, log_partition, log_stirling_numbers
from tests.oracles.partitions import all_partitions


@pytest.mark.parametrize("concentration", [0.3, 1.0, 4.0])
def test_partitions_have_probabilities_that_sum_to_one(concentration):
    logs = [log_partition(np.bincount(labels), concentration) for labels in all_partitions(6)]
    assert np.exp(logs).sum() == pytest.approx(1.0)


def test_draws_have_these_probabilities():
    rng, n = np.random.default_rng(0), 20_000
    found = Counter(tuple(draw_partition(4, 1.5, rng).tolist()) for _ in range(n))
    for labels in all_partitions(4):
        expected = np.exp(log_partition(np.bincount(labels), 1.5))
        assert found[labels] / n == pytest.approx(expected, abs=5 * np.sqrt(expected / n))
    assert sum(found.values()) == n
    assert draw_partition(0, 1.0, rng).tolist() == []


def test_empty_clusters_do_not_count():
    assert log_partition([3, 0, 2, 0], 0.7) == log_partition([2, 3], 0.7)


def test_tables_of_a_dish_are_as_many_as_antoniak_says():
    rng, n, weight = np.random.default_rng(0), 6, 0.8
    draws = draw_table_counts(np.full(20_000, n), weight, rng)
    logs = log_stirling_numbers(n) + np.arange(n + 1) * np.log(weight)
    expected = np.exp(logs - np.logaddexp.reduce(logs))
    np.testing.assert_allclose(np.bincount(draws, minlength=n + 1) / 20_000, expected, atol=0.015)
    assert draw_table_counts([[0, 3], [1, 0]], 1e-12, rng).tolist() == [[0, 1], [1, 0]]
