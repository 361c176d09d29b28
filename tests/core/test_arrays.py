from __future__ import annotations

import typing

import numpy as np
import pytest

from driftline.core import arrays


@pytest.mark.parametrize(
    ("alias", "dtype"),
    [(arrays.Floats, np.float64), (arrays.Ints, np.int64), (arrays.Bools, np.bool_), (arrays.Datetimes, np.datetime64)],
)
def test_names_mean_the_kinds_they_say(alias, dtype):
    assert typing.get_origin(alias) is np.ndarray
    assert typing.get_args(typing.get_args(alias)[1]) == (dtype,)
