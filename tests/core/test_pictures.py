from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from driftline.core.pictures import MOST_BARS, MOST_PANELS, Bars, Curves, Series, escaped, moment

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert(1)</script>"\x00\u202e&'


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [each.text for each in parsed(svg).iter(f"{NAMESPACE}text")]


def test_every_curve_has_a_panel_up_to_the_limit():
    times = np.arange(5.0)
    series = [Series(f"word {n}", times, times + n, times, times + 2 * n) for n in range(MOST_PANELS + 3)]
    panels = list(parsed(Curves(series).svg()).iter(f"{NAMESPACE}g"))
    assert len(panels) == MOST_PANELS
    assert len({panel.get("transform") for panel in panels}) == MOST_PANELS


def test_the_line_goes_through_the_values():
    svg = parsed(Curves([Series("rise", np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]))]).svg())
    (line,) = [path for path in svg.iter(f"{NAMESPACE}path") if path.get("fill") == "none"]
    points = np.array([point.split() for point in line.get("d")[1:].split("L")], dtype=float)
    assert (np.diff(points[:, 0]) > 0).all()
    assert (np.diff(points[:, 1]) < 0).all()  # up is a smaller y
    assert points[1] == pytest.approx(points.mean(axis=0))


def test_a_gap_divides_the_line_and_a_lone_point_is_a_dot():
    value = np.array([1.0, 2.0, np.nan, 3.0, np.nan, 1.0, 1.0])
    svg = parsed(Curves([Series("gap", np.arange(7.0), value, value - 1, value + 1)]).svg())
    assert len([path for path in svg.iter(f"{NAMESPACE}path") if path.get("fill") == "none"]) == 2
    assert len(list(svg.iter(f"{NAMESPACE}circle"))) == 1


@pytest.mark.parametrize("value", [[], [np.nan, np.nan], [0.0, 0.0], [np.inf, 1.0], [-3.0, -1.0], [1.0]])
def test_awkward_values_are_drawn_without_nonsense(value):
    value = np.array(value)
    svg = Curves([Series("word", np.arange(float(len(value))), value, value, value)]).svg()
    assert "nan" not in svg.lower().replace("nothing", "")
    assert "inf" not in svg
    parsed(svg)


def test_dates_are_shown_as_days():
    times = np.array(["2003-03-20T04:00", "2003-04-09T05:00"], dtype="datetime64[us]")
    assert {"2003-03-20", "2003-04-09"} <= set(texts(Curves([Series("war", times, np.ones(2))]).svg()))
    assert moment(times, -1) == "2003-04-09"


def test_bars_are_as_long_as_their_values():
    svg = parsed(Bars(["a", "b", "c"], np.array([4.0, 2.0, -1.0]), "change").svg())
    widths = [float(bar.get("width")) for bar in svg.iter(f"{NAMESPACE}rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    assert widths[1] == pytest.approx(2 * widths[2], abs=0.2)
    lefts = [float(bar.get("x")) for bar in svg.iter(f"{NAMESPACE}rect")]
    assert lefts[0] == lefts[1] == pytest.approx(lefts[2] + widths[2], abs=0.2)


def test_only_the_first_bars_are_drawn():
    svg = parsed(Bars([str(n) for n in range(99)], np.arange(99.0), "uses").svg())
    assert len(list(svg.iter(f"{NAMESPACE}rect"))) == MOST_BARS
    assert texts(Bars([], np.array([]), "uses").svg()) == ["uses"]


@pytest.mark.parametrize(
    "picture", [Bars([HOSTILE], np.ones(1), HOSTILE), Curves([Series(HOSTILE, np.arange(2.0), np.ones(2))])]
)
def test_names_cannot_become_markup(picture):
    svg = picture.svg()
    assert "<script" not in svg
    assert not [each for each in parsed(svg).iter() if each.tag.endswith("script")]
    assert "\u202e" not in svg


def test_escaping_comes_after_cutting():
    assert escaped("<<<<<", 3) == "&lt;&lt;…"
