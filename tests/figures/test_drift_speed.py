from __future__ import annotations

import numpy as np

from driftline.figures import plot_drift_speed

DAYS = np.arange("2003-01-01", "2006-01-01", dtype="datetime64[D]")
SPEED = np.linspace(1, 3, len(DAYS))


def test_speed_floor_periods_and_events_are_all_there():
    figure = plot_drift_speed(
        (DAYS, SPEED, SPEED - 0.2, SPEED + 0.2),
        0.5 * SPEED,
        periods=[(DAYS[10], DAYS[20], "war")],
        events=[(DAYS[12], DAYS[15], "it happened")],
    )
    names = [trace.name for trace in figure.data if trace.name]
    assert names == ["expected by chance", "speed of drift"]
    assert all(len(trace.x) <= 1000 for trace in figure.data)
    assert [note.text for note in figure.layout.annotations] == ["war", "it happened"]
    assert len(figure.layout.shapes) == 2


def test_the_speed_alone_will_do():
    figure = plot_drift_speed(([0.0, 1.0, 2.0], [1.0, 2.0, 1.0]))
    assert [list(trace.y) for trace in figure.data] == [[1.0, 2.0, 1.0]]


def test_the_area_of_chance_is_interrupted_where_the_curve_is():
    gap = np.array([1.0, 1.0, np.nan, np.nan, 1.0, 1.0])
    figure = plot_drift_speed((np.arange(6.0), 2 * gap), 0.5 * gap)
    area = next(trace for trace in figure.data if trace.fill == "toself")
    assert list(area.x).count(None) == 1
    assert not any(trace.fill == "tozeroy" for trace in figure.data)
