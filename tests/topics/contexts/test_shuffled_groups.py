from __future__ import annotations

import numpy as np

from driftline.streams.units import units_of
from driftline.topics.contexts.shuffled_groups import shuffled


def test_shuffles_keep_sizes_units_and_unknown_groups():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(30), 4)
    codes = np.where(unit < 10, 0, np.where(unit < 20, 1, np.arange(120) % 2))
    codes[:3] = -1
    units, moved = units_of(None, unit=unit, n=120), 0
    for _ in range(50):
        found = shuffled(codes, units, rng)
        assert (found[:3] == -1).all()
        assert (found[3:] >= 0).all()
        for u in range(20):
            assert len(set(found[(units.index == u) & (codes >= 0)])) == 1, "a unit of one group is dealt as a whole"
        for u in range(20, 30):
            assert np.bincount(found[units.index == u]).tolist() == [2, 2], "within a mixed unit, sizes stay"
        moved += (found != codes).any()
    assert moved == 50
