r"""Time as evidence: relevant documents are often close in time to the best ones.

With the best documents' scores :math:`s_i` and times :math:`t_i`, a document of time t receives

.. math:: \ln \sum_i w_i \exp(-|t - t_i| / \tau), \qquad w = \mathrm{softmax}(s).                                 (1)

Whether the best documents cluster in time is decided by the statistic :math:`\sum_{i \ne j} w_i w_j \exp(-|t_i - t_j| /
\tau)`, compared with its mean and variance if the times were drawn from those of all documents (2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats


class Spread(NamedTuple):
    """Moments of exp(-|t - t'| / τ) for two random documents: mean, variance, and variance of its mean given t."""

    mean: float
    variance: float
    first_order: float

    @classmethod
    def of(cls, times: Floats, span: float) -> Spread:
        """Return the moments over all pairs of different documents."""
        n = len(times)
        if n < 2:
            return cls(1.0, 0.0, 0.0)
        shares = np.full(n, 1 / (n - 1))
        given = np.exp(log_density(times, times, shares, span)) - 1 / (n - 1)
        squares = np.exp(log_density(times, times, shares, span / 2)) - 1 / (n - 1)
        mean = float(given.mean())
        return cls(mean, max(float(squares.mean()) - mean**2, 0.0), float(given.var()))


def log_density(times: Floats, centres: Floats, weights: Floats, span: float) -> Floats:
    """Return the logarithm of Σ_i weights_i exp(-|t - centres_i| / span) for every time, without underflow.

    >>> log_density(np.array([0.0, 1e6]), np.array([0.0]), np.array([1.0]), 10.0).tolist()
    [0.0, -100000.0]
    """
    order = np.argsort(centres, kind="stable")
    ordered = centres[order] / span
    with np.errstate(divide="ignore"):
        logs = np.log(weights[order])
    # Sums over the centres up to j and from j, relative to centre j: each is computed from its neighbour
    before = np.logaddexp.accumulate(logs + ordered) - ordered
    after = np.logaddexp.accumulate((logs - ordered)[::-1])[::-1] + ordered
    scaled = times / span
    right = np.searchsorted(ordered, scaled, side="right")
    left, right = right - 1, np.minimum(right, len(ordered) - 1)
    lower = np.where(left >= 0, before[left] - (scaled - ordered[left]), -np.inf)
    upper = np.where(left < len(ordered) - 1, after[right] - (ordered[right] - scaled), -np.inf)
    found: Floats = np.logaddexp(lower, upper)
    return found


def softmax(scores: Floats) -> Floats:
    """Return weights proportional to the exponentials of the scores."""
    weights: Floats = np.exp(scores - scores.max())
    weights /= weights.sum()
    return weights


def clustering(times: Floats, weights: Floats, span: float, spread: Spread) -> float:
    """Return the number of standard deviations by which the times are closer together than random ones (2)."""
    pairs = np.outer(weights, weights)
    np.fill_diagonal(pairs, 0.0)
    observed = float((pairs * np.exp(-np.abs(times[:, None] - times) / span)).sum())
    # Hoeffding's decomposition of a weighted sum over pairs of independent draws
    variance = 4 * float((pairs.sum(axis=1) ** 2).sum()) * spread.first_order
    variance += 2 * float((pairs**2).sum()) * max(spread.variance - 2 * spread.first_order, 0.0)
    expected = float(pairs.sum()) * spread.mean
    return float((observed - expected) / np.sqrt(variance)) if variance > 0 else 0.0
