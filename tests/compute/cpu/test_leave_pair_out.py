import numpy as np
import pytest
from tests.oracles.evolving import pairs_left_out

from driftline.compute.cpu.leave_pair_out import pair_placements


def problem(n=14, rank=5, seed=0):
    """A Gram matrix, offsets, curvatures and working responses of some least-squares problem."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, rank))
    positive = rng.permutation(np.arange(n) < n // 3)
    return X @ X.T / 0.3, rng.normal(size=n), rng.uniform(0.05, 0.25, n), rng.normal(size=n), positive


@pytest.mark.parametrize("seed", range(4))
def test_is_refitting_without_every_pair(seed):
    gram, offsets, curvature, working, positive = problem(seed=seed)
    inverse = np.linalg.inv(gram + np.diag(1 / curvature))
    found = pair_placements(inverse, working, inverse @ (working - offsets), positive)
    np.testing.assert_allclose(found, pairs_left_out(gram, offsets, curvature, working, positive), atol=1e-12)


def test_documents_that_cannot_be_distinguished_tie():
    n = 6
    inverse = np.linalg.inv(np.ones((n, n)) + 4 * np.eye(n))
    working = np.array([2.0, 2, 2, -2, -2, -2])
    found = pair_placements(inverse, working, inverse @ working, working > 0)
    np.testing.assert_array_equal(found, np.full(n, 0.5))


def test_one_class_alone_says_nothing():
    found = pair_placements(np.eye(3), np.ones(3), np.ones(3), np.ones(3, dtype=np.bool_))
    np.testing.assert_array_equal(found, np.full(3, 0.5))
