from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from driftline.sequences.deleted_interpolation import BUCKETS, MOST, interpolate


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    context = rng.integers(0, 30, n)
    outcomes = np.where(rng.random(n) < 0.6, context % 5, rng.integers(0, 5, n))
    return context, outcomes


def test_probabilities_of_all_outcomes_sum_to_one():
    context, outcomes = sample()
    found = interpolate([context, context % 3, 0 * context], outcomes, 5)
    for asked in (3, 29, 1000):
        contexts = [np.full(5, asked), np.full(5, asked % 3), np.zeros(5, dtype=int)]
        assert found.probabilities(contexts, np.arange(5)).sum() == pytest.approx(1)
        assert (found.probabilities(contexts, np.arange(5)) > 0).all()


def test_weights_maximise_the_probability_of_deleted_observations():
    """Every λ is the best one for the observations of its bucket, each left out of the counts: by direct search."""
    context, outcomes = sample()
    found = interpolate([context], outcomes, 5)
    left_out = []
    for i in range(len(context)):
        others = np.delete(np.arange(len(context)), i)
        same = outcomes[others][context[others] == context[i]]
        left_out.append((len(same) + 1, (same == outcomes[i]).mean() if len(same) else 0.0))
    totals, shares = np.array(left_out).T
    for bucket in range(BUCKETS):
        mine = shares[np.minimum(np.log2(totals).astype(int), BUCKETS - 1) == bucket]
        if len(mine) < 5:
            continue

        def loss(logit, mine=mine):
            weight = 1 / (1 + np.exp(-logit[0]))
            return -np.log(weight * mine + (1 - weight) / 5).sum()

        best = 1 / (1 + np.exp(-minimize(loss, [0.0]).x[0]))
        assert found.levels[0].weights[bucket] == pytest.approx(min(best, MOST), abs=0.03)


def test_an_unseen_context_has_the_next_level():
    context, outcomes = sample()
    found = interpolate([context, 0 * context], outcomes, 5)
    unseen = found.probabilities([np.full(5, 99), np.zeros(5, dtype=int)], np.arange(5))
    plain = interpolate([0 * context], outcomes, 5).probabilities([np.zeros(5, dtype=int)], np.arange(5))
    np.testing.assert_allclose(unseen, plain)
