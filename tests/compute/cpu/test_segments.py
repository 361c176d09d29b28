from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.compute.cpu.segments import best_cuts


def cost(rows, starts, penalty):
    parts = np.split(rows, starts[1:])
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts) + penalty * len(parts)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shortest", [1, 2, 3])
def test_cuts_are_the_best_of_all(seed, shortest):
    rng = np.random.default_rng(seed)
    rows, penalty = rng.normal(size=(8, 2)), rng.uniform(0.1, 2)
    best = np.inf
    for n_cuts in range(8):
        for cuts in itertools.combinations(range(1, 8), n_cuts):
            starts = [0, *cuts]
            if min(np.diff([*starts, 8])) >= shortest:
                best = min(best, cost(rows, starts, penalty))
    assert cost(rows, best_cuts(rows, penalty, shortest), penalty) == pytest.approx(best)


def test_a_sequence_shorter_than_the_shortest_segment_is_one():
    assert best_cuts(np.ones((2, 1)), 0.1, 5).tolist() == [0]
