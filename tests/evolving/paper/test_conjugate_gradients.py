import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from driftline.evolving.paper.conjugate_gradients import conjugate_gradients


def system(n=40, seed=0):
    generator = np.random.default_rng(seed)
    A = generator.normal(size=(n, n))
    return A @ A.T + np.diag(10.0 ** generator.uniform(0, 3, n)), generator.normal(size=(n, 3))


def test_solves_every_column():
    A, B = system()
    found = conjugate_gradients(A.dot, B, precondition=lambda r: r / np.diag(A)[:, None])
    np.testing.assert_allclose(found, np.linalg.solve(A, B), rtol=1e-8)


def test_columns_do_not_disturb_each_other():
    A, B = system()
    B[:, 1] = 0.0
    B[:, 2] *= 1e9
    found = conjugate_gradients(A.dot, B, precondition=lambda r: r)
    assert not found[:, 1].any()
    np.testing.assert_allclose(found, np.linalg.solve(A, B), rtol=1e-8)


def test_nothing_to_solve():
    assert conjugate_gradients(lambda x: x, np.zeros((0, 2)), precondition=lambda r: r).shape == (0, 2)


def test_says_when_it_stops_too_early():
    A, B = system()
    with pytest.warns(ConvergenceWarning, match="after 2 steps"):
        conjugate_gradients(A.dot, B, precondition=lambda r: r, max_iterations=2)
