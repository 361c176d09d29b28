r"""Probabilities of outcomes in contexts of decreasing detail, mixed by deleted interpolation.

.. math:: p(x \mid c_1) = \lambda_1 \hat p(x \mid c_1) + (1 - \lambda_1)\,p(x \mid c_2), \quad …, \quad
    p(x \mid c_K) = \lambda_K \hat p(x \mid c_K) + (1 - \lambda_K) / n

(1), where the contexts :math:`c_1, …, c_K` are decreasingly detailed. Each λ depends on the count of its context (in
powers of two) and maximises the probability of every observation when that observation is deleted from the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints

BUCKETS = 12
"""Number of values of λ, one per power of two of the occurrences of a context; the last covers all higher ones."""
EM_STEPS = 20
MOST = 0.999
"""Upper bound of λ, so that no outcome is impossible."""


class Level(NamedTuple):
    """Counts of one level: contexts, pairs of a context and an outcome (both sorted), and λ by bucket."""

    contexts: Ints
    totals: Floats
    pairs: Ints
    counts: Floats
    weights: Floats


class Interpolation(NamedTuple):
    """Levels, the most detailed first, and the number of outcomes."""

    levels: list[Level]
    n_outcomes: int

    def probabilities(self, contexts: Sequence[Ints], outcomes: Ints) -> Floats:
        """Return p(outcome | context) by (1); `contexts` has one array per level."""
        found = np.full(len(outcomes), 1.0 / self.n_outcomes)
        for level, context in zip(reversed(self.levels), reversed(contexts)):
            pair, total = self._counts(level, context, outcomes)
            weight = np.where(total > 0, level.weights[_bucket(total)], 0.0)
            found = weight * pair / np.maximum(total, 1.0) + (1 - weight) * found
        return found

    def _counts(self, level: Level, context: Ints, outcomes: Ints) -> tuple[Floats, Floats]:
        pairs = _looked_up(level.pairs, level.counts, context * self.n_outcomes + outcomes)
        return pairs, _looked_up(level.contexts, level.totals, context)


def interpolate(contexts: Sequence[Ints], outcomes: Ints, n_outcomes: int) -> Interpolation:
    """Learn from observed outcomes and the contexts in which they occurred, one array per level.

    >>> found = interpolate([np.array([0, 0, 0, 1]), np.zeros(4, dtype=int)], np.array([1, 1, 1, 0]), 2)
    >>> found.probabilities([np.array([0, 7]), np.array([0, 0])], np.array([1, 1])).round(2)
    array([1.  , 0.53])
    """
    levels: list[Level] = []
    left_out = np.full(len(outcomes), 1.0 / n_outcomes)
    for context in reversed(contexts):
        keys, totals = np.unique(context, return_counts=True)
        pairs, counts = np.unique(context * n_outcomes + outcomes, return_counts=True)
        level = Level(keys, totals.astype(np.float64), pairs, counts.astype(np.float64), np.full(BUCKETS, 0.5))
        pair, total = Interpolation([], n_outcomes)._counts(level, context, outcomes)
        deleted = np.where(total > 1, (pair - 1) / np.maximum(total - 1, 1.0), 0.0)
        bucket = _bucket(total)
        weights = level.weights.copy()
        for _ in range(EM_STEPS):
            mine = weights[bucket] * deleted
            share = mine / np.maximum(mine + (1 - weights[bucket]) * left_out, 1e-300)
            sums, n = np.bincount(bucket, share, BUCKETS), np.bincount(bucket, minlength=BUCKETS)
            weights = np.where(n > 0, np.minimum(sums / np.maximum(n, 1), MOST), weights)
        levels.append(level._replace(weights=weights))
        left_out = weights[bucket] * deleted + (1 - weights[bucket]) * left_out
    return Interpolation(levels[::-1], n_outcomes)


def _bucket(totals: Floats) -> Ints:
    return np.minimum(np.log2(np.maximum(totals, 1.0)).astype(np.int64), BUCKETS - 1)


def _looked_up(keys: Ints, values: Floats, wanted: Ints) -> Floats:
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    return np.where(keys[places] == wanted, values[places], 0.0) if len(keys) else np.zeros(len(wanted))
