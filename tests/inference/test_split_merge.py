from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from driftline.inference.split_merge import Seats, best_disjoint, near_pairs, propose
from tests.oracles.partitions import all_partitions, log_partition_by_seating, numbered

ALPHA = 0.8


def seat_by_size(items, uniforms, second):
    """Seat items in proportion to the sizes of the two clusters; the only probability is that of the process."""
    chosen, sizes, log_seats = np.zeros(len(uniforms), bool) if second is None else second.copy(), [1, 1], 0.0
    for place, uniform in enumerate(uniforms):
        share = sizes[1] / sum(sizes)
        if second is None:
            chosen[place] = uniform < share
        log_seats += np.log(share if chosen[place] else 1 - share)
        sizes[int(chosen[place])] += 1
    whole, parts = np.zeros(len(items), int), np.array([0, 1, *chosen.astype(int)])
    gain = log_partition_by_seating(parts, ALPHA) - log_partition_by_seating(whole, ALPHA)
    return Seats(chosen, log_seats, gain)


def test_proposals_alone_draw_from_the_process():
    rng, labels, found, n = np.random.default_rng(0), np.zeros(4, int), Counter(), 20_000
    for _ in range(n):
        accepted = propose(labels, seat_by_size, rng)
        if accepted is not None:
            labels = labels.copy()
            labels[accepted.second] = labels[accepted.first[0]] if accepted.together else labels.max() + 1
            labels = np.array(numbered(labels))
        found[tuple(labels.tolist())] += 1
    for partition in all_partitions(4):
        expected = np.exp(log_partition_by_seating(partition, ALPHA))
        assert found[partition] / n == pytest.approx(expected, abs=0.02)


def test_near_pairs_are_the_nearest_of_one_of_both(monkeypatch):
    monkeypatch.setattr("driftline.inference.split_merge.NEAREST", 1)
    places = np.array([[0.0], [1.0], [1.5], [9.0]])
    assert near_pairs(places).tolist() == [[0, 1], [1, 2], [2, 3]]
    assert near_pairs(places[:1]).tolist() == []


def test_pairs_are_taken_by_gain_and_have_no_common_end():
    pairs = np.array([[0, 1], [1, 2], [2, 3], [4, 5], [6, 7]])
    assert [*best_disjoint(pairs, np.array([1.0, 3.0, 2.0, 0.5, -1.0]))] == [(1, 2), (4, 5)]
