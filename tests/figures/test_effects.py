from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.figures import plot_effects
from driftline.topics import effects
from tests.topics.contexts.samples import two_groups


def found():
    model, counts, group = two_groups(200)
    data = {"time": np.arange(200.0), "party": np.where(group, "left", "<b>right</b>")}
    return effects(model, counts, "s(time) + party", data=data)


def test_groups_are_points_with_intervals_and_numbers_are_curves():
    result = found()
    figure = plot_effects(result, "party", topics=[2, 0], names=["a", "b", "c"])
    assert [trace.name for trace in figure.data] == ["c", "a"]
    np.testing.assert_allclose(figure.data[0].y, 100 * result.adjusted["party"].share[2])
    assert "<b>" not in figure.to_json()
    assert len(plot_effects(result, "time", topics=[0]).data) >= 1


def test_an_unknown_variable_is_named():
    with pytest.raises(InvalidInput, match="there are time, party"):
        plot_effects(found(), "year")
