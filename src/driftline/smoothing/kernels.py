r"""Smoothing kernels as normalised densities, two-sided or past-only, with moments in closed form.

.. math:: K_h(r) = h^{-1} K(r / h), \qquad \mu_{kl}(K) = \int u^k K^l(u)\,du

The two-sided base forms are the papers' (5)-(7), each with the constant that makes it integrate to one (tricube is
often printed without its 70/81). A past-only kernel keeps the half with :math:`r = t - \tau > 0` and doubles it, so it
is also a density: only strictly earlier observations count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats

Side = Literal["both", "past"]
TRUNCATION = 3.0
"""Truncation of the Gaussian in standard deviations, so that every kernel has bounded support."""

_POLYNOMIALS: dict[str, tuple[float, dict[int, float]]] = {
    # name: (constant, {power of |u|: coefficient}) on |u| < 1
    "uniform": (1 / 2, {0: 1.0}),
    "triangular": (1.0, {0: 1.0, 1: -1.0}),
    "epanechnikov": (3 / 4, {0: 1.0, 2: -1.0}),
    "tricube": (70 / 81, {0: 1.0, 3: -3.0, 6: 3.0, 9: -1.0}),
}
KERNEL_NAMES = (*_POLYNOMIALS, "gaussian")


@dataclass(frozen=True)
class Kernel:
    """One kernel on one side.

    >>> kernel = Kernel("triangular")
    >>> kernel.density([-0.5, 0.0, 0.5, 2.0])
    array([0.5, 1. , 0.5, 0. ])
    >>> kernel.moment(2, 1), Kernel("triangular", "past").moment(1, 1)
    (0.1666..., 0.3333...)
    """

    name: str = "triangular"
    side: Side = "both"
    support: float = field(init=False, repr=False, compare=False)
    """The distance, in bandwidths, beyond which the kernel is zero."""
    peak: float = field(init=False, repr=False, compare=False)
    """The largest value of the density, at (or just after) zero."""

    def __post_init__(self) -> None:
        if self.name not in KERNEL_NAMES:
            raise ValueError(f"kernel must be one of {', '.join(KERNEL_NAMES)}, not {self.name!r}")
        if self.side not in ("both", "past"):
            raise ValueError(f"side must be 'both' or 'past', not {self.side!r}")
        object.__setattr__(self, "support", TRUNCATION if self.name == "gaussian" else 1.0)
        object.__setattr__(self, "peak", _constant(self.name) * (2.0 if self.side == "past" else 1.0))

    def density(self, u: npt.ArrayLike) -> Floats:
        """Return K(u) for distances u = (t - τ) / h: positive means τ lies in the past of t."""
        u = np.asarray(u, dtype=np.float64)
        distance = np.abs(u)
        if self.name == "gaussian":
            shape = np.exp(-0.5 * np.minimum(distance, TRUNCATION) ** 2)
        else:
            shape = _polynomial_shape(self.name, np.minimum(distance, 1.0))
        inside = distance < self.support
        if self.side == "past":
            inside &= u > 0
        return np.where(inside, shape * self.peak, 0.0)

    def weights(self, t: npt.ArrayLike, tau: npt.ArrayLike, bandwidth: float) -> Floats:
        """Return K_h(t - τ) for every pair: shape (number of t, number of τ). An infinite bandwidth is uniform.

        With ``side="past"`` an infinite bandwidth still includes only earlier observations.
        """
        lag = np.asarray(t, dtype=np.float64)[..., None] - np.asarray(tau, dtype=np.float64)
        if np.isinf(bandwidth):
            return (lag > 0).astype(np.float64) if self.side == "past" else np.ones_like(lag)
        return self.density(lag / bandwidth) / bandwidth

    def relative_weights(self, lag: Floats, bandwidth: float) -> Floats:
        """Return K(lag / h) / K(0): one at no distance, so that an infinite bandwidth weighs all times alike.

        >>> Kernel("triangular").relative_weights(np.array([0.0, 5.0]), 10.0)
        array([1. , 0.5])
        """
        if math.isinf(bandwidth):
            return (lag > 0).astype(np.float64) if self.side == "past" else np.ones(lag.shape)
        return self.density(lag / bandwidth) / self.peak

    def moment(self, k: int, l: int) -> float:
        """Return the moment μ_kl = ∫ uᵏ K(u)ˡ du in closed form."""
        if self.side == "both" and k % 2:
            return 0.0
        half = self.peak**l * self._half_moment(k, l)
        return half if self.side == "past" else 2 * half

    def _half_moment(self, k: int, l: int) -> float:
        if self.name == "gaussian":
            # ∫₀^c uᵏ e^{-l u²/2} du by the recurrence of integration by parts
            return _gaussian_half_moment(k, l, TRUNCATION)
        powers = {0: 1.0}
        for _ in range(l):
            product: dict[int, float] = {}
            for p, a in powers.items():
                for q, b in _POLYNOMIALS[self.name][1].items():
                    product[p + q] = product.get(p + q, 0.0) + a * b
            powers = product
        return math.fsum(a / (p + k + 1) for p, a in powers.items())


def _constant(name: str) -> float:
    """Return the factor that makes the two-sided form integrate to one."""
    if name == "gaussian":
        return 1 / (math.sqrt(2 * math.pi) * math.erf(TRUNCATION / math.sqrt(2)))
    return _POLYNOMIALS[name][0]


def _polynomial_shape(name: str, distance: Floats) -> Floats:
    """Evaluate the unscaled shape in the factored form, which is exact near the edge of the support."""
    if name == "uniform":
        return np.ones_like(distance)
    if name == "triangular":
        return 1 - distance
    if name == "epanechnikov":
        return (1 - distance) * (1 + distance)
    return (1 - distance**3) ** 3


def _gaussian_half_moment(k: int, l: int, end: float) -> float:
    if k == 0:
        return math.sqrt(math.pi / (2 * l)) * math.erf(end * math.sqrt(l / 2)) if l else end
    if l == 0:
        return end ** (k + 1) / (k + 1)
    edge = math.exp(-l * end * end / 2)
    if k == 1:
        return (1 - edge) / l
    return (-(end ** (k - 1)) * edge + (k - 1) * _gaussian_half_moment(k - 2, l, end)) / l
