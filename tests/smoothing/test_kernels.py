"""Kernels are densities, and their moments are the integrals they claim to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from driftline.smoothing.kernels import KERNEL_NAMES, Kernel

ALL = [Kernel(name, side) for name in KERNEL_NAMES for side in ("both", "past")]


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: f"{k.name}-{k.side}")
def test_moments_are_integrals(kernel):
    end = kernel.support
    points = [0.0] if kernel.side == "both" else None
    for k in range(5):
        for l in range(4):
            if l == 0 and k > 0:
                continue
            low = -end if kernel.side == "both" else 0.0

            def integrand(u, k=k, l=l):
                value = float(kernel.density(u))
                return u**k * (value**l if l else float(value > 0))

            expected = quad(integrand, low, end, points=points, epsabs=1e-12)[0]
            assert kernel.moment(k, l) == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: f"{k.name}-{k.side}")
def test_integrates_to_one_and_ends(kernel):
    assert kernel.moment(0, 1) == pytest.approx(1.0)
    assert kernel.density(kernel.support) == 0
    assert kernel.density(-kernel.support) == 0
    assert kernel.peak == pytest.approx(float(kernel.density(1e-12)), rel=1e-9)


def test_past_only_counts_what_came_strictly_before():
    kernel = Kernel("uniform", "past")
    assert kernel.density([-0.5, 0.0, 0.5]).tolist() == [0.0, 0.0, 1.0]
    assert kernel.weights([1.0], [0.0, 1.0, 2.0], np.inf).tolist() == [[1.0, 0.0, 0.0]]


def test_tricube_has_its_constant():
    assert Kernel("tricube").density(0.0) == pytest.approx(70 / 81)


def test_bandwidth_scales_the_density():
    kernel = Kernel("epanechnikov")
    np.testing.assert_allclose(kernel.weights([0.0], [1.0], 4.0), [[0.75 * (1 - 1 / 16) / 4]])


@pytest.mark.parametrize(("name", "side"), [("box", "both"), ("uniform", "future")])
def test_unknown_names_are_refused(name, side):
    with pytest.raises(ValueError, match="must be"):
        Kernel(name, side)
