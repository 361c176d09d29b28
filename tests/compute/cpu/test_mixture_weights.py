"""EM climbs to the top of a concave hill."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.mixture_weights import em


def test_at_the_maximum_every_part_in_use_is_equally_good():
    rng = np.random.default_rng(0)
    probabilities, counts = rng.random((300, 4)), rng.random(300)
    weights = em(probabilities, counts, 5000, 0.0)
    merit = (counts / (probabilities @ weights)) @ probabilities / counts.sum()
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(merit[weights > 1e-6], 1, atol=1e-3)
    assert (merit < 1 + 1e-3).all()


def test_impossible_rows_are_passed_over():
    assert em(np.array([[0.0, 0.0], [0.1, 0.9]]), np.ones(2), 100, 0.0)[1] > 0.9
