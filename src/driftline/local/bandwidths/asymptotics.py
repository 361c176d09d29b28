"""The bandwidth of least squared error from the asymptotic bias and variance, Eq. (13)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats
from driftline.smoothing.kernels import Kernel


def best_bandwidth(kernel: Kernel, variance: npt.ArrayLike, token_density: Floats, squared_bias: Floats) -> Floats:
    """Return the bandwidth of least squared error: Eq. (13), and its counterpart for past-only kernels.

    `variance` is tr Σ (times any dispersion factor) and `squared_bias` the squared bias without the factors of
    bandwidth and kernel: Σ (θ̇ g′/g + θ̈/2)² two-sided, Σ θ̇² past-only. If it is not positive, there is no drift and
    the bandwidth is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = kernel.moment(0, 2) * np.asarray(variance) / (np.asarray(token_density) * np.asarray(squared_bias))
        if kernel.side == "past":
            result = (ratio / (2 * kernel.moment(1, 1) ** 2)) ** (1 / 3)
        else:
            result = (ratio / (4 * kernel.moment(2, 1) ** 2)) ** (1 / 5)
    return np.where(np.asarray(squared_bias) > 0, result, np.inf)
