from __future__ import annotations

import numpy as np

from driftline.figures.topics import plot_lineage, plot_topics
from driftline.topics import topic_lineage, topics_over_time
from tests.inference.test_lineage import model


def test_shares_are_drawn_in_per_cent_with_their_bands():
    rng = np.random.default_rng(0)
    curves = topics_over_time(rng.dirichlet([1, 2, 3], 200), None, times=range(200), bandwidth=50.0)
    figure = plot_topics({"third": curves.curve(2)})
    lines = {trace.name: trace for trace in figure.data if trace.name}
    assert set(lines) == {"third"}
    assert 35 < np.mean(lines["third"].y) < 65
    assert len(figure.data) == 2, "a line and its band"


def test_several_topics_have_a_panel_each():
    rng = np.random.default_rng(0)
    curves = topics_over_time(rng.dirichlet([1, 2, 3], 200), None, times=range(200), bandwidth=50.0)
    figure = plot_topics({"first": curves.curve(0), "third": curves.curve(2)})
    assert [heading.text for heading in figure.layout.annotations] == ["first", "third"]
    assert len({trace.xaxis for trace in figure.data}) == 2
    assert 35 < np.mean(figure.data[3].y) < 65


def test_hostile_words_are_text():
    figure = plot_topics({"<b>x</b>": (np.arange(3.0), np.zeros(3))})
    assert "<b>" not in figure.to_json()


def test_lineage_marks_births_deaths_and_splits():
    a = model([5, 5, 0, 0, 0], [0, 0, 1, 1, 0])
    b = model([5, 1, 0, 0, 0], [1, 5, 0, 0, 0], [0, 0, 0, 0, 1])
    figure = plot_lineage([topic_lineage(a, b)])
    assert {trace.name for trace in figure.data} == {"kept", "split", "born", "died"}
    died = next(trace for trace in figure.data if trace.name == "died")
    assert list(died.x) == [0]
    assert list(died.y) == [1]
