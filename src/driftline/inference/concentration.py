r"""Draws of the parameters of restaurant processes, each given the seating, by auxiliary variables.

With auxiliary variables the posterior is a gamma or beta distribution: for one restaurant, see Escobar and West (1995);
for many restaurants that share α (the documents of a hierarchical Dirichlet process), Teh et al. (2006), Appendix A;
for discount and concentration of many Pitman-Yor restaurants, Teh (2006), Appendix C. The concentration β of a
symmetric Dirichlet distribution has no such form and is drawn by slice sampling (Neal, 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from driftline.core.arrays import Counts

LEAST, MOST = 1e-6, 1e6
"""Bounds of concentrations that are drawn by slice sampling, and the lower bound of all."""
STEP = 1.0
"""Initial width of a slice on the logarithmic scale."""


class Process(NamedTuple):
    """Concentration and discount of a Pitman-Yor process."""

    concentration: float
    discount: float


def draw_concentration(
    concentration: float, n_clusters: int, n: int, rng: np.random.Generator, *, shape: float = 1.0, rate: float = 1.0
) -> float:
    r"""Draw α given the number of clusters of n items, under a gamma prior (Escobar and West).

    The draw leaves :math:`p(\alpha \mid K) \propto \mathrm{Gamma}(\alpha; s, r)\, \alpha^K \Gamma(\alpha) /
    \Gamma(\alpha + n)` unchanged.
    """
    if n == 0:
        return max(float(rng.gamma(shape, 1.0 / rate)), LEAST)
    scale = rate - np.log(rng.beta(concentration + 1.0, n))
    odds = (shape + n_clusters - 1.0) / (n * scale)
    more = rng.random() < odds / (1.0 + odds)
    return max(float(rng.gamma(shape + n_clusters - (0.0 if more else 1.0), 1.0 / scale)), LEAST)


def draw_shared_concentration(
    concentration: float,
    customers: npt.ArrayLike,
    n_tables: int,
    rng: np.random.Generator,
    *,
    shape: float = 1.0,
    rate: float = 1.0,
) -> float:
    r"""Draw the α₀ that restaurants share, given the customers of each and the total number of tables.

    .. math:: w_j \sim \mathrm{Beta}(\alpha_0 + 1, n_j), \quad s_j \sim \mathrm{Bernoulli}(n_j / (n_j + \alpha_0)),
              \quad \alpha_0 \sim \mathrm{Gamma}(s + T - \textstyle\sum s_j,\; r - \sum \ln w_j)
    """
    n = np.asarray(customers, dtype=np.float64)
    n = n[n > 0]
    logs = float(np.log(rng.beta(concentration + 1.0, n)).sum())
    without = float((rng.random(len(n)) * (n + concentration) < n).sum())
    return max(float(rng.gamma(shape + n_tables - without, 1.0 / (rate - logs))), LEAST)


def draw_process(
    process: Process,
    customers: npt.ArrayLike,
    n_tables: npt.ArrayLike,
    table_sizes: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    shape: float = 1.0,
    rate: float = 1.0,
    discount_prior: tuple[float, float] = (1.0, 1.0),
) -> Process:
    r"""Draw the discount and the (positive) concentration that Pitman-Yor restaurants share, given their seating.

    `customers` and `n_tables` have a number per restaurant, `table_sizes` one per table of all of them.

    .. math:: x_u \sim \mathrm{Beta}(\theta + 1, c_u - 1), \quad
              y_{ui} \sim \mathrm{Bernoulli}\Bigl(\frac{\theta}{\theta + d i}\Bigr), \quad
              z_{uj} \sim \mathrm{Bernoulli}\Bigl(\frac{j - 1}{j - d}\Bigr)

    with i below the number of tables and j below the size of a table; then
    :math:`d \sim \mathrm{Beta}(a + \sum (1 - y), b + \sum (1 - z))` and
    :math:`\theta \sim \mathrm{Gamma}(s + \sum y, r - \sum \ln x)`.
    """
    theta, discount = process
    seated, tables = np.asarray(customers, dtype=np.int64), np.asarray(n_tables, dtype=np.int64)
    several = seated[seated > 1]
    logs = float(np.log(rng.beta(theta + 1.0, several - 1.0)).sum())
    begun = _at_least(tables)
    i = np.arange(1, len(begun) + 1)
    by_concentration = int(rng.binomial(begun, theta / (theta + discount * i)).sum())
    joined = _at_least(np.asarray(table_sizes, dtype=np.int64))
    j = np.arange(1, len(joined) + 1)
    undiscounted = int(rng.binomial(joined, (1.0 - discount) / (j - discount)).sum())
    a, b = discount_prior
    new_discount = float(rng.beta(a + begun.sum() - by_concentration, b + undiscounted))
    new_theta = float(rng.gamma(shape + by_concentration, 1.0 / (rate - logs)))
    return Process(max(new_theta, LEAST), min(new_discount, 1.0 - LEAST))


def draw_dirichlet_concentration(
    concentration: float, counts: Counts, rng: np.random.Generator, *, shape: float = 1.0, rate: float = 1.0
) -> float:
    r"""Draw the β of a symmetric Dirichlet distribution, given rows of counts from its multinomials, by a slice.

    .. math:: p(\beta \mid c) \propto \mathrm{Gamma}(\beta; s, r) \prod_k
              \frac{\Gamma(V \beta)}{\Gamma(C_k + V \beta)} \prod_w \frac{\Gamma(c_{kw} + \beta)}{\Gamma(\beta)}
    """
    counts = np.asarray(counts, dtype=np.float64)
    n_words, totals = counts.shape[1], counts.sum(axis=1)
    totals = totals[totals > 0]
    values, times = np.unique(counts[counts > 0], return_counts=True)

    def log_density(log_beta: float) -> float:
        beta = float(np.exp(log_beta))
        words = float((times * (gammaln(values + beta) - gammaln(beta))).sum())
        rows = float((gammaln(n_words * beta) - gammaln(totals + n_words * beta)).sum())
        return shape * log_beta - rate * beta + words + rows  # the Jacobian of the logarithm adds ln β

    return float(np.exp(draw_from_slice(float(np.log(concentration)), log_density, rng)))


def draw_from_slice(value: float, log_density: Callable[[float], float], rng: np.random.Generator) -> float:
    """Draw ln of a number between `LEAST` and `MOST` from a slice of its density, stepping out and shrinking."""
    level = log_density(value) + float(np.log(rng.random()))
    lower_end, upper_end = float(np.log(LEAST)), float(np.log(MOST))
    low = value - STEP * rng.random()
    high = low + STEP
    while low > lower_end and log_density(low) > level:
        low -= STEP
    while high < upper_end and log_density(high) > level:
        high += STEP
    low, high = max(low, lower_end), min(high, upper_end)
    while True:
        drawn = low + (high - low) * rng.random()
        if log_density(drawn) >= level or high - low < 1e-12:
            return float(drawn)
        low, high = (drawn, high) if drawn < value else (low, drawn)


def _at_least(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return, for i = 1, 2, …, the count of those numbers that are above i."""
    if not len(numbers):
        return np.zeros(0, dtype=np.int64)
    tally = np.bincount(numbers)
    return np.asarray(tally[::-1].cumsum()[::-1][2:])
