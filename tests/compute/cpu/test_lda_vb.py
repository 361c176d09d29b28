from __future__ import annotations

import numpy as np
import pytest
from scipy.special import psi

from driftline.compute.cpu import lda_vb


@pytest.mark.parametrize("x", [1e-5, 0.01, 0.5, 1.0, 5.99, 6.0, 30.0, 1e6])
def test_digamma(x):
    assert lda_vb.digamma(x) == pytest.approx(psi(x), rel=1e-11)


def test_expected_counts_add_up():
    rng = np.random.default_rng(1)
    b = rng.uniform(0.1, 1, (5, 3))
    gamma, statistics = np.empty((2, 3)), np.zeros((5, 3))
    indptr, words = np.array([0, 2, 5]), np.array([0, 4, 1, 2, 3], dtype=np.int32)
    counts = np.array([2.0, 1, 3, 1, 1])
    lda_vb.expect(indptr, words, counts, b, np.full(3, 0.5), 100, 1e-8, gamma, statistics)
    np.testing.assert_allclose(statistics.sum(axis=1), [2, 3, 1, 1, 1])
    np.testing.assert_allclose(gamma.sum(axis=1), [4.5, 6.5])
