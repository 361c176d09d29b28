r"""Convergence of chains and their effective sample size (Vehtari et al., 2021).

Chains are split in halves, so that a drift within one chain appears as a difference between two. Draws are replaced by
the normal quantiles of their ranks, :math:`z = \Phi^{-1}((r - 3/8) / (S + 1/4))` (1), so that the diagnostics are
robust to heavy tails.

.. math:: \hat R = \sqrt{\frac{n - 1}{n} + \frac{B}{n W}}, \qquad
          \mathrm{ESS} = \frac{m n}{1 + 2 \sum_t \hat\rho_t}                                                       (2)

with the variances B / n between and W within the m halves of n draws. :math:`\hat R` is the larger of the values for
the draws and for their distances from the median (folded): this also reveals differences in spread. The
autocorrelations :math:`\hat\rho_t` are summed in pairs as long as the pairs are positive and decreasing (Geyer).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

from driftline.core.arrays import Floats

FEWEST = 4
"""Minimum number of draws per chain."""


class Diagnostics(NamedTuple):
    """Rank-normalised split R̂, and the effective sample size of the bulk (means) and of the tails (5 % and 95 %).

    All are NaN if a chain has fewer than four draws, a draw is not finite, or all draws are equal.
    """

    r_hat: float
    ess_bulk: float
    ess_tail: float


def diagnose(draws: npt.ArrayLike) -> Diagnostics:
    """Return the diagnostics of draws of one number, chains × draws.

    >>> rng = np.random.default_rng(0)
    >>> good = diagnose(rng.normal(size=(4, 500)))
    >>> bool(good.r_hat < 1.01), bool(good.ess_bulk > 1500)
    (True, True)
    >>> bool(diagnose(rng.normal(size=(4, 500)) + [[0], [0], [0], [3]]).r_hat > 1.1)
    True
    """
    draws = np.atleast_2d(np.asarray(draws, dtype=np.float64))
    if draws.shape[1] < FEWEST or not np.isfinite(draws).all() or np.ptp(draws) == 0:
        return Diagnostics(np.nan, np.nan, np.nan)
    parts = halves(draws)
    folded = np.abs(parts - np.median(parts))
    r_hat = max(_r_hat(normal_scores(parts)), _r_hat(normal_scores(folded)))
    tails = [_size((parts <= np.quantile(draws, q)).astype(np.float64)) for q in (0.05, 0.95)]
    return Diagnostics(r_hat, _size(normal_scores(parts)), min(tails))


def halves(draws: Floats) -> Floats:
    """Return the first and the last half of every chain; if the number of draws is odd, the middle one is dropped.

    >>> halves(np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]))
    array([[1., 2.],
           [4., 5.]])
    """
    n = draws.shape[1] // 2
    return np.concatenate([draws[:, :n], draws[:, -n:]])


def normal_scores(draws: Floats) -> Floats:
    """Return the normal quantiles of the ranks among all draws (1); equal draws share their mean rank."""
    ranks = rankdata(draws, method="average").reshape(draws.shape)
    return np.asarray(ndtri((ranks - 3 / 8) / (draws.size + 1 / 4)))


def _r_hat(parts: Floats) -> float:
    n = parts.shape[1]
    within = float(parts.var(axis=1, ddof=1).mean())
    between = float(parts.mean(axis=1).var(ddof=1))
    if within == 0:
        return np.inf if between else 1.0
    return float(np.sqrt((n - 1) / n + between / within))


def _size(parts: Floats) -> float:
    """Return the effective sample size (2)."""
    m, n = parts.shape
    if np.ptp(parts) == 0:
        return float(m * n)
    covariance = _autocovariance(parts)
    within = float(covariance[:, 0].mean()) * n / (n - 1)
    spread = within * (n - 1) / n + float(parts.mean(axis=1).var(ddof=1))
    rho = 1.0 - (within - covariance.mean(axis=0)) / spread
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    # In theory pairs are positive and decreasing: the estimate ends at the first that is not, or near the last lag.
    end = next((i for i, pair in enumerate(pairs) if pair <= 0 or 2 * i + 1 >= n - 3), len(pairs) - 1)
    tau = -1.0 + 2.0 * float(np.minimum.accumulate(pairs[:end]).sum()) + max(float(rho[2 * end]), 0.0)
    return float(m * n / max(tau, 1.0 / np.log10(m * n)))


def _autocovariance(parts: Floats) -> Floats:
    """Return the autocovariances of every half at all lags, by the fast Fourier transform."""
    n = parts.shape[1]
    centred = parts - parts.mean(axis=1, keepdims=True)
    length = next_fast_len(2 * n)
    transformed = rfft(centred, length, axis=1)
    found: Floats = np.asarray(irfft(transformed * np.conj(transformed), length, axis=1)[:, :n]) / n
    return found
