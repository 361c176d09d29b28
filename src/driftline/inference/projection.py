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


def project(log_posterior: Floats, bounds: Bounds, weights: Floats | None = None) -> Projected:
    """Project posteriors (logarithms, documents × topics, rows normalised) onto bounds of their mean.

    >>> p = np.log([[0.9, 0.1], [0.8, 0.2]])
    >>> found = project(p, Bounds(np.array([[0.0, 0.4]]), np.array([[1.0, 1.0]]), np.zeros(2, dtype=int)))
    >>> found.posterior.mean(axis=0).round(3)
    array([0.6, 0.4])
    """
    n, n_topics = log_posterior.shape
    weights = np.ones(n) if weights is None else weights
    multipliers, value = np.zeros((len(bounds.low), n_topics)), 0.0
    posterior = np.empty((n, n_topics))
    for group in range(len(bounds.low)):
        rows = bounds.groups == group
        multipliers[group], gained = multipliers_of(
            log_posterior[rows], bounds.low[group], bounds.high[group], weights[rows]
        )
        value += gained
        posterior[rows] = tilted(log_posterior[rows], multipliers[group])
    return Projected(posterior, multipliers, value)


def tilted(log_posterior: Floats, multipliers: Floats) -> Floats:
    """Return q (2)."""
    logs = log_posterior - multipliers
    found: Floats = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    return found


def multipliers_of(log_posterior: Floats, low: Floats, high: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return the multipliers of one group, and the value of the dual (3)."""
    total = float(weights.sum())
    lower, upper = np.flatnonzero(low > 0), np.flatnonzero(high < 1)
    if not total or not len(lower) + len(upper):
        return np.zeros(len(low)), 0.0

    def spread(variables: Floats) -> Floats:
        found = np.zeros(len(low))
        found[upper] += variables[: len(upper)]
        found[lower] -= variables[len(upper) :]
        return found

    def loss(variables: Floats) -> tuple[float, Floats]:
        multipliers = spread(variables)
        logs = log_posterior - multipliers
        sums = logsumexp(logs, axis=1)
        mean = weights @ np.exp(logs - sums[:, None]) / total
        bound = variables[: len(upper)] @ high[upper] - variables[len(upper) :] @ low[lower]
        gradient = np.concatenate([high[upper] - mean[upper], mean[lower] - low[lower]])
        return float(weights @ sums / total + bound), gradient

    n = len(lower) + len(upper)
    done = minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", bounds=[(0.0, LARGEST)] * n)
    return spread(done.x), -float(done.fun) * total


def better_multipliers(counts: Floats, present: Floats, bounds: Bounds, lengths: Floats) -> Floats:
    """Return the multipliers for topic counts of documents that were found with the present ones.

    The counts are first divided by e^−λ: a bound that the words alone respect has no multiplier.
    """
    logs = np.log(np.maximum(counts, 0.0) + LEAST_COUNT) + present[bounds.groups]
    logs -= logsumexp(logs, axis=1, keepdims=True)
    return project(logs, bounds, lengths).multipliers


def worth_of(multipliers: Floats, bounds: Bounds, lengths: Floats) -> float:
    """Return W(λ⁺·u − λ⁻·l), the part of an objective that depends on the multipliers alone."""
    mass = np.bincount(bounds.groups, weights=lengths, minlength=len(multipliers))
    worth = np.where(multipliers > 0, multipliers * bounds.high, multipliers * bounds.low)
    return float(mass @ worth.sum(axis=1))
