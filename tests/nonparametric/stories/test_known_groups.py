from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from driftline.core.errors import InvalidInput
from driftline.nonparametric.stories.known_groups import group_numbers


def test_numbers_of_groups_depend_on_their_names_alone():
    found = group_numbers(["a", "b", "a", None, "", float("nan"), -1, pd.NA, pd.NaT], 9)
    assert found[0] == found[2] != found[1]
    assert found[3:].tolist() == [-1] * 6
    assert group_numbers(["b", "a"], 2).tolist() == [found[1], found[0]]


def test_no_groups_are_unknown_and_too_few_are_an_error():
    assert group_numbers(None, 3).tolist() == [-1, -1, -1]
    with pytest.raises(InvalidInput, match="3 documents but 2 groups"):
        group_numbers(np.array([1, 2]), 3)
