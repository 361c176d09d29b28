from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.partitions import all_partitions, numbered
from tests.oracles.sequential_seating import recurrent_probability

from driftline.core.errors import InvalidInput
from driftline.nonparametric.priors import ChineseRestaurant, RecurrentChineseRestaurant

EPOCHS = np.array([0.0, 0, 1, 1, 3])


def test_probabilities_are_those_of_the_definition():
    process = RecurrentChineseRestaurant(0.7, 1.5, 2.0)
    found = np.exp([process.log_probability(labels, EPOCHS) for labels in all_partitions(5)])
    expected = [recurrent_probability(labels, EPOCHS, 0.7, 1.5, 2.0) for labels in all_partitions(5)]
    np.testing.assert_allclose(found, expected)
    assert found.sum() == pytest.approx(1.0), "a cluster that has ended is never joined"
    assert (found == 0).any()
    mean = found @ [max(labels) + 1 for labels in all_partitions(5)]
    assert process.expected_clusters(EPOCHS) == pytest.approx(mean)


def test_draws_have_these_probabilities():
    process, rng, n = RecurrentChineseRestaurant(0.7, 1.5, 2.0), np.random.default_rng(0), 8_000
    found = Counter(numbered(process.sample(EPOCHS, rng)) for _ in range(n))
    for labels in all_partitions(5):
        expected = np.exp(process.log_probability(labels, EPOCHS))
        assert found[labels] / n == pytest.approx(expected, abs=5 * np.sqrt(expected / n) + 1e-9)


def test_without_decay_or_in_one_epoch_it_is_the_chinese_restaurant():
    for process, epochs in [
        (RecurrentChineseRestaurant(0.7, np.inf), EPOCHS),
        (RecurrentChineseRestaurant(0.7, 0.1), np.zeros(5)),
    ]:
        for labels in all_partitions(5):
            expected = ChineseRestaurant(0.7).log_probability(labels)
            assert process.log_probability(labels, epochs) == pytest.approx(expected)


def test_bad_input_is_refused():
    process = RecurrentChineseRestaurant()
    with pytest.raises(InvalidInput, match="in order"):
        process.sample([1, 0])
    with pytest.raises(InvalidInput, match="in order"):
        process.sample([0, np.nan])
    with pytest.raises(InvalidInput, match="3 labels and 2 epochs"):
        process.log_probability([0, 0, 1], [0, 1])
    with pytest.raises(InvalidInput, match="timescale"):
        RecurrentChineseRestaurant(timescale=0.0)
