r"""Posterior regularisation: the distribution nearest to the posterior whose expectations lie within bounds.

.. math:: \min_q \sum_d w_d\, \mathrm{KL}(q_d \| p_d) \quad \text{with} \quad
    l_k \le \frac{1}{W} \sum_d w_d\, q_{dk} \le u_k, \qquad W = \sum_d w_d. \qquad (1)

Its solution is :math:`q_{dk} \propto p_{dk} e^{-\lambda_k}` (2), and the multipliers :math:`\lambda = \lambda^+ -
\lambda^-` maximise the dual

.. math:: -\sum_d w_d \ln \sum_k p_{dk} e^{-\lambda_k} - W(\lambda^+ \cdot u - \lambda^- \cdot l), \qquad
    \lambda^\pm \ge 0, \qquad (3)

which is concave and has as many variables as there are bounds: L-BFGS-B. Every group of documents has its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from driftline.core.arrays import Floats
from driftline.inference.guide_arrays import Bounds

LEAST_COUNT = 1e-6
"""Count of a topic below which a document does not have it."""
LARGEST = 30.0
"""Largest multiplier: a topic that no document has cannot be given a share."""


class Projected(NamedTuple):
    """q (documents × topics), the multipliers λ (groups × topics), and the value of the dual."""

    posterior: Floats
    multipliers: Floats
    value: float


def project(
    log_posterior: Floats, bounds: Bounds, weights: Floats | None = None, start: Floats | None = None
) -> Projected:
    """Project posteriors (logarithms, documents × topics, rows normalised) onto bounds of their mean.

    `start` are multipliers from which the search begins; those of similar posteriors save most of it.

    >>> p = np.log([[0.9, 0.1], [0.8, 0.2]])
    >>> found = project(p, Bounds(np.array([[0.0, 0.4]]), np.array([[1.0, 1.0]]), np.zeros(2, dtype=int)))
    >>> found.posterior.mean(axis=0).round(3)
    array([0.6, 0.4])
    """
    posterior = np.exp(log_posterior)
    weights = np.ones(len(posterior)) if weights is None else weights
    multipliers, value = _all_multipliers(posterior, bounds, weights, start)
    posterior *= np.exp(-multipliers)[bounds.groups]
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Projected(posterior, multipliers, value)


def tilted(log_posterior: Floats, multipliers: Floats) -> Floats:
    """Return q (2)."""
    logs = log_posterior - multipliers
    found: Floats = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    return found


def _all_multipliers(posterior: Floats, bounds: Bounds, weights: Floats, start: Floats | None) -> tuple[Floats, float]:
    """Return the multipliers of all groups, and the value of the dual."""
    multipliers, value = np.zeros_like(bounds.low) if start is None else start.copy(), 0.0
    for group in range(len(bounds.low)):
        rows = bounds.groups == group if len(bounds.low) > 1 else slice(None)
        multipliers[group], gained = multipliers_of(
            posterior[rows], bounds.low[group], bounds.high[group], weights[rows], multipliers[group]
        )
        value += gained
    return multipliers, value


def multipliers_of(
    posterior: Floats, low: Floats, high: Floats, weights: Floats, start: Floats
) -> tuple[Floats, float]:
    """Return the multipliers of one group, and the value of the dual (3).

    An evaluation of (3) is two products with a matrix of the topics that have bounds and one column for all others.
    """
    total = float(weights.sum())
    equal = low == high
    upper, lower, exact = np.flatnonzero((high < 1) & ~equal), np.flatnonzero((low > 0) & ~equal), np.flatnonzero(equal)
    topics = np.concatenate([upper, lower, exact])
    if not total or not len(topics):
        return np.zeros(len(low)), 0.0
    signs = np.repeat([1.0, -1.0, 1.0], [len(upper), len(lower), len(exact)])
    targets = np.concatenate([high[upper], low[lower], high[exact]])
    least = np.repeat([0.0, -LARGEST], [len(upper) + len(lower), len(exact)])
    bounded, column = np.unique(topics, return_inverse=True)
    others = np.ones(len(low), dtype=bool)
    others[bounded] = False
    parts = np.column_stack([posterior[:, bounded], posterior[:, others].sum(axis=1)])
    share = weights / total

    def loss(variables: Floats) -> tuple[float, Floats]:
        odds = np.exp(-np.bincount(column, signs * variables, len(bounded) + 1))
        sums = parts @ odds
        mean = odds * ((share / sums) @ parts)
        return float(share @ np.log(sums) + variables @ (signs * targets)), signs * (targets - mean[column])

    first = np.clip(signs * start[topics], least, LARGEST)
    limits = [(bound, LARGEST) for bound in least]
    done = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=limits)
    multipliers: Floats = np.bincount(topics, signs * done.x, len(low)).astype(np.float64)
    return multipliers, -float(done.fun) * total


def better_multipliers(counts: Floats, present: Floats, bounds: Bounds, lengths: Floats) -> Floats:
    """Return the multipliers for topic counts of documents that were found with the present ones.

    The counts are first divided by e^−λ: a bound that the words alone respect has no multiplier.
    """
    posterior = np.maximum(counts, 0.0) + LEAST_COUNT
    posterior *= np.exp(present)[bounds.groups] if len(present) > 1 else np.exp(present[0])
    posterior /= posterior.sum(axis=1, keepdims=True)
    return _all_multipliers(posterior, bounds, lengths, present)[0]


def worth_of(multipliers: Floats, bounds: Bounds, lengths: Floats) -> float:
    """Return W(λ⁺·u − λ⁻·l), the part of an objective that depends on the multipliers alone."""
    mass = np.bincount(bounds.groups, weights=lengths, minlength=len(multipliers))
    worth = np.where(multipliers > 0, multipliers * bounds.high, multipliers * bounds.low)
    return float(mass @ worth.sum(axis=1))
