import numpy as np
import pytest

from driftline.figures import plot_coefficients, plot_word_movement


def test_one_panel_per_word_with_band_line_and_zero():
    days = np.arange("2024-01-01", "2024-02-01", dtype="datetime64[D]")
    value = np.linspace(-1, 1, len(days))
    figure = plot_coefficients([(f"word{i}", "spam", (days, value, value - 1, value + 1)) for i in range(4)])
    assert len(figure.data) == 8
    assert [annotation.text for annotation in figure.layout.annotations][:2] == [
        "<b>word0</b> for spam",
        "<b>word1</b> for spam",
    ]
    assert len(figure.layout.shapes) == 4
    assert figure.data[1].y[0] == -1


def test_markup_in_words_and_labels_is_shown_as_text():
    figure = plot_coefficients([("<img src=x>", "<b>bold</b>", ([0.0, 1.0], [0.0, 1.0]))])
    text = figure.layout.annotations[0].text
    assert "<img" not in text
    assert "<b>bold" not in text


def test_the_old_name_still_draws():
    given = [("war", "news", ([0.0, 1.0], [0.0, 1.0]))]
    with pytest.warns(FutureWarning, match="plot_coefficients"):
        old = plot_word_movement(given, title="a", panel_height=99)
    assert old == plot_coefficients(given, title="a", panel_height=99)
