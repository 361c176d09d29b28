"""A curve carries its band."""

from __future__ import annotations

import numpy as np

from driftline.smoothing.curve import Curve


def test_fields_are_named_and_the_level_is_known():
    one = np.ones(2)
    curve = Curve(np.arange(2.0), one, one - 0.1, one + 0.1, one * 50)
    assert curve.level == 0.95
    assert (curve.lower < curve.value).all()
    assert curve._replace(level=0.5).level == 0.5
