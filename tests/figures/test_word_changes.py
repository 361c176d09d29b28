from driftline.figures import plot_word_changes
from driftline.monitoring.word_changes import WordChange

UP = WordChange("<b>war</b>", 0.01, 0.04, 4.0, 2.5, 6.4, 0.001, True, "news")
DOWN = WordChange("peace", 0.04, 0.01, 0.25, 0.16, 0.4, 0.001, False, None)


def test_ratios_and_intervals_are_drawn_in_order():
    figure = plot_word_changes([UP, DOWN])
    data = figure.data[0]
    assert data.x == (4.0, 0.25)
    assert data.error_x.array[0] == 6.4 - 4.0
    assert data.error_x.arrayminus[0] == 4.0 - 2.5
    assert data.marker.color[0] != data.marker.color[1]
    assert figure.layout.xaxis.type == "log"


def test_a_ratio_without_an_end_is_drawn():
    new = WordChange("new", 0.0, 0.04, float("inf"), 3.0, float("inf"), 0.001, False, None)
    gone = WordChange("gone", 0.04, 0.0, 0.0, 0.0, 0.3, 0.001, False, None)
    data = plot_word_changes([new, gone]).data[0]
    assert data.x == (30.0, 0.03)
    assert data.error_x.arrayminus[0] == 27.0
    assert data.error_x.array[1] == 0.27


def test_words_are_text_and_none_is_allowed():
    assert "<b>" not in plot_word_changes([UP]).layout.yaxis.ticktext[0]
    assert plot_word_changes([]).data[0].x == ()


def test_an_end_that_says_nothing_is_not_drawn_to_its_length():
    rare = WordChange("rare", 0.0003, 0.08, 230.0, 22.5, 444_000.0, 0.001, False, None)
    data = plot_word_changes([rare]).data[0]
    assert data.x[0] + data.error_x.array[0] == 2300.0
    assert data.x[0] - data.error_x.arrayminus[0] == 22.5
