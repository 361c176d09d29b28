import numpy as np

from driftline.figures import plot_accuracy, plot_weight_changes

MONTHS = np.array(["2024-01-01", "2024-02-01", "2024-03-01"], dtype="datetime64[D]")


def test_accuracy_is_drawn_in_per_cent_with_band_and_baseline():
    figure = plot_accuracy((MONTHS, [0.5, 0.75, 1.0], [0.4, 0.7, 0.9], [0.6, 0.8, 1.0]), baseline=[0.3, 0.3, 0.2])
    floor, band, line = figure.data
    assert floor.y == (30.0, 30.0, 20.0)
    assert band.y == (60.0, 80.0, 100.0, 90.0, 70.0, 40.0)
    assert line.y == (50.0, 75.0, 100.0)
    assert line.mode == "lines+markers"
    assert line.x == ("2024-01-01", "2024-02-01", "2024-03-01")
    assert figure.layout.yaxis.range == (0, 101)
    assert figure.layout.showlegend


def test_accuracy_alone_needs_no_legend_and_may_have_times_that_are_numbers():
    figure = plot_accuracy(([0.0, 1.0], [0.5, 0.6]))
    assert len(figure.data) == 1
    assert figure.layout.xaxis.type == "linear"
    assert not figure.layout.showlegend


def test_weight_changes_are_drawn_from_before_to_after_as_text():
    figure = plot_weight_changes([("<b>x</b>", "a", 1.0, -2.0), ("y", 3, 0.0, 0.5)])
    assert [trace.x for trace in figure.data if trace.mode == "lines"] == [(1.0, -2.0), (0.0, 0.5)]
    before, after = (trace for trace in figure.data if trace.mode == "markers")
    assert (before.name, before.x) == ("before", (1.0, 0.0))
    assert (after.name, after.x) == ("after", (-2.0, 0.5))
    assert figure.layout.yaxis.ticktext[0] == "<b>&lt;b&gt;x&lt;/b&gt;</b> for a"


def test_no_change_is_an_empty_figure():
    assert all(not trace.x for trace in plot_weight_changes([]).data)
