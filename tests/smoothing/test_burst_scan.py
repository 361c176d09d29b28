from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from driftline.core.randomness import generator
from driftline.smoothing.burst_scan import burst_p_values, steps_of


def test_p_values_are_those_of_all_orders():
    counts = np.array([1.0, 0, 6, 7, 2, 0, 3, 1])
    residuals = (counts - counts.mean()) / counts.std()

    def fullest(order):
        sums = np.concatenate([[0], np.cumsum(residuals[list(order)])])
        return max((sums[m:] - sums[:-m]).max() / np.sqrt(m) for m in (2, 4))

    found = residuals[2:4].sum() / np.sqrt(2)
    exact = np.mean([fullest(order) >= found - 1e-9 for order in permutations(range(8))])
    assert burst_p_values(counts, [(2, 3)], n_permutations=4000)[0] == pytest.approx(exact, abs=0.03)


def test_uneven_days_in_random_order_seldom_burst():
    rng = np.random.default_rng(0)
    p = []
    for _ in range(200):
        counts = rng.poisson(rng.gamma(0.3, 20, 120))
        first = int(np.argmax(np.convolve(counts, np.ones(4), "valid")))
        p.append(burst_p_values(counts, [(first, first + 3)], n_permutations=99)[0])
    assert np.mean(np.array(p) <= 0.05) <= 0.08


def test_nothing_to_compare():
    assert burst_p_values(np.ones(50), [(3, 9)]).tolist() == [1.0]
    assert burst_p_values(np.array([1.0, 2, 3]), [(0, 1)]).tolist() == [1.0]
    assert burst_p_values(np.arange(50.0), []).tolist() == []


def test_very_many_steps_are_made_longer():
    steps, length = steps_of(np.array([0.0, 40.0, 80_000.0]), 1.0, most=4000)
    assert (length, steps.tolist()) == (20.0, [0, 2, 4000])


def test_windows_of_all_powers_of_two_are_compared():
    rng = np.random.default_rng(3)
    counts = rng.poisson(4, 40).astype(float)
    counts[10:18] += 3
    residuals = (counts - counts.mean()) / counts.std()
    orders = generator(5).permuted(np.broadcast_to(residuals, (99, 40)), axis=1)
    fullest = [
        max(order[i : i + m].sum() / np.sqrt(m) for m in (2, 4, 8, 16) for i in range(40 - m + 1)) for order in orders
    ]
    for first, last in ((10, 17), (0, 39), (12, 13)):
        z = residuals[first : last + 1].sum() / np.sqrt(last + 1 - first)
        expected = (1 + sum(full >= z - 1e-9 for full in fullest)) / 100
        found = burst_p_values(counts, [(first, last)], n_permutations=99, random_state=5)
        assert found[0] == pytest.approx(expected)
