r"""Bias and variance of the local multinomial: exact for a known path, and for small bandwidths in closed form.

Given where the words are, the estimator (8) has the bias and variance (9)-(10) exactly. For :math:`h \to 0` they become
(11)-(12), here with the errata found by simulation: a past-only estimate *lags*, so its bias is
:math:`-h\mu_{11}\dot\theta`, and the terms of order :math:`1/n` of its variance are

.. math:: \frac{2\mu_{11}\mu_{02} - \mu_{12}}{n\lambda g}\,\frac{g'}{g}\,\Sigma
   - \frac{\mu_{12}}{n\lambda g}\,\dot\Sigma, \qquad
   \dot\Sigma = \operatorname{diag}\dot\theta - \dot\theta\theta^\top - \theta\dot\theta^\top

(the denominator contributes too). Below, :math:`n\lambda g(t)` is the *token density*: words per unit of time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.core.arrays import Floats
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights


def exact_bias(
    path: Any, tokens: Any, times: Any, target: Any, when: float, kernel: Kernel, bandwidth: float
) -> Floats:
    """Return E θ̂ - θ at the time `when`, Eq. (9), where θ is `target` and row i of `path` is θ at ``times[i]``.

    >>> exact_bias([[0.2, 0.8], [0.4, 0.6]], [10, 10], [0.0, 1.0], [0.2, 0.8], 0.0, Kernel("uniform"), 2.0)
    array([ 0.1, -0.1])
    """
    weights, _ = _token_weights(tokens, times, when, kernel, bandwidth)
    return weights @ np.asarray(path, dtype=np.float64) - np.asarray(target, dtype=np.float64)


def exact_variance(path: Any, tokens: Any, times: Any, when: float, kernel: Kernel, bandwidth: float) -> Floats:
    """Return the covariance matrix of θ̂ at the time `when`, Eq. (10), words × words.

    >>> exact_variance([[0.5, 0.5]], [4], [0.0], 0.0, Kernel("triangular"), 1.0)
    array([[ 0.0625, -0.0625],
           [-0.0625,  0.0625]])
    """
    path = np.asarray(path, dtype=np.float64)
    weights, tokens = _token_weights(tokens, times, when, kernel, bandwidth)
    scaled = np.where(tokens > 0, weights**2 / np.where(tokens > 0, tokens, 1.0), 0.0)
    return np.diag(scaled @ path) - (scaled * path.T) @ path


def asymptotic_bias(
    kernel: Kernel, bandwidth: float, slope: Any, curvature: Any = 0.0, log_density_slope: float = 0.0
) -> Floats:
    """Return the leading bias, Eq. (11)-(12), from θ̇, θ̈ and g′/g; past-only kernels need only θ̇.

    >>> asymptotic_bias(Kernel("triangular", "past"), 0.3, np.array([1.0, -1.0]))
    array([-0.1,  0.1])
    """
    slope = np.asarray(slope, dtype=np.float64)
    if kernel.side == "past":
        return -bandwidth * kernel.moment(1, 1) * slope
    return bandwidth**2 * kernel.moment(2, 1) * (slope * log_density_slope + 0.5 * np.asarray(curvature))


def asymptotic_variance(
    kernel: Kernel,
    bandwidth: float,
    share: Any,
    token_density: float,
    slope: Any = None,
    log_density_slope: float = 0.0,
) -> Floats:
    """Return the covariance matrix for small bandwidths, Eq. (11)-(12), from θ and the token density nλg.

    With a past-only kernel θ̇ and g′/g give the next terms; without `slope` only the leading one is returned.
    """
    share = np.asarray(share, dtype=np.float64)
    scatter = np.diag(share) - np.outer(share, share)
    result = kernel.moment(0, 2) / (bandwidth * token_density) * scatter
    if kernel.side == "past" and slope is not None:
        slope = np.asarray(slope, dtype=np.float64)
        moving = np.diag(slope) - np.outer(slope, share) - np.outer(share, slope)
        shape = 2 * kernel.moment(1, 1) * kernel.moment(0, 2) - kernel.moment(1, 2)
        result += (shape * log_density_slope * scatter - kernel.moment(1, 2) * moving) / token_density
    return result


def _token_weights(tokens: Any, times: Any, when: float, kernel: Kernel, bandwidth: float) -> tuple[Floats, Floats]:
    """Return K n / Σ K n for every time, and the tokens."""
    tokens = np.asarray(tokens, dtype=np.float64)
    times = np.asarray(times, dtype=np.float64)
    mass = relative_weights(np.array([float(when)]), times, kernel, bandwidth)[0] * tokens
    return mass / max(mass.sum(), np.finfo(np.float64).tiny), tokens
