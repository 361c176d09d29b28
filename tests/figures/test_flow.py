from __future__ import annotations

import numpy as np

from driftline.figures.flow import plot_flow, plot_flow_panels


def draw(n_topics=3, **options):
    shares = np.full((5, n_topics), 1 / n_topics)
    return plot_flow(shares, np.arange(5) * 10, [f"topic {k}" for k in range(n_topics)], **options)


def test_topics_are_stacked_to_the_whole():
    figure = draw()
    assert len(figure.data) == 3
    assert {trace.stackgroup for trace in figure.data} == {"flow"}
    np.testing.assert_allclose(sum(np.array(trace.y) for trace in figure.data), 1, atol=1e-3)
    assert list(figure.data[0].x) == [0, 10, 20, 30, 40]


def test_turns_and_chapters_are_marked():
    figure = draw(turns=[20], chapters=[(0, "<b>I</b>"), (30, "II")])
    assert [shape.x0 for shape in figure.layout.shapes] == [20, 0, 30]
    assert [note.text for note in figure.layout.annotations] == ["&lt;b&gt;I&lt;/b&gt;", "II"]


def test_many_topics_differ_by_pattern_when_colours_come_round():
    figure = draw(10)
    looks = {(trace.fillcolor, trace.fillpattern.shape) for trace in figure.data}
    assert len(looks) == 10


def test_names_are_text():
    figure = plot_flow([[1.0]], [0], ["<script>"])
    assert figure.data[0].name == "&lt;script&gt;"


def test_passages_are_read_under_the_pointer_as_text():
    passages = ["<b>first</b> & " + "long " * 40, "", "third", "fourth", "fifth"]
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [1, 0], [1, 0], [0, 1]])
    figure = plot_flow(shares, np.arange(5), ["<one>", "two"], passages=passages)
    assert [trace.hoverinfo for trace in figure.data[:2]] == ["skip", "skip"]
    shown = figure.data[-1].customdata
    assert [topic for topic, _ in shown] == ["&lt;one&gt;", "two", "&lt;one&gt;", "&lt;one&gt;", "two"]
    lines = shown[0][1].split("<br>")
    assert lines[0].startswith("&lt;b&gt;first&lt;/b&gt; &amp; long")
    assert len(lines) == 3
    assert shown[1][1] == ""


def test_panels_share_their_colours_and_have_headings():
    panels = [("<then>", [[1, 0], [0, 1]]), ("now", [[0.5, 0.5], [0.5, 0.5], [0, 1]])]
    figure = plot_flow_panels(panels, ["sea", "town"])
    assert [trace.stackgroup for trace in figure.data] == ["flow0", "flow0", "flow1", "flow1"]
    assert figure.data[0].fillcolor == figure.data[2].fillcolor != figure.data[1].fillcolor
    assert figure.layout.xaxis.title.text == "&lt;then&gt;"
    np.testing.assert_allclose(figure.data[2].x, [1 / 6, 1 / 2, 5 / 6])


def test_no_panel_is_an_empty_figure():
    assert len(plot_flow_panels([], ["sea"]).data) == 0
