from __future__ import annotations

import numpy as np
import pytest

from driftline.sequences.emissions import KINDS

VALUES = {
    "gaussian": np.array([[1e9], [1e9 + 1], [1e9 + 2]]),
    "poisson": np.array([[0.0], [4.0], [9.0]]),
    "binomial": np.array([[0.0, 3.0], [1e12, 1e12], [1.0, 2.0]]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_state_that_emitted_nothing_has_the_parameters_of_all(kind):
    values, often = VALUES[kind], np.array([2.0, 1.0, 1.0])
    centre = KINDS[kind].together(values, often)
    found = KINDS[kind].estimate(values, np.stack([often, 0 * often], axis=1), centre, 0.01)
    np.testing.assert_allclose(found[:, 1], np.minimum(centre[:, 0], 1 - 1e-12 if kind == "binomial" else np.inf))
    assert np.isfinite(KINDS[kind].log_likelihood(values, found)).all()


def test_large_numbers_keep_their_spread():
    values, often = VALUES["gaussian"], np.ones(3)
    found = KINDS["gaussian"].estimate(values, often[:, None], KINDS["gaussian"].together(values, often), 1e-9)
    np.testing.assert_allclose(found[:, 0], [1e9 + 1, 2 / 3], rtol=1e-6)


def test_constant_numbers_keep_a_positive_variance():
    values = np.full((3, 1), 7.0)
    assert KINDS["gaussian"].together(values, np.ones(3))[1, 0] > 0
