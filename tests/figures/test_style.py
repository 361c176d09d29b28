from __future__ import annotations

import itertools

from driftline.figures.style import BELOW_AND_ABOVE, PALETTE, colour, faint, new_figure


def test_colours_come_round_again_and_differ():
    assert colour(len(PALETTE)) == colour(0)
    assert len(set(PALETTE)) == len(PALETTE)
    assert faint("#000000", 0.5) == "rgba(0, 0, 0, 0.5)"


def test_colours_differ_in_lightness_or_hue_enough_to_be_distinguished():
    def numbers(hexed):
        return [int(hexed[i : i + 2], 16) for i in (1, 3, 5)]

    for one, other in itertools.combinations(PALETTE, 2):
        assert sum(abs(a - b) for a, b in zip(numbers(one), numbers(other))) > 60


def test_the_scale_runs_from_nought_to_one():
    stops = [stop for stop, _ in BELOW_AND_ABOVE]
    assert stops == sorted(stops)
    assert (stops[0], stops[-1]) == (0.0, 1.0)


def test_a_new_figure_has_its_height_and_title():
    figure = new_figure(height=123, title="Here")
    assert figure.layout.height == 123
    assert figure.layout.title.text == "Here"
    assert new_figure(height=50).layout.title.text is None


def test_a_change_of_one_figure_does_not_reach_the_next():
    figure = new_figure(height=50)
    figure.layout.template.layout.font.size = 99
    assert new_figure(height=50).layout.template.layout.font.size == 13
