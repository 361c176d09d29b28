from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles.sequential_seating import buffet_probability

from driftline.core.errors import InvalidInput
from driftline.nonparametric.priors import IndianBuffetProcess


def classes(n, most):
    """Return all sets of at most `most` features of n items, up to their order."""
    columns = [column for column in itertools.product((0, 1), repeat=n) if any(column)]
    for k in range(most + 1):
        for chosen in itertools.combinations_with_replacement(columns, k):
            yield np.array(chosen, dtype=int).reshape(k, n).T


@pytest.mark.parametrize("concentration", [1.0, 2.5])
def test_probabilities_sum_to_one_and_give_the_expected_number(concentration):
    process = IndianBuffetProcess(0.4, concentration)
    every = [*classes(2, 9)]
    chances = np.exp([process.log_probability(Z) for Z in every])
    assert chances.sum() == pytest.approx(1.0, abs=1e-6)
    assert chances @ [Z.shape[1] for Z in every] == pytest.approx(process.expected_features(2), abs=1e-5)


@pytest.mark.parametrize("concentration", [1.0, 2.5])
def test_a_class_has_the_probability_of_its_orderings(concentration):
    """New features of an item come in any order, so the orderings that the definition distinguishes are summed."""
    process = IndianBuffetProcess(0.8, concentration)
    for Z in classes(3, 2):
        first = Z.argmax(axis=0)
        distinct = {
            Z[:, list(order)].tobytes(): Z[:, list(order)]
            for order in itertools.permutations(range(Z.shape[1]))
            if (np.diff(first[list(order)]) >= 0).all()
        }
        expected = sum(buffet_probability(ordered, 0.8, concentration) for ordered in distinct.values())
        assert np.exp(process.log_probability(Z)) == pytest.approx(expected)


def test_draws_have_the_expected_features():
    process, rng = IndianBuffetProcess(2.0, 3.0), np.random.default_rng(0)
    draws = [process.sample(6, rng) for _ in range(4000)]
    assert np.mean([Z.shape[1] for Z in draws]) == pytest.approx(process.expected_features(6), abs=0.15)
    np.testing.assert_allclose(np.mean([Z.sum(axis=1) for Z in draws], axis=0), 2.0, atol=0.12)
    assert IndianBuffetProcess(1e-9).sample(3, rng).shape == (3, 0)


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="above 0"):
        IndianBuffetProcess(0.0)
    with pytest.raises(InvalidInput, match="zeros and ones"):
        IndianBuffetProcess().log_probability([[2]])
