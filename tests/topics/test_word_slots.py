from __future__ import annotations

import numpy as np

from driftline.topics.word_slots import NO_SLOT, drop_lightest, give_slots


def test_known_columns_keep_their_slots():
    slots, n_used = give_slots(np.array([2, 0, 1]), 6, np.array([5, 1, 5, 4]), 3)
    assert slots.tolist() == [2, 0, 1, NO_SLOT, 3, 4]
    assert n_used == 5


def test_dropping_twice_leaves_lost_columns_lost():
    slots, counts = drop_lightest(np.array([0, 1, 2, 3]), np.array([[1.0], [4.0], [3.0], [2.0]]), 3)
    slots, counts = drop_lightest(slots, counts, 1)
    assert slots.tolist() == [NO_SLOT, 0, NO_SLOT, NO_SLOT]
    assert counts.tolist() == [[4.0]]
