from __future__ import annotations

import pytest

from driftline.analysis.shown_curves import curve_of_lists, no_curve
from driftline.report.series import compact, drawing

TIMES = [f"2003-01-{day:02d}T00:00:00Z" for day in range(1, 31)]
CURVE = curve_of_lists(
    TIMES, [float(i) for i in range(30)], [i / 2 for i in range(30)], [i * 1.1 for i in range(30)], 0.9
)


def test_compact_data_is_short_and_has_no_nan():
    long = curve_of_lists(TIMES * 20, [1 / 3] * 600, [float("nan")] * 600, [1.0] * 600)
    data = compact(long, 150)
    assert len(data["times"]) == 150
    assert data["value"][0] == 0.333
    assert data["lower"][0] is None
    assert compact(no_curve(), 150)["times"] == []


def points(path):
    return [tuple(map(float, pair.split())) for pair in path.strip("MZ").split("L")]


def test_a_drawing_fills_its_box_from_left_to_right():
    made = drawing(CURVE, width=100, height=20, points=30)
    x, y = zip(*points(made.line))
    assert (x[0], x[-1]) == (0.0, 100.0)
    assert y[0] == pytest.approx(20)
    assert min(y) >= 0
    assert (made.peak_x, made.peak_y) == (x[-1], y[-1])
    assert len(points(made.band)) == 60


def test_the_truth_is_drawn_to_the_same_scale():
    higher = curve_of_lists(TIMES, [60.0] * 30, [60.0] * 30, [60.0] * 30)
    made = drawing(CURVE, width=100, height=20, truth=higher)
    assert made.top == pytest.approx(60)
    assert min(y for _, y in points(made.truth)) == pytest.approx(1)
    assert min(y for _, y in points(made.line)) > 10


def test_too_few_points_draw_nothing():
    assert drawing(curve_of_lists(TIMES[:1], [1.0], [0.0], [2.0]), width=10, height=10).line == ""


def test_an_undrawn_stretch_is_a_gap():
    def gap(values):
        return [None if 10 <= i < 20 else value for i, value in enumerate(values)]

    made = drawing(curve_of_lists(TIMES, gap(CURVE.value), gap(CURVE.lower), gap(CURVE.upper)), width=100, height=20)
    assert made.line.count("M") == made.band.count("M") == made.band.count("Z") == 2
    assert "nan" not in made.line + made.band
    none = curve_of_lists(TIMES, [None] * 30, [None] * 30, [None] * 30)
    assert drawing(none, width=100, height=20).line == ""
