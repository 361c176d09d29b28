r"""Rows of numbers as items of a mixture: each column of a cluster is normal, with its own mean and variance.

.. math:: \tau \sim \mathrm{Gamma}(a_0, b_0), \quad \mu \mid \tau \sim N(m_0, 1 / (\kappa_0 \tau)), \quad
          x \sim N(\mu, 1 / \tau)                                                                                  (1)

for every column. Given n rows with the sums :math:`s = \sum x` and :math:`q = \sum x^2`,

.. math:: \kappa = \kappa_0 + n, \quad m = (\kappa_0 m_0 + s) / \kappa, \quad a = a_0 + n / 2, \quad
          b = b_0 + \tfrac12 (q + \kappa_0 m_0^2 - \kappa m^2),                                                    (2)

the next value has Student's distribution with 2a degrees of freedom (3), and the rows have the probability
:math:`(2\pi)^{-n/2} \sqrt{\kappa_0 / \kappa}\; \Gamma(a) b_0^{a_0} / (\Gamma(a_0) b^a)` (4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.nonparametric.cluster_items import Clusters, Proposal

MEAN_STRENGTH = 0.01
"""κ₀; cluster means vary around the overall mean with a hundred times the variance within clusters."""
SHAPE = 1.0
"""a₀."""
NARROWEST = 1e-12
"""Lower bound of b, relative to b₀: rounding must not make a variance negative."""


class Factors(NamedTuple):
    """The parameters (2) of all clusters, clusters × columns (κ and a: clusters × 1)."""

    kappa: Floats
    mean: Floats
    shape: Floats
    rate: Floats


class Rows(NamedTuple):
    """The problem: rows of numbers, the priors m₀ and b₀ of every column, α (zero if learned), and the discount."""

    values: Floats
    centre: Floats
    rate: Floats
    concentration: float
    discount: float = 0.0

    @classmethod
    def of(cls, X: Floats, centre: Floats, within: Floats, concentration: float, discount: float = 0.0) -> Rows:
        """Create the problem of rows: the mean of all, and the variances expected within clusters.

        Values are measured from the mean, so that squares are accurate.
        """
        values = np.ascontiguousarray(X - centre)
        return cls(values, np.zeros(X.shape[1]), SHAPE * within, concentration, discount)

    @property
    def n_items(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def lengths(self) -> Floats:
        """Zeros, because rows have no words."""
        return np.zeros(len(self.values))

    @property
    def first_beta(self) -> float:
        """Not used."""
        return 0.0

    def statistics(self) -> Floats:
        """Return the values and their squares, side by side."""
        return np.concatenate([self.values, self.values**2], axis=1)

    def sweep(self, done: int, sample: Clusters, uniforms: Floats) -> int:
        """Draw the clusters of rows, starting at `done`, in place."""
        prior = (self.rate, MEAN_STRENGTH, SHAPE, sample.concentration, self.discount)
        labels, counts, _, sizes = sample[:4]
        return int(
            current_kernels().gaussian_clusters.sweep_rows(done, self.values, *prior, uniforms, labels, counts, sizes)
        )

    def log_items(self, sample: Clusters) -> float:
        """Return the sum of the logarithms of (4)."""
        return float(self.log_clusters(sample).sum())

    def log_clusters(self, sample: Clusters) -> Floats:
        """Return the logarithm of (4) of every cluster."""
        kappa, _, shape, rate = self._factors(sample.counts, sample.sizes)
        logs = gammaln(shape) - gammaln(SHAPE) + SHAPE * np.log(self.rate) - shape * np.log(rate)
        n = sample.sizes[:, None]
        return np.asarray((logs + 0.5 * np.log(MEAN_STRENGTH / kappa) - 0.5 * n * np.log(2 * np.pi)).sum(axis=1))

    def seat(self, items: Ints, uniforms: Floats, given: bool, second: Bools, parts: Clusters) -> float:
        """Seat rows one after another in two clusters, in place; return ln p of the seats."""
        fixed = (self.values, self.rate, MEAN_STRENGTH, SHAPE, self.discount)
        kernel = current_kernels().gaussian_clusters.seat_rows
        return float(kernel(items, *fixed, uniforms, given, second, parts.counts, parts.sizes))

    def places(self, clusters: Clusters) -> Floats:
        """Return the means of clusters, in units of the deviations expected within them."""
        return np.asarray(self._factors(clusters.counts, clusters.sizes).mean / np.sqrt(self.rate / SHAPE))

    def draw_prior(self, sample: Clusters, rng: np.random.Generator) -> float:
        """Return zero: there is no β."""
        return 0.0

    def scores(self, clusters: Clusters) -> Floats:
        """Return the sum over columns of the logarithm of Student's density (3), rows × clusters."""
        found = np.empty((self.n_items, len(clusters.sizes)))
        prior = (self.rate, MEAN_STRENGTH, SHAPE)
        current_kernels().gaussian_clusters.score_rows(
            self.values, *prior, np.ascontiguousarray(clusters.counts), clusters.sizes.astype(np.float64), found
        )
        return found

    def draw_parameters(self, clusters: Clusters, rng: np.random.Generator) -> Floats:
        """Draw means and precisions of clusters given their rows, means first."""
        kappa, mean, shape, rate = self._factors(clusters.counts, clusters.sizes)
        precision = rng.gamma(np.broadcast_to(shape, rate.shape)) / rate
        drawn = mean + rng.standard_normal(mean.shape) / np.sqrt(kappa * precision)
        return np.concatenate([drawn, precision], axis=1)

    def propose(self, item: int, n: int, beta: float, rng: np.random.Generator) -> Proposal:
        """Draw means and precisions from their prior."""
        width = self.values.shape[1]
        empty = (np.zeros((n, 2 * width)), np.zeros(n), np.zeros(n, dtype=np.int64))
        drawn = self.draw_parameters(Clusters(np.empty(0, dtype=np.int64), *empty, 0.0, 0.0), rng)
        return Proposal(drawn, self._replace(values=self.values[item : item + 1]).scores_given(drawn)[0])

    def completed(self, item: int, proposal: Proposal, chosen: int, beta: float, rng: np.random.Generator) -> Floats:
        """Return the proposed parameter, which is complete."""
        return np.asarray(proposal.parts[chosen])

    def scores_given(self, parameters: Floats) -> Floats:
        """Return ln p(row | mean, precision), rows × parameters."""
        mean, precision = np.split(parameters, 2, axis=1)
        squares = self.values**2 @ precision.T - 2 * self.values @ (mean * precision).T + (mean**2 * precision).sum(1)
        return np.asarray(0.5 * (np.log(precision) - np.log(2 * np.pi)).sum(axis=1) - 0.5 * squares)

    def expected_scores(self, rows: Floats, counts: Floats, sizes: Floats, beta: float) -> Floats:
        """Return E[ln p(row | mean, precision)]."""
        kappa, mean, shape, rate = self._factors(counts, sizes)
        values, squares = np.split(rows, 2, axis=1)
        precision = shape / rate
        spread = squares @ precision.T - 2 * values @ (mean * precision).T + (mean**2 * precision).sum(axis=1)
        logs = (psi(shape) - np.log(rate) - np.log(2 * np.pi) - 1 / kappa).sum(axis=1)
        return np.asarray(0.5 * logs - 0.5 * spread)

    def divergence(self, counts: Floats, sizes: Floats, beta: float) -> float:
        """Return the divergence of the normal-gamma distributions (2) from (1)."""
        kappa, mean, shape, rate = self._factors(counts, sizes)
        ratio = self.rate / rate
        gammas = (shape - SHAPE) * psi(shape) - gammaln(shape) + gammaln(SHAPE) - SHAPE * np.log(ratio)
        gammas = gammas + shape * (ratio - 1.0)
        strength = MEAN_STRENGTH / kappa
        normals = 0.5 * (strength - np.log(strength) - 1.0) + 0.5 * MEAN_STRENGTH * mean**2 * shape / rate
        return float((gammas + normals).sum())

    def best_prior(self, counts: Floats, beta: float) -> float:
        """Return zero: there is no β."""
        return 0.0

    def points(self) -> Floats:
        """Return the rows."""
        return self.values

    def _factors(self, counts: Floats, sizes: Floats | Ints) -> Factors:
        """Return (2); the mean of all rows is zero."""
        total, squares = np.split(counts, 2, axis=1)
        n = np.asarray(sizes, dtype=np.float64)[:, None]
        kappa = MEAN_STRENGTH + n
        mean = total / kappa
        rate = self.rate + 0.5 * (squares - kappa * mean**2)
        return Factors(kappa, mean, SHAPE + 0.5 * n, np.maximum(rate, NARROWEST * self.rate))
