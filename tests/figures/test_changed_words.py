from __future__ import annotations

import numpy as np

from driftline.figures import plot_changed_words

DAYS = np.arange("2003-01-01", "2004-01-01", dtype="datetime64[D]")


def hump(day):
    return DAYS, 10 * np.exp(-(((np.arange(len(DAYS)) - day) / 20) ** 2))


def test_rows_are_in_the_order_of_their_peaks_and_cells_know_their_word():
    figure = plot_changed_words({"late": hump(300), "early": hump(30), "middle": hump(150)})
    (heat,) = figure.data
    assert list(heat.y) == ["early", "middle", "late"]
    assert [int(place) for place in heat.customdata[:, 0, 1]] == [1, 2, 0]
    peaks = heat.customdata[:, :, 0].argmax(axis=1) / heat.z.shape[1] * 365
    np.testing.assert_allclose(peaks, [30, 150, 300], atol=4)


def test_the_colour_is_the_ratio_to_the_mean_in_doublings():
    value = np.where(np.arange(100) < 50, 1.0, 3.0)
    (heat,) = plot_changed_words({"word": (np.arange(100.0), value)}).data
    assert abs(heat.z[0, -1] - np.log2(1.5)) < 0.02
    assert abs(heat.z[0, 0] + 1) < 0.04
    assert (np.abs(heat.z) <= 3).all()


def test_a_word_that_is_absent_most_of_the_time_has_finite_colours():
    (heat,) = plot_changed_words({"once": hump(100), "never": (DAYS, np.zeros(365))}).data
    assert np.isfinite(heat.z).all()


def test_only_the_first_words_are_drawn_and_columns_are_few():
    curves = {f"word{i}": hump(i) for i in range(60)}
    (heat,) = plot_changed_words(curves, n_words=7).data
    assert heat.z.shape == (7, 180)


def test_words_cut_to_the_same_beginning_keep_their_own_rows():
    (heat,) = plot_changed_words({"x" * 50 + "a": hump(10), "x" * 50 + "b": hump(90)}).data
    assert len(set(heat.y)) == 2


def test_words_that_look_like_numbers_or_markup_are_words():
    figure = plot_changed_words({"2003": hump(10), "<b>7</b>": hump(90)})
    assert figure.layout.yaxis.type == "category"
    assert "&lt;b&gt;7&lt;/b&gt;" in figure.data[0].y


def test_nothing_to_draw_is_an_empty_figure():
    assert len(plot_changed_words({}).data) == 0


def test_undrawn_stretches_are_left_blank_and_do_not_hide_the_peak():
    days = np.arange(100.0)
    late = np.exp(-(((days - 70) / 9) ** 2))
    gap = np.where((days > 20) & (days < 40), np.nan, late)
    figure = plot_changed_words({"late": (days, gap), "early": (days, late[::-1])})
    assert figure.data[0].y == ("early", "late")
    shades = np.asarray(figure.data[0].z, dtype=float)[1]
    assert np.isnan(shades[25:35]).all()
    assert not np.isnan(shades[60:]).any()
