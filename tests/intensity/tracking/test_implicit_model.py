"""How levels move."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from tests.oracles.intensity import level_matrix

from driftline.intensity.tracking.implicit_model import IntensityModel, level_moves, timed_moves


@pytest.mark.parametrize("n_levels", [1, 2, 3, 8])
@pytest.mark.parametrize("theta", [0.01, 0.5, 1.0])
def test_moves_are_the_oracle_s(n_levels, theta):
    np.testing.assert_allclose(level_moves(theta, n_levels), level_matrix(theta, n_levels), atol=1e-15)


def test_timed_moves_are_the_matrix_exponential():
    gaps = np.array([0.0, 0.3, 1.0, 40.0, 1e12])
    Q = level_matrix(0.3, 5) - np.eye(5)
    for found, gap in zip(timed_moves(0.3, gaps, 5), gaps[:4]):
        np.testing.assert_allclose(found, expm(Q * gap), atol=1e-12)
    np.testing.assert_allclose(timed_moves(0.3, gaps, 5)[4], 0.2, err_msg="after an age, any level is as likely")


def test_a_model_hands_out_its_matrices():
    text, gaps = np.ones((4, 2)), np.array([0.0, 1, 2, 3])
    plain = IntensityModel(text, gaps, np.array([1.0, 2.0]), 0.1, np.array([0.5, 0.5]))
    assert plain.shape == (4, 2, 2)
    assert plain.matrices(1, 3).shape == (1, 2, 2)
    assert plain._replace(timed=True).matrices(1, 3).shape == (2, 2, 2)
