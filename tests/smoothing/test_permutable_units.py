from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.two_sets import smallest_p

from driftline.smoothing.permutable_units import permutable_units


@pytest.mark.parametrize(
    ("of_a", "of_b"),
    [
        ([0, 1], [2, 3, 4]),
        ([0, 1, 2], [3, 4, 5]),
        ([0, 1, 2, 3], [2, 3, 4, 5]),
        ([0, 1, 2], [0, 1, 2]),
        ([0, 1], [1, 2, 3, 4]),
        ([0], [1, 2, 3]),
        ([0], [0]),
    ],
)
def test_equals_the_enumeration_of_all_assignments(of_a, of_b):
    unit = np.array([*of_a, *of_a, *of_b])
    in_a = np.arange(len(unit)) < 2 * len(of_a)
    found = permutable_units(unit, in_a, ~in_a)
    assert found[:2] == (len(of_a), len(of_b))
    assert found.smallest_p == pytest.approx(smallest_p(of_a, of_b))


def test_many_units_set_no_limit():
    unit = np.arange(5000)
    assert permutable_units(unit, unit < 2000, unit >= 2000).smallest_p < 1e-300
