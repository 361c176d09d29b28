"""From times to gaps."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.intensity.tracking.gaps import LOCAL, gaps_between


def test_gaps_are_in_mean_gaps():
    found = gaps_between(np.array([5.0, 6.0, 6.0, 11.0]))
    assert found.mean == 2.0
    np.testing.assert_allclose(found.gaps, [0.0, 0.5, 0.0, 2.5])


def test_clipping_spares_the_first():
    found = gaps_between(np.array([0.0, 0.0, 100.0, 101.0]), clip=(0.1, 2.0))
    np.testing.assert_allclose(found.gaps, [0.0, 0.1, 2.0, 0.1])


def test_operational_time_does_not_see_slow_changes():
    slow, fast = np.arange(400) * 10.0, 4000 + np.arange(400) * 0.1
    found = gaps_between(np.concatenate([slow, fast]), "operational").gaps
    away = np.r_[1 : 400 - LOCAL, 400 + LOCAL : 800]
    np.testing.assert_allclose(found[away], 1.0, rtol=1e-6)


@pytest.mark.parametrize("kind", ["gap", "operational", "index"])
@pytest.mark.parametrize("moments", [[], [3.0], [3.0, 3.0], [3.0, 3.0, 3.0]])
def test_no_time_passes(kind, moments):
    found = gaps_between(np.array(moments), kind)
    assert found.mean == 1.0
    assert np.isfinite(found.gaps).all()
    assert found.gaps[:1].sum() == 0


@pytest.mark.parametrize("clip", [(5.0, 0.1), (1.0,), (np.nan, 1.0), (-1.0, 1.0), ("a", "b")])
def test_bounds_that_are_none_are_refused(clip):
    with pytest.raises(InvalidInput, match="bounds on gaps are two numbers"):
        gaps_between(np.array([0.0, 1.0]), clip=clip)
