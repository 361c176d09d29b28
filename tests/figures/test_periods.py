from __future__ import annotations

from driftline.figures import plot_periods


def test_periods_are_columns_and_words_are_rows():
    figure = plot_periods({"March": [("war", 9.0), ("<b>", 7.5), ("x", 1.0)], "April": [("sars", 8.0)]}, n_words=2)
    (heat,) = figure.data
    assert list(heat.x) == ["March", "April"]
    assert [list(row) for row in heat.text] == [["war", "sars"], ["&lt;b&gt;", ""]]
    assert [list(row) for row in heat.z] == [[9.0, 8.0], [7.5, None]]


def test_no_periods_make_an_empty_picture():
    assert plot_periods({}).layout.height > 0
