from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from driftline.coding.segments import run_lengths, segment


def test_turns_are_found_in_noise():
    rng = np.random.default_rng(0)
    truth = np.repeat([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], [30, 50, 20], axis=0)
    shares = np.array([rng.dirichlet(20 * row) for row in truth])
    found = segment(shares)
    assert len(found) == 3
    assert np.abs(found - [0, 30, 80]).max() <= 1


def test_an_even_text_is_one_segment_and_nothing_is_none():
    assert segment(np.full((20, 2), 0.5)).tolist() == [0]
    assert segment(np.empty((0, 3))).tolist() == []


@given(st.lists(st.integers(0, 2), max_size=20))
def test_runs_are_as_counted_by_hand(assignments):
    expected = []
    for i, topic in enumerate(assignments):
        if i and topic == assignments[i - 1]:
            expected[-1] += 1
        else:
            expected.append(1)
    assert run_lengths(np.array(assignments, dtype=int)).tolist() == expected
