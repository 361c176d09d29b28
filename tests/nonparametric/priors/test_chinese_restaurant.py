from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.partitions import all_partitions
from tests.oracles.sequential_seating import seating_probability

from driftline.core.errors import InvalidInput
from driftline.nonparametric.priors import ChineseRestaurant

PROCESSES = [(0.3, 0.0), (2.5, 0.0), (1.0, 0.4), (0.0, 0.5), (-0.2, 0.7)]


@pytest.mark.parametrize(("alpha", "discount"), PROCESSES)
def test_probabilities_are_those_of_seating_one_item_after_another(alpha, discount):
    process = ChineseRestaurant(alpha, discount)
    found = [process.log_probability(labels) for labels in all_partitions(6)]
    expected = [seating_probability(labels, alpha, discount) for labels in all_partitions(6)]
    np.testing.assert_allclose(np.exp(found), expected)
    assert sum(expected) == pytest.approx(1.0)


@pytest.mark.parametrize(("alpha", "discount"), PROCESSES)
def test_the_number_of_clusters_is_that_of_all_partitions(alpha, discount):
    process = ChineseRestaurant(alpha, discount)
    counts = np.zeros(7)
    for labels in all_partitions(6):
        counts[max(labels) + 1] += np.exp(process.log_probability(labels))
    np.testing.assert_allclose(process.cluster_count_probabilities(6), counts, atol=1e-12)
    assert process.expected_clusters(6) == pytest.approx(counts @ np.arange(7))


def test_draws_have_these_probabilities():
    rng, n, process = np.random.default_rng(0), 20_000, ChineseRestaurant(0.5, 0.4)
    found = Counter(tuple(process.sample(4, rng).tolist()) for _ in range(n))
    for labels in all_partitions(4):
        expected = np.exp(process.log_probability(labels))
        assert found[labels] / n == pytest.approx(expected, abs=5 * np.sqrt(expected / n))


def test_the_next_item_has_the_probability_of_the_longer_partition():
    process = ChineseRestaurant(0.6, 0.3)
    for label, chance in enumerate(process.predictive([2, 1])):
        ratio = process.log_probability([0, 0, 1, label]) - process.log_probability([0, 0, 1])
        assert chance == pytest.approx(np.exp(ratio))
    assert process.predictive([]).tolist() == [1.0]


def test_names_of_clusters_do_not_matter_and_no_items_have_probability_one():
    process = ChineseRestaurant(1.0)
    assert process.log_probability([5, 5, 2]) == process.log_probability(["a", "a", "b"])
    assert process.log_probability([]) == 0.0
    assert process.expected_clusters(0) == 0.0
    assert process.cluster_count_probabilities(0).tolist() == [1.0]


@pytest.mark.parametrize(("alpha", "discount"), [(0.0, 0.0), (-0.5, 0.5), (1.0, 1.0), (1.0, -0.1), (np.inf, 0.0)])
def test_impossible_parameters_are_refused(alpha, discount):
    with pytest.raises(InvalidInput):
        ChineseRestaurant(alpha, discount)
