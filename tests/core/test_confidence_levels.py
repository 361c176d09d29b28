from __future__ import annotations

import math

import pytest

from driftline.core.confidence_levels import check_level
from driftline.core.errors import InvalidInput


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95, math.nan, math.inf])
def test_levels_outside_the_unit_interval_are_refused(level):
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        check_level(level)


@pytest.mark.parametrize("level", [1e-9, 0.5, 0.95, 1 - 1e-9])
def test_levels_inside_pass(level):
    check_level(level)
