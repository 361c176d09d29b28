from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from driftline.local.changed_words.time_features import MOST_COSINES, TimeFeatures


def test_cosines_are_those_of_the_position():
    position = (np.arange(40) + 0.5) / 40
    features = TimeFeatures.cosines(position)
    k = np.arange(1, features.groups[-1].stop + 1)
    np.testing.assert_allclose(features.table[features.cells], np.sqrt(2) * np.cos(np.pi * np.outer(position, k)))


@pytest.mark.parametrize(
    ("n", "most", "last"), [(2, None, 1), (40, None, 31), (40, 12, 12), (40, 0, 1), (9999, None, 127)]
)
def test_groups_double_and_end_where_they_must(n, most, last):
    groups = TimeFeatures.cosines((np.arange(n) + 0.5) / n, most).groups
    assert groups[0] == slice(0, 1)
    assert all(a.stop == b.start for a, b in pairwise(groups))
    assert all(b.stop - b.start <= 2 * (a.stop - a.start) for a, b in pairwise(groups))
    assert groups[-1].stop == last <= MOST_COSINES


def test_very_many_positions_share_cells_near_them():
    position = (np.arange(20_000) + 0.5) / 20_000
    features = TimeFeatures.cosines(position)
    exact = np.sqrt(2) * np.cos(np.pi * position)
    np.testing.assert_allclose(features.table[features.cells, 0], exact, atol=1e-3)
    assert len(features.table) < 5000


def test_periods_have_a_feature_each():
    features = TimeFeatures.periods(np.array([0, 0, 2, 1]))
    np.testing.assert_array_equal(features.table[features.cells], [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert features.groups == [slice(0, 1), slice(1, 2), slice(2, 3)]
