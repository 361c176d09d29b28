from __future__ import annotations

import numpy as np

from driftline.figures.flow import plot_flow


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
