import numpy as np

from driftline.figures import plot_bursts

BURSTS = [("sars", 30.0, 60.0, 1, 40.0), ("war", 10.0, 30.0, 1, 50.0), ("war", 15.0, 20.0, 2, 20.0)]


def test_words_stand_in_the_order_of_their_first_burst_and_levels_are_traces():
    figure = plot_bursts(BURSTS)
    assert list(figure.layout.yaxis.ticktext) == ["war", "sars"]
    mild, strong = figure.data
    assert list(mild.x) == [10.0, 30.0, None, 30.0, 60.0, None]
    assert list(mild.y) == [0, 0, None, 1, 1, None]
    assert list(strong.x) == [15.0, 20.0, None]


def test_the_volume_lies_above_on_the_same_axis():
    figure = plot_bursts(BURSTS, volume=(np.arange(70.0), np.ones(70)))
    assert figure.data[0].yaxis == "y"
    assert {trace.yaxis for trace in figure.data[1:]} == {"y2"}


def test_markup_is_shown_as_text_and_nothing_is_a_figure_too():
    figure = plot_bursts([("<script>x</script>", 0.0, 1.0, 9, 1.0)])
    assert "<script" not in figure.to_json()
    assert len(plot_bursts([]).data) == 0


def test_the_unit_of_the_volume_stands_above_its_low_panel():
    figure = plot_bursts(BURSTS, volume=(np.arange(70.0), np.ones(70)), unit="documents per week")
    (unit,) = figure.layout.annotations
    assert (unit.text, unit.y, unit.yanchor) == ("documents per week", 1, "bottom")
    assert figure.layout.yaxis.title.text is None
    assert not plot_bursts(BURSTS).layout.annotations
