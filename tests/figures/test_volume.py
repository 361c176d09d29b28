from __future__ import annotations

import numpy as np

from driftline.figures import plot_volume

DAYS = np.arange("2003-01-01", "2003-03-01", dtype="datetime64[D]")
ONE = np.ones(len(DAYS))


def test_the_total_has_a_band():
    figure = plot_volume((DAYS, 5 * ONE, 4 * ONE, 6 * ONE))
    assert len(figure.data) == 2
    assert not figure.layout.showlegend


def test_labels_are_lines_beside_the_total():
    figure = plot_volume((DAYS, 5 * ONE), labels={"<i>": (DAYS, 2 * ONE), "b": (DAYS, 3 * ONE)})
    assert [trace.name for trace in figure.data] == ["all", "&lt;i&gt;", "b"]
    assert all(trace.stackgroup is None for trace in figure.data)


def test_stacked_labels_stand_on_each_other_in_place_of_the_total():
    figure = plot_volume(
        (DAYS, 5 * ONE), labels={"a": (DAYS, 2 * ONE, ONE, 3 * ONE), "b": (DAYS, 3 * ONE)}, stacked=True
    )
    assert [trace.name for trace in figure.data] == ["a", "b"]
    assert {trace.stackgroup for trace in figure.data} == {"labels"}


def test_events_are_marked():
    figure = plot_volume((DAYS, ONE), events=[(DAYS[3], DAYS[9], "fair")])
    assert figure.layout.annotations[0].text == "fair"
