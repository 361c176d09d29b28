r"""Posterior regularisation: the distribution nearest to the posterior whose expectations lie within bounds.

.. math:: \min_q \sum_d w_d\, \mathrm{KL}(q_d \| p_d) \quad \text{with} \quad
    l_k \le \frac{1}{W} \sum_d w_d\, q_{dk} \le u_k, \qquad W = \sum_d w_d. \qquad (1)

Its solution is :math:`q_{dk} \propto p_{dk} e^{-\lambda_k}` (2), and the multipliers :math:`\lambda = \lambda^+ -
\lambda^-` maximise the dual

.. math:: -\sum_d w_d \ln \sum_k p_{dk} e^{-\lambda_k} - W(\lambda^+ \cdot u - \lambda^- \cdot l), \qquad
    \lambda^\pm \ge 0, \qquad (3)

which is concave and has as many variables as there are bounds: L-BFGS-B. Every set of documents has its own bounds and
multipliers. Sets that have no documents in common are independent; otherwise the multipliers of a document are the sums
of those of its sets, and all are found together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from driftline.core.arrays import Floats
from driftline.engines.blas import one_blas_thread
from driftline.inference.guide_arrays import Bounds

LEAST_COUNT = 1e-6
"""Count of a topic below which a document does not have it."""
LARGEST = 30.0
"""Largest multiplier; it limits the search if no document has the topic."""
JOINT_GRADIENT, JOINT_STEPS = 1e-6, 200
"""Gradient at which the search for the multipliers of overlapping sets ends, and its largest number of steps."""
SMALLER, LARGER = 0.5, 1.25
"""Factors of the step of a multiplier whose change has reversed its sign, and of any other."""
OUTSIDE = 0.002
"""Largest distance of a share from its bounds at which a fit may stop."""


class Projected(NamedTuple):
    """q (documents × topics), the multipliers λ (sets × topics), and the value of the dual."""

    posterior: Floats
    multipliers: Floats
    value: float


class Multipliers(NamedTuple):
    """Multipliers λ that a fit learns step by step (sets × topics), with the values on which their next step depends.

    `proposed` are the multipliers of the last projection, `change` is their difference from the multipliers before it,
    and `step` the share of the change that was made; `shares` are the topics' shares of the sets under the
    multipliers before the last step, and `outside` is the largest distance of one of them from its bounds.
    """

    values: Floats
    proposed: Floats
    change: Floats
    step: Floats
    shares: Floats
    outside: float

    @classmethod
    def none(cls, bounds: Bounds) -> Multipliers:
        """Return multipliers of zero."""
        zero = np.zeros_like(bounds.low)
        return cls(zero, zero, zero, np.ones_like(zero), zero, np.inf)


def project(
    log_posterior: Floats, bounds: Bounds, weights: Floats | None = None, start: Floats | None = None
) -> Projected:
    """Project posteriors (logarithms, documents × topics, rows normalised) onto bounds of their mean.

    `start` are the multipliers from which the search begins; those of similar posteriors shorten it considerably.

    >>> p = np.log([[0.9, 0.1], [0.8, 0.2]])
    >>> found = project(p, Bounds(np.array([[0.0, 0.4]]), np.array([[1.0, 1.0]]), np.zeros(2, dtype=int)))
    >>> found.posterior.mean(axis=0).round(3)
    array([0.6, 0.4])
    """
    posterior = np.exp(log_posterior)
    weights = np.ones(len(posterior)) if weights is None else weights
    multipliers, value = _all_multipliers(posterior, bounds, weights, start)
    posterior *= np.exp(-bounds.by_group(multipliers))[bounds.groups]
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Projected(posterior, multipliers, value)


def _all_multipliers(posterior: Floats, bounds: Bounds, weights: Floats, start: Floats | None) -> tuple[Floats, float]:
    """Return the multipliers of all sets, and the value of the dual."""
    multipliers, value = np.zeros_like(bounds.low) if start is None else start.copy(), 0.0
    with one_blas_thread():
        if bounds.sets is not None:
            return _joint_multipliers(posterior, bounds, weights, multipliers)
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


def _joint_multipliers(posterior: Floats, bounds: Bounds, weights: Floats, start: Floats) -> tuple[Floats, float]:
    """Return the multipliers of sets that have documents in common, and the value of the dual (3).

    λ⁺ and λ⁻ of a bound are never both above zero, so that one variable, their difference, is enough where they are
    equal; elsewhere each has its own.
    """
    total = float(weights.sum())
    equal = bounds.low == bounds.high
    parts = [(bounds.high < 1) & ~equal, (bounds.low > 0) & ~equal, equal]
    sets, topics = (np.concatenate(found) for found in zip(*(np.nonzero(part) for part in parts)))
    if not total or not len(sets):
        return np.zeros_like(bounds.low), 0.0
    sizes = [int(part.sum()) for part in parts]
    signs = np.repeat([1.0, -1.0, 1.0], sizes)
    least = np.repeat([0.0, 0.0, -LARGEST], sizes)
    limits = np.concatenate([bounds.high[parts[0]], bounds.low[parts[1]], bounds.low[parts[2]]])
    share = weights / total
    targets = limits * bounds.by_set(np.bincount(bounds.groups, share, bounds.n_groups))[sets]
    gather = sp.csr_array((share, (bounds.groups, np.arange(len(share)))), shape=(bounds.n_groups, len(share)))

    def multipliers_at(variables: Floats) -> Floats:
        found = np.zeros_like(bounds.low)
        np.add.at(found, (sets, topics), signs * variables)
        return found

    def loss(variables: Floats) -> tuple[float, Floats]:
        tilted = posterior * np.exp(-bounds.by_group(multipliers_at(variables)))[bounds.groups]
        sums = tilted.sum(axis=1)
        mean = bounds.by_set(gather @ (tilted / sums[:, None]))[sets, topics]
        return float(share @ np.log(sums) + variables @ (signs * targets)), signs * (targets - mean)

    first = np.clip(signs * start[sets, topics], least, LARGEST)
    done = minimize(
        loss,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=[(low, LARGEST) for low in least],
        options={"gtol": JOINT_GRADIENT, "ftol": 0.0, "maxiter": JOINT_STEPS},
    )
    return multipliers_at(done.x), -float(done.fun) * total


def better_multipliers(
    counts: Floats, present: Floats, bounds: Bounds, lengths: Floats, start: Floats | None = None
) -> Floats:
    """Return the multipliers for topic counts of documents that were found with the current ones.

    The counts are first divided by e^−λ: a bound that holds without multipliers needs none. The search begins at
    `start`, by default at the current multipliers.
    """
    posterior = np.maximum(counts, 0.0) + LEAST_COUNT
    odds = np.exp(bounds.by_group(present))
    posterior *= odds[bounds.groups] if len(odds) > 1 else odds[0]
    posterior /= posterior.sum(axis=1, keepdims=True)
    return _all_multipliers(posterior, bounds, lengths, present if start is None else start)[0]


def next_multipliers(
    counts: Floats, present: Multipliers, bounds: Bounds, lengths: Floats, *, damped: bool = True
) -> Multipliers:
    """Return the next multipliers for topic counts of documents that were found with the current ones.

    A document's shares follow the multipliers, so that they affect the counts more than the projection of these counts
    assumes: without a smaller step after each reversal (`damped`), the multipliers would oscillate. Where counts change
    only in part from step to step, as in online learning, whole steps converge sooner.
    """
    proposed = better_multipliers(counts, present.values, bounds, lengths, present.proposed)
    change = proposed - present.values
    reversed_ = change * present.change < 0
    step = np.where(reversed_ & damped, SMALLER * present.step, np.minimum(1.0, LARGER * present.step))
    seen = np.maximum(counts, 0.0)
    sums = seen.sum(axis=1)
    scale = np.divide(1.0, sums, out=np.zeros(len(sums)), where=sums > 0)
    mass = np.bincount(bounds.groups, lengths, bounds.n_groups).astype(np.float64)
    shares = group_shares(seen, bounds, lengths * scale, mass)
    outside = float(np.maximum(bounds.low - shares, shares - bounds.high).max(initial=0.0))
    return Multipliers(present.values + step * change, proposed, change, step, shares, outside)


def group_shares(posterior: Floats, bounds: Bounds, weights: Floats, mass: Floats | None = None) -> Floats:
    """Return the topics' shares of every set of documents; in a set without weight, their lower bounds.

    `mass` is the weight of every group if it is not the sum of its documents' weights.

    >>> bounds = Bounds(np.zeros((2, 2)), np.ones((2, 2)), np.array([0, 0, 1]))
    >>> group_shares(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), bounds, np.array([3.0, 1.0, 1.0]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    n_groups, n = bounds.n_groups, len(posterior)
    sums = bounds.by_set(sp.csr_array((weights, (bounds.groups, np.arange(n))), shape=(n_groups, n)) @ posterior)
    mass = bounds.by_set(np.bincount(bounds.groups, weights, n_groups) if mass is None else mass)[:, None]
    found: Floats = np.divide(sums, mass, out=np.array(bounds.low, dtype=np.float64), where=mass > 0)
    return found


def distance_of(multipliers: Multipliers | None) -> float:
    """Return the largest distance of a share from its bounds; zero if there are none."""
    return 0.0 if multipliers is None else multipliers.outside


def worth_of(multipliers: Floats, bounds: Bounds, lengths: Floats) -> float:
    """Return W(λ⁺·u − λ⁻·l), the part of an objective that depends on the multipliers alone."""
    mass = bounds.by_set(np.bincount(bounds.groups, weights=lengths, minlength=bounds.n_groups))
    worth = np.where(multipliers > 0, multipliers * bounds.high, multipliers * bounds.low)
    return float(mass @ worth.sum(axis=1))
