from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.nonparametric.priors import BetaProcess, IndianBuffetProcess


def test_the_weights_and_the_remainder_have_the_expected_sum():
    process, rng = BetaProcess(3.0, 2.0), np.random.default_rng(0)
    for rounds in (5, 50):
        sums = [process.sample(rounds, rng).sum() for _ in range(4000)]
        expected = 3.0 - process.expected_remainder(rounds)
        assert np.mean(sums) == pytest.approx(expected, abs=0.1)


def test_features_drawn_from_weights_are_an_indian_buffet():
    """The number of features of three items is that of the buffet, in mean and variance (both are Poisson's)."""
    process, rng = BetaProcess(1.5, 2.0), np.random.default_rng(0)
    numbers = [process.sample_features(process.sample(400, rng), 3, rng).any(axis=0).sum() for _ in range(6000)]
    expected = IndianBuffetProcess(1.5, 2.0).expected_features(3)
    assert np.mean(numbers) == pytest.approx(expected, abs=0.12)
    assert np.var(numbers) == pytest.approx(expected, rel=0.1)


def test_the_posterior_is_that_of_the_next_item_of_the_buffet():
    """The mean weight of a feature that m of n items have is m / (c + n)."""
    parameters = BetaProcess(1.0, 2.5).posterior([1, 4], 4)
    np.testing.assert_allclose(parameters[:, 0] / parameters.sum(axis=1), np.array([1, 4]) / 6.5)
    with pytest.raises(InvalidInput, match="at most 4 items"):
        BetaProcess().posterior([5], 4)
    with pytest.raises(InvalidInput, match="above 0"):
        BetaProcess(1.0, 0.0)
