from __future__ import annotations

import numpy as np

from driftline.figures.topic_layout import plot_topic_map, plot_topic_tree


def test_circles_have_areas_proportional_to_shares():
    figure = plot_topic_map(np.array([[0.0, 0.0], [1.0, 0.5]]), [0.4, 0.1], ["<b>war</b>", "tax"])
    (circles,) = figure.data
    assert circles.marker.sizemode == "area"
    assert circles.marker.size[0] == 4 * circles.marker.size[1]
    assert circles.marker.sizeref == 2 * 0.4 / 64**2, "the diameter of the largest is 64 pixels in Plotly"
    assert circles.text[0] == "&lt;b&gt;war&lt;/b&gt;"
    assert figure.layout.xaxis.range[0] < 0
    assert figure.layout.xaxis.range[1] > 1


def test_no_two_branches_of_a_tree_cross():
    merges, lost = [[0, 3], [1, 2], [4, 5]], [0.1, 0.2, 0.6]
    figure = plot_topic_tree(merges, lost, ["a", "b", "c", "d"])
    assert list(figure.layout.yaxis.ticktext) == ["a", "d", "b", "c"]
    (lines,) = figure.data
    assert max(x for x in lines.x if x is not None) == 0.6
    corners = [y for y in lines.y if y is not None]
    assert corners[:4] == [0, 0, 1, 1], "the first merger joins neighbours"
    assert corners[8:] == [0.5, 0.5, 2.5, 2.5], "the last joins the middles of the others"


def test_one_topic_has_a_tree_without_branches():
    figure = plot_topic_tree(np.zeros((0, 2)), [], ["alone"])
    assert list(figure.layout.yaxis.ticktext) == ["alone"]
    assert plot_topic_map([[0.0, 0.0]], [1.0], ["alone"]).data[0].text == ("alone",)


def test_only_the_largest_topics_are_named_on_the_map():
    names = [f"topic {i}" for i in range(12)]
    apart = np.column_stack([np.arange(12) % 3, np.arange(12) // 3])
    (circles,) = plot_topic_map(apart, np.arange(12) / 66, names).data
    assert [name for name in circles.text if name] == names[4:]
    assert list(circles.hovertext) == names


def test_names_that_would_overlap_are_left_to_the_pointer():
    places = [[0.0, 0.0], [0.02, 0.0], [1.0, 1.0]]
    (circles,) = plot_topic_map(places, [0.2, 0.3, 0.1], ["ladies, gentlemen", "ladies, today", "tax"]).data
    assert list(circles.text) == ["", "ladies, today", "tax"]
    assert list(circles.hovertext) == ["ladies, gentlemen", "ladies, today", "tax"]


def test_long_names_are_cut_on_the_map_and_whole_on_hover():
    name = "a sentence of a document that names its topic"
    (circles,) = plot_topic_map([[0.0, 0.0]], [0.2], [name]).data
    assert list(circles.text) == ["a sentence of a document …"]
    assert list(circles.hovertext) == [name]


def test_names_at_the_edges_are_beside_their_circles():
    names = ["needed, standards, changes", "version, snapshot, release", "tax"]
    (circles,) = plot_topic_map([[0.0, 0.0], [1.0, 1.0], [0.5, 0.3]], [0.3, 0.2, 0.1], names).data
    assert list(circles.text) == names
    assert list(circles.textposition) == ["top right", "top left", "top center"]


def test_the_name_of_a_large_circle_at_the_top_is_below_it():
    """Of 436 pixels, the margin of 0.16 / 1.32 leaves 53 above the topmost centre; a circle takes 41, a name 15."""
    (circles,) = plot_topic_map([[0.5, 1.0], [0.5, 0.0], [0.0, 0.4]], [0.4, 0.4, 0.1], ["high", "low", "tax"]).data
    assert list(circles.textposition)[:2] == ["bottom center", "top center"]
    (circles,) = plot_topic_map([[0.5, 1.0], [0.5, 0.0], [0.0, 0.4]], [0.1, 0.4, 0.1], ["high", "low", "tax"]).data
    assert list(circles.textposition)[:2] == ["top center", "top center"]


def test_names_within_a_line_of_each_other_overlap():
    """Of 436 pixels (460 without margins) a line of text takes 15; one span is 100 / 132 of the height."""
    for pixels, shown in ((13.0, ["", "ladies, today"]), (17.0, ["ladies, gentlemen", "ladies, today"])):
        places = [[0.5, 0.5], [0.5, 0.5 + 1.32 * pixels / 436], [0.0, 0.0], [1.0, 1.0]]
        (circles,) = plot_topic_map(
            places, [0.2, 0.2001, 0.01, 0.01], ["ladies, gentlemen", "ladies, today", "", ""]
        ).data
        assert list(circles.text[:2]) == shown
