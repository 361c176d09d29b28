r"""Stick-breaking: the weights of a Dirichlet process, as successive shares of the remainder.

.. math:: \pi_k = v_k \prod_{j < k} (1 - v_j), \qquad v_k \sim \mathrm{Beta}(1, \alpha)                           (1)

Truncated at T weights, the last one takes the remainder: T weights have T - 1 sticks. Given sizes :math:`n_k` (the
expected or counted number of items with weight k), the sticks are independent,

.. math:: v_k \mid n \sim \mathrm{Beta}\bigl(1 + n_k,\; \alpha + \textstyle\sum_{j > k} n_j\bigr),                 (2)

and with a Gamma(s, r) prior, given :math:`E[\ln(1 - v_k)]`, the best factor of α is

.. math:: q(\alpha) = \mathrm{Gamma}\bigl(s + T - 1,\; r - \textstyle\sum_k E[\ln(1 - v_k)]\bigr)                 (3)

(Blei and Jordan, 2006). Beta distributions are rows of two parameters; a gamma distribution has a shape and a rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, gammaln, psi

from driftline.core.arrays import Floats, Ints
from driftline.inference.variational import divergence, expected_log


class Gamma(NamedTuple):
    """A gamma distribution."""

    shape: float
    rate: float

    @property
    def mean(self) -> float:
        """The expectation."""
        return self.shape / self.rate

    @property
    def mean_log(self) -> float:
        """The expectation of the logarithm."""
        return float(psi(self.shape) - np.log(self.rate))

    def divergence(self, prior: Gamma) -> float:
        """Return the Kullback-Leibler divergence of this distribution from another.

        >>> Gamma(2.0, 3.0).divergence(Gamma(2.0, 3.0))
        0.0
        """
        rates = prior.shape * np.log(self.rate / prior.rate) + self.shape * (prior.rate / self.rate - 1.0)
        shapes = (self.shape - prior.shape) * psi(self.shape) - gammaln(self.shape) + gammaln(prior.shape)
        return float(rates + shapes)


def weights_of(sticks: npt.ArrayLike) -> Floats:
    """Return the weights (1) of sticks; there is one more of them.

    >>> weights_of([0.5, 0.5])
    array([0.5 , 0.25, 0.25])
    """
    sticks = np.append(np.asarray(sticks, dtype=np.float64), 1.0)
    found: Floats = sticks * np.cumprod(np.append(1.0, 1.0 - sticks[:-1]))
    return found


def stick_posterior(sizes: npt.ArrayLike, concentration: float) -> Floats:
    """Return the parameters of the sticks given sizes (2), (T - 1) × 2.

    >>> stick_posterior([3.0, 2.0, 0.0], concentration=0.5)
    array([[4. , 2.5],
           [3. , 0.5]])
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    after = sizes[::-1].cumsum()[::-1] - sizes
    return np.column_stack([1.0 + sizes, concentration + after])[:-1]


def expected_log_weights(posterior: npt.ArrayLike) -> Floats:
    """Return E[ln π] of all T weights, given the parameters of the sticks."""
    logs = expected_log(np.asarray(posterior).reshape(-1, 2))
    broken, left = np.append(logs[:, 0], 0.0), np.append(0.0, logs[:, 1].cumsum())
    return np.asarray(broken + left)


def expected_weights(posterior: npt.ArrayLike) -> Floats:
    """Return E[π] of all T weights; sticks are independent, so it is (1) of their means."""
    posterior = np.asarray(posterior, dtype=np.float64).reshape(-1, 2)
    return weights_of(posterior[:, 0] / posterior.sum(axis=1))


def by_size(sizes: npt.ArrayLike, concentration: float) -> Ints:
    r"""Return the most probable order of sticks with these sizes: largest first.

    The order matters since an early weight is expected to be large. Only the last size may be an exception, because the
    last weight is not a stick: the given order is returned if its probability under (2) is higher.

    >>> by_size([1.0, 5.0, 2.0], concentration=1.0)
    array([1, 2, 0])
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    order = np.argsort(-sizes, kind="stable")
    better = _log_normaliser(sizes[order], concentration) > _log_normaliser(sizes, concentration)
    return order if better else np.arange(len(sizes))


def learn_concentration(posterior: npt.ArrayLike, prior: Gamma) -> Gamma:
    """Return the best factor of α given the parameters of the sticks (3)."""
    logs = expected_log(np.asarray(posterior).reshape(-1, 2))
    return Gamma(prior.shape + len(logs), prior.rate - float(logs[:, 1].sum()))


def stick_divergence(posterior: npt.ArrayLike, mean: float, mean_log: float) -> float:
    """Return the divergence of the sticks from their prior, Beta(1, α), in expectation: given E[α] and E[ln α]."""
    posterior = np.asarray(posterior, dtype=np.float64).reshape(-1, 2)
    if len(posterior) == 0:
        return 0.0
    # that from Beta(1, E[α]) has ln E[α] where the expectation over α has E[ln α]
    return divergence(posterior, [1.0, mean]) + len(posterior) * float(np.log(mean) - mean_log)


def _log_normaliser(sizes: Floats, concentration: float) -> float:
    return float(betaln(*stick_posterior(sizes, concentration).T).sum())
