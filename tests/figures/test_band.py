from __future__ import annotations

import numpy as np

from driftline.figures.band import add_band, add_line, band_outline, rounded, time_axis
from driftline.figures.style import new_figure
from driftline.figures.thinning import as_curve

CURVE = as_curve(([0.0, 1.0], [1.0, 2.0], [0.5, 1.0], [2.0, 3.0]))


def test_a_band_is_a_closed_shape():
    figure = new_figure(height=100)
    add_band(figure, CURVE, colour="#0b6a9f", group="a")
    (shape,) = figure.data
    assert list(shape.x) == [0.0, 1.0, 1.0, 0.0]
    assert list(shape.y) == [2.0, 3.0, 1.0, 0.5]
    assert shape.fill == "toself"
    assert shape.hoverinfo == "skip"


def test_a_band_has_a_gap_where_the_curve_is_not_drawn():
    gap = as_curve(([0.0, 1.0, 2.0], [1.0, np.nan, 2.0], [0.5, np.nan, 1.0], [2.0, np.nan, 3.0]))
    x, y = band_outline(gap)
    assert x == [0.0, 0.0, None, 2.0, 2.0]
    assert y == [2.0, 0.5, None, 3.0, 1.0]
    figure = new_figure(height=100)
    add_line(figure, gap, colour="#0b6a9f", name="a", unit="")
    assert figure.data[0].connectgaps is False


def test_no_band_is_drawn_where_there_is_none():
    figure = new_figure(height=100)
    add_band(figure, as_curve(([0.0, 1.0], [1.0, 2.0])), colour="#0b6a9f", group="a")
    assert len(figure.data) == 0


def test_a_line_shows_its_band_when_hovered():
    figure = new_figure(height=100)
    add_line(figure, CURVE, colour="#0b6a9f", name="a", unit="uses")
    assert "customdata[1]" in figure.data[0].hovertemplate
    assert [list(pair) for pair in figure.data[0].customdata] == [[0.5, 2.0], [1.0, 3.0]]


def test_the_axis_follows_the_times():
    figure = new_figure(height=100)
    time_axis(figure, np.array(["2003-01-01"], dtype="datetime64[D]"))
    assert figure.layout.xaxis.type == "date"
    time_axis(figure, [1.0])
    assert figure.layout.xaxis.type == "linear"


def test_rounding_keeps_significant_digits():
    assert rounded(np.array([1234.56, 0.000123456])) == [1235.0, 0.0001235]


def test_no_legend_group_is_named_like_a_property_of_every_object():
    figure = new_figure(height=100)
    add_band(figure, CURVE, colour="#0b6a9f", group="__proto__")
    add_line(figure, CURVE, colour="#0b6a9f", name="__proto__", unit="")
    band, line = figure.data
    assert band.legendgroup == line.legendgroup != "__proto__"
    assert line.name == "__proto__"
