from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences.observations import as_observations


def test_equal_observations_are_one_value():
    seen = as_observations([[[1, 4], [0, 0], [1, 4]], [], [[2, 4]]], "binomial")
    assert seen.rows.tolist() == [0, -1, 0, 1]
    assert seen.offsets.tolist() == [0, 3, 3, 4]
    assert seen.values.tolist() == [[1, 4], [2, 4]]


def test_numbers_may_come_in_rows_and_be_missing():
    seen = as_observations([[[1.0, 2.0], [np.nan, 1.0]]], "gaussian")
    assert seen.rows.tolist() == [0, -1]
    assert seen.values.tolist() == [[1.0, 2.0]]
    assert as_observations([[1.0, 2.0]], "gaussian").values.shape == (2, 1)
    assert as_observations([], "gaussian").values.shape == (0, 1)


@pytest.mark.parametrize(
    "X, kind, message",
    [
        ([[1.0, np.inf]], "gaussian", "step 1 of sequence 0 is .inf.; gaussian emissions are finite"),
        ([[], [2, -1]], "poisson", "step 1 of sequence 1 is .-1.0.; poisson emissions are non-negative counts"),
        ([[[3, 2]]], "binomial", "step 0 of sequence 0 is .3.0, 2.0.; binomial emissions are pairs"),
        ([[1, 2]], "binomial", "one number per step"),
        ([[[1, 2]]], "poisson", "has 2 numbers, not 1"),
        ([[[1, 2]], [[1, 2, 3]]], "gaussian", "sequence 1 has 3 numbers, not 2"),
        ([3.0, 4.0], "gaussian", "0 dimensions"),
        ([["a"]], "gaussian", "does not consist of numbers"),
        ("abc", "gaussian", "not str"),
    ],
)
def test_bad_observations_are_refused(X, kind, message):
    with pytest.raises(InvalidInput, match=message):
        as_observations(X, kind)
