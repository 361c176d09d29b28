"""The bandwidth of least squared error that follows from the bias and the variance for small bandwidths, Eq. (13)."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.smoothing.kernels import Kernel


def best_bandwidth(kernel: Kernel, variance: Any, token_density: Any, squared_bias: Any) -> Any:
    """Return the bandwidth of least squared error: Eq. (13), and its counterpart for past-only kernels.

    `variance` is tr Σ (times any dispersion factor) and `squared_bias` what bandwidth and kernel leave of the
    squared bias: Σ (θ̇ g′/g + θ̈/2)² two-sided, Σ θ̇² past-only. Where that is not above zero, nothing moves and the
    answer is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = kernel.moment(0, 2) * np.asarray(variance) / (np.asarray(token_density) * np.asarray(squared_bias))
        if kernel.side == "past":
            result = (ratio / (2 * kernel.moment(1, 1) ** 2)) ** (1 / 3)
        else:
            result = (ratio / (4 * kernel.moment(2, 1) ** 2)) ** (1 / 5)
    return np.where(np.asarray(squared_bias) > 0, result, np.inf)
