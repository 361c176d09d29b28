from __future__ import annotations

import numpy as np

from driftline.figures import plot_word_curves

DAYS = np.arange("2003-01-01", "2008-01-01", dtype="datetime64[D]")
RATE = np.linspace(1, 2, len(DAYS))


def test_each_word_has_a_line_and_a_band_and_few_points():
    figure = plot_word_curves({"war": (DAYS, RATE, RATE - 0.5, RATE + 0.5), "sars": (DAYS, RATE)})
    assert [trace.name for trace in figure.data if trace.name] == ["war", "sars"]
    assert len(figure.data) == 3
    assert [len(trace.x) for trace in figure.data] == [1000, 500, 500]
    assert figure.layout.showlegend


def test_the_truth_is_dashed():
    figure = plot_word_curves({"war": (DAYS, RATE)}, truth={"war": (DAYS, RATE + 1)})
    assert figure.data[1].line.dash == "dash"
    assert figure.data[1].y[0] > figure.data[0].y[0]


def test_numbers_are_times_too_and_markup_is_text():
    figure = plot_word_curves({"<b>": ([0.0, 1.0], [1.0, 2.0])}, title="Two points")
    assert figure.layout.xaxis.type == "linear"
    assert figure.data[0].name == "&lt;b&gt;"
    assert "<b>" not in figure.to_json()
    assert not figure.layout.showlegend
