"""Tails of gamma distributions, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaincc, gammaln
from scipy.stats import gamma

from driftline.compute.cpu import gamma_tails


def tails(x, shapes):
    x, shapes = (np.ascontiguousarray(each) for each in np.broadcast_arrays(np.asarray(x, dtype=float), shapes))
    found = np.empty(x.shape)
    gamma_tails.log_tails(x, shapes, gammaln(shapes), found)
    return found


@pytest.mark.parametrize("shape", [1e-3, 0.3, 0.5, 1.0, 1.7, 8.0, 33.3, 200.0, 500.0])
def test_tails_are_those_of_scipy(shape):
    x = np.concatenate([gamma.isf(np.geomspace(1e-200, 1, 400), shape), [shape, shape + 1.0, np.nextafter(shape, 0)]])
    expected = np.log(gammaincc(shape, x))
    np.testing.assert_allclose(tails(x, np.full(x.shape, shape)), expected, rtol=1e-10, atol=1e-12)


def test_the_far_tail_does_not_underflow_and_the_ends_are_exact():
    found = tails([0.0, 2_000.0, np.inf], np.full(3, 1.0))
    np.testing.assert_allclose(found, [0.0, -2_000.0, -np.inf], rtol=1e-13)


def test_large_shapes_are_left_to_the_caller():
    found = np.full(2, 7.0)
    shapes = np.array([501.0, 1.0])
    gamma_tails.log_tails(np.full(2, 3.0), shapes, gammaln(shapes), found)
    np.testing.assert_allclose(found, [7.0, -3.0])
